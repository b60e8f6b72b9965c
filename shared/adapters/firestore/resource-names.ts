import type { Config } from '../../config';

/** Converts paths of documents to the full names of Firestore's protocol, and back. */
export class ResourceNames {
  readonly database: string;
  private readonly root: string;

  constructor({ projectId, databaseId }: Pick<Config, 'projectId' | 'databaseId'>) {
    this.database = `projects/${projectId}/databases/${databaseId}`;
    this.root = `${this.database}/documents`;
  }

  /** The full name of a document; for the empty path, that of the database's root. */
  ofPath(path: string): string {
    return path === '' ? this.root : `${this.root}/${path}`;
  }

  toPath(name: string): string {
    return name.slice(this.root.length + 1);
  }
}
