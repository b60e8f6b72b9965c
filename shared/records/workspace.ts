import type { Deadline } from '../deadline';
import type { DocumentStore, DocumentWrite, StoredDocument } from '../documents/document-store';
import type { DocumentData } from '../domain/document';
import { documentBytes } from '../domain/document';
import { AS_OF, asOf } from './record-documents';

/**
 * Documents that are read, changed together and written together: every change is written on the condition that its
 * document is still as it was read.
 */
export class Workspace {
  private readonly read = new Map<string, StoredDocument | undefined>();
  private readonly changed = new Map<string, DocumentData | undefined>();
  private readonly relied = new Set<string>();
  private bytes = 0;

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
    for (const document of found) this.read.set(document.path, document);
  }

  /** Takes documents that are not read yet as absent; if they are not, what is written is in conflict. */
  assumeAbsent(paths: readonly string[]): void {
    for (const path of paths) if (!this.read.has(path)) this.read.set(path, undefined);
  }

  /** Drops documents that are read but not changed here, so that they are read again. @returns whether there were any */
  forget(paths: Iterable<string>): boolean {
    let isAny = false;
    for (const path of paths) isAny = this.read.delete(path) || isAny;
    return isAny;
  }

  /** The document as it is now in this workspace, undefined when there is none. @throws Error when it was not loaded. */
  get(path: string): DocumentData | undefined {
    if (this.changed.has(path)) return this.changed.get(path);
    if (!this.read.has(path)) throw new Error('A document was used before it was loaded.');
    return this.read.get(path)?.data;
  }

  isLoaded(path: string): boolean {
    return this.read.has(path);
  }

  /** Takes documents that a query found as read. */
  adopt(documents: readonly StoredDocument[]): void {
    for (const document of documents) if (!this.read.has(document.path)) this.read.set(document.path, document);
  }

  /** The document as it was read, undefined when there was none. */
  stored(path: string): StoredDocument | undefined {
    return this.read.get(path);
  }

  /** When the document, as it is now in this workspace, was true; undefined when there is none. */
  asOf(path: string): Date | undefined {
    const data = this.get(path);
    const stored = this.read.get(path);
    return data && ((data[AS_OF] as Date | undefined) ?? (stored && asOf(stored)));
  }

  /** Makes the commit depend on a loaded document that it does not change. */
  rely(path: string): void {
    this.relied.add(path);
  }

  /** Changes a loaded document; undefined removes it. */
  put(path: string, data: DocumentData | undefined): void {
    this.bytes +=
      documentBytes(data ?? {}) - (this.changed.has(path) ? documentBytes(this.changed.get(path) ?? {}) : 0);
    this.changed.set(path, data);
  }

  /** Paths of what is to be written. */
  changedPaths(): string[] {
    return [...this.changed.keys()];
  }

  /** Stored bytes of what is to be written. */
  changedBytes(): number {
    return this.bytes;
  }

  /** The writes of all changes, for one commit. */
  toWrites(): DocumentWrite[] {
    const relied = [...this.relied].filter((path) => !this.changed.has(path)).map((path) => this.toCheck(path));
    const changes = [...this.changed].flatMap(([path, data]): DocumentWrite[] => {
      const version = this.read.get(path)?.version;
      if (data !== undefined) return [{ set: path, data, when: version ?? 'absent' }];
      return version === undefined ? [] : [{ delete: path, when: version }];
    });
    return [...changes, ...relied];
  }

  /** A write that changes nothing and fails when the document is not as it was read: Firestore has no other check. */
  private toCheck(path: string): DocumentWrite {
    const stored = this.read.get(path);
    return stored ? { set: path, data: stored.data, when: stored.version } : { delete: path, when: 'absent' };
  }
}
