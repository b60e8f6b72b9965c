import type { Config } from '../../config';

/** Paths of documents ↔ the full names that Firestore's protocol has for them. */
export class ResourceNames {
  readonly database: string;
  private readonly root: string;

  constructor({ projectId, databaseId }: Pick<Config, 'projectId' | 'databaseId'>) {
    this.database = `projects/${projectId}/databases/${databaseId}`;
    this.root = `${this.database}/documents`;
  }

  /** The name of a document; of the empty path, of the database's root. */
  ofPath(path: string): string {
    return path === '' ? this.root : `${this.root}/${path}`;
  }

  toPath(name: string): string {
    return name.slice(this.root.length + 1);
  }
}
