import type { Deadline } from '../deadline';
import type { DocumentStore, DocumentWrite, StoredDocument } from '../documents/document-store';
import type { DocumentData } from '../domain/document';
import { documentBytes } from '../domain/document';
import { isLarge } from './large-records';
import { asOf, stampedTime } from './record-documents';

/** A document that was read, and what became of it. */
interface Entry {
  /** As it was read; undefined: there was none. */
  readonly stored: StoredDocument | undefined;
  /** As it is now; undefined: there is none. */
  data: DocumentData | undefined;
  /** Stored bytes of the change with its path; undefined: it is not changed. */
  changedBytes: number | undefined;
  isRelied: boolean;
}

/**
 * Documents that are read, changed together and written together: every change is written on the condition that its
 * document is still as it was read.
 */
export class Workspace {
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  constructor(
    private readonly store: DocumentStore,
    private readonly deadline: Deadline,
  ) {}

  /** Reads what is not read yet. */
  async load(paths: readonly string[]): Promise<void> {
    const missing = [...new Set(paths)].filter((path) => !this.entries.has(path));
    if (missing.length === 0) return;
    const found = await this.store.getAll(missing, this.deadline);
    this.adopt(found);
    this.assumeAbsent(missing);
  }

  /** Takes documents that are not read yet as absent; if they are not, what is written is in conflict. */
  assumeAbsent(paths: readonly string[]): void {
    for (const path of paths) this.enter(path, undefined);
  }

  /** Takes documents that a query found as read. */
  adopt(documents: readonly StoredDocument[]): void {
    for (const document of documents) this.enter(document.path, document);
  }

  /**
   * Drops documents that are read but not changed here, so that they are read again. @returns whether there were any
   */
  forget(paths: Iterable<string>): boolean {
    let isAny = false;
    for (const path of paths) {
      const entry = this.entries.get(path);
      if (entry?.changedBytes === undefined) isAny = this.entries.delete(path) || isAny;
    }
    return isAny;
  }

  /**
   * The document as it is now in this workspace, undefined when there is none. @throws Error when it was not loaded.
   */
  get(path: string): DocumentData | undefined {
    return this.entryOf(path).data;
  }

  isLoaded(path: string): boolean {
    return this.entries.has(path);
  }

  /** When the document, as it is now in this workspace, was true; undefined when there is none. */
  asOf(path: string): Date | undefined {
    const { data, stored } = this.entryOf(path);
    return data && (stampedTime(data) ?? (stored && asOf(stored)));
  }

  /** Makes the commit depend on a loaded document, changed or not. */
  rely(path: string): void {
    this.entryOf(path).isRelied = true;
  }

  /**
   * Changes a loaded document; undefined removes it. `bytes`: those that it takes in the database, where they are
   * known.
   */
  put(path: string, data: DocumentData | undefined, bytes = documentBytes(data ?? {})): void {
    const entry = this.entryOf(path);
    const changedBytes = path.length + bytes;
    this.bytes += changedBytes - (entry.changedBytes ?? 0);
    entry.data = data;
    entry.changedBytes = changedBytes;
  }

  /** Paths of what is to be written. */
  changedPaths(): string[] {
    return [...this.entries].flatMap(([path, { changedBytes }]) => (changedBytes === undefined ? [] : [path]));
  }

  /** Stored bytes of what is to be written, with its paths. */
  changedBytes(): number {
    return this.bytes;
  }

  /** Whether a large record is to be written. */
  holdsLarge(): boolean {
    return [...this.entries.values()].some(({ changedBytes }) => isLarge(changedBytes ?? 0));
  }

  /** The writes of all changes, for one commit, with a check of what they rely on. */
  toWrites(): DocumentWrite[] {
    const writes: DocumentWrite[] = [];
    for (const [path, { stored, data, changedBytes, isRelied }] of this.entries) {
      const isChanged = changedBytes !== undefined && (data !== undefined || stored !== undefined);
      // A check is a write that changes nothing: Firestore has no other.
      if (!isChanged && !isRelied) continue;
      if (data !== undefined) writes.push({ set: path, data, when: stored?.version ?? 'absent' });
      else writes.push({ delete: path, when: stored?.version ?? 'absent' });
    }
    return writes;
  }

  private enter(path: string, stored: StoredDocument | undefined): void {
    if (this.entries.has(path)) return;
    this.entries.set(path, { stored, data: stored?.data, changedBytes: undefined, isRelied: false });
  }

  private entryOf(path: string): Entry {
    const entry = this.entries.get(path);
    if (!entry) throw new Error('A document was used before it was loaded.');
    return entry;
  }
}
