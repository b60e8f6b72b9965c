import type { Deadline } from '../deadline';
import type { DocumentStore, DocumentWrite, Version } from '../documents/document-store';
import type { DocumentData } from '../domain/document';

/**
 * Documents that are read, changed together and written together: every change is written on the condition that its
 * document is still as it was read.
 */
export class Workspace {
  private readonly read = new Map<string, { readonly data: DocumentData; readonly version: Version } | undefined>();
  private readonly changed = new Map<string, DocumentData | undefined>();

  constructor(
    private readonly store: DocumentStore,
    private readonly deadline: Deadline,
  ) {}

  /** Reads what is not read yet. */
  async load(paths: readonly string[]): Promise<void> {
    const missing = [...new Set(paths)].filter((path) => !this.read.has(path));
    if (missing.length === 0) return;
    const found = await this.store.getAll(missing, this.deadline);
    for (const path of missing) this.read.set(path, undefined);
    for (const { path, data, version } of found) this.read.set(path, { data, version });
  }

  /** The document as it is now in this workspace, undefined when there is none. @throws Error when it was not loaded. */
  get(path: string): DocumentData | undefined {
    if (this.changed.has(path)) return this.changed.get(path);
    if (!this.read.has(path)) throw new Error('A document was used before it was loaded.');
    return this.read.get(path)?.data;
  }

  /** Changes a loaded document; undefined removes it. */
  put(path: string, data: DocumentData | undefined): void {
    this.changed.set(path, data);
  }

  /** The writes of all changes, for one commit. */
  toWrites(): DocumentWrite[] {
    return [...this.changed].flatMap(([path, data]): DocumentWrite[] => {
      const version = this.read.get(path)?.version;
      if (data !== undefined) return [{ set: path, data, when: version ?? 'absent' }];
      return version === undefined ? [] : [{ delete: path, when: version }];
    });
  }
}
