import type { Deadline } from '../platform/deadline';
import type { DocumentStore, DocumentWrite, StoredDocument, Version } from '../documents/document-store';
import type { DocumentData } from '../domain/records/document';
import { versionTime } from '../documents/document-store';
import { documentBytes } from '../domain/records/document';
import { isLarge } from './large-records';
import { asOf, revisionTime } from './record-documents';

/** A document that was read, and what became of it. */
interface Entry {
  /** As it was read; undefined: there was none. */
  stored: StoredDocument | undefined;
  /** As it is now; undefined: there is none, or it is made later. */
  data: DocumentData | undefined;
  /** Makes the document as it is now, and tells when it was true. */
  later: DeferredDocument | undefined;
  /** Stored bytes of the change with its path; undefined: it is not changed. */
  changedBytes: number | undefined;
  isRelied: boolean;
  /** How it is removed, where it is not read. */
  readonly unread?: DocumentWrite;
}

/** A document that is made when it is needed: what is merged many times is put together once. */
export interface DeferredDocument {
  readonly toData: () => DocumentData;
  /** When the document was true. */
  readonly asOf: Date | undefined;
  /** Stored bytes. */
  readonly bytes: number;
}

/**
 * Documents that are read, changed together and written together: every change is written on the condition that its
 * document is still as it was read.
 */
export class Workspace {
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;
  /** Documents as they were at `begin`, of those that were changed since; undefined: no step can be taken back. */
  private before: Map<string, Pick<Entry, 'data' | 'later' | 'changedBytes'>> | undefined;

  constructor(
    private readonly store: DocumentStore,
    /** Of what is read for it. */
    private readonly deadline: Deadline,
  ) {}

  /** Makes the changes that come a step that can be taken back. */
  setSavepoint(): void {
    this.before = new Map();
  }

  /** Keeps the step. */
  dropSavepoint(): void {
    this.before = undefined;
  }

  /** Takes back all changes since `begin`. What was read stays, and what the commit relies on. */
  rollBackToSavepoint(): void {
    for (const [path, { data, later, changedBytes }] of this.before ?? []) {
      const entry = this.entryOf(path);
      const relied = entry.isRelied ? checkBytes(path) : 0;
      this.bytes += (changedBytes ?? relied) - (entry.changedBytes ?? relied);
      Object.assign(entry, { data, later, changedBytes });
    }
    this.before = undefined;
  }

  /** Reads what is not read yet. */
  async load(paths: readonly string[]): Promise<void> {
    const missing = [...new Set(paths)].filter((path) => !this.entries.has(path));
    if (missing.length === 0) return;
    const found = await this.store.getAll(missing, this.deadline);
    this.addRead(found);
    this.assumeAbsent(missing);
  }

  /**
   * Reads what is not read yet, up to about so many bytes; whatever they are, one document at least. What was not
   * reached stays unread.
   * @returns the bytes that were read
   */
  async loadSome(paths: readonly string[], maxBytes: number): Promise<number> {
    const missing = [...new Set(paths)].filter((path) => !this.entries.has(path));
    if (missing.length === 0) return 0;
    const { documents, unread } = await this.store.getSome(missing, maxBytes, this.deadline);
    this.addRead(documents);
    const left = new Set(unread);
    this.assumeAbsent(missing.filter((path) => !left.has(path)));
    return documents.reduce((sum, { data }) => sum + documentBytes(data), 0);
  }

  /** Takes documents that are not read yet as absent; if they are not, what is written is in conflict. */
  assumeAbsent(paths: readonly string[]): void {
    for (const path of paths) this.enter(path, undefined);
  }

  /** Takes documents that a query found as read. */
  addRead(documents: readonly StoredDocument[]): void {
    for (const document of documents) this.enter(document.path, document);
  }

  /**
   * Drops documents that are read but neither changed here nor relied on, so that they are read again.
   * @returns whether there were any
   */
  dropUnchanged(paths: Iterable<string>): boolean {
    let isAny = false;
    for (const path of paths) {
      const entry = this.entries.get(path);
      if (entry?.changedBytes === undefined && entry?.isRelied !== true) isAny = this.entries.delete(path) || isAny;
    }
    return isAny;
  }

  /** Lets the content of a document that is read and not changed go: its memory is for what comes next. */
  release(path: string): void {
    const entry = this.entryOf(path);
    if (!entry.stored || entry.changedBytes !== undefined) return;
    entry.stored = { ...entry.stored, data: {} };
    entry.data = undefined;
  }

  /**
   * The document as it is now in this workspace, undefined when there is none. @throws Error when it was not loaded.
   */
  get(path: string): DocumentData | undefined {
    const entry = this.entryOf(path);
    if (entry.later) entry.data ??= entry.later.toData();
    return entry.data;
  }

  /** Whether there is a document as it is now in this workspace. @throws Error when it was not loaded */
  has(path: string): boolean {
    const { data, later } = this.entryOf(path);
    return data !== undefined || later !== undefined;
  }

  isLoaded(path: string): boolean {
    return this.entries.has(path);
  }

  /** When the document, as it is now in this workspace, was true; undefined when there is none. */
  asOf(path: string): Date | undefined {
    const { data, stored, later } = this.entryOf(path);
    if (later) return later.asOf;
    return data && (revisionTime(data) ?? (stored && asOf(stored)));
  }

  /** When the document, as it was read, was last written; undefined when there was none. */
  writtenAt(path: string): Date | undefined {
    const { stored } = this.entryOf(path);
    return stored && versionTime(stored.version);
  }

  /** Makes the commit depend on a loaded document, changed or not. */
  requireUnchanged(path: string): void {
    const entry = this.entryOf(path);
    if (!entry.isRelied && entry.changedBytes === undefined) this.bytes += checkBytes(path);
    entry.isRelied = true;
  }

  /**
   * Changes a loaded document; undefined removes it. `bytes`: those that it takes in the database, where they are
   * known.
   */
  put(path: string, data: DocumentData | undefined, bytes = documentBytes(data ?? {})): void {
    this.change(path, data, undefined, bytes);
  }

  /** Removes a document that is not read, on the condition that it is still this version. */
  removeUnread(path: string, when: Version): void {
    const changedBytes = path.length;
    this.bytes += changedBytes;
    const entry = { stored: undefined, data: undefined, later: undefined, changedBytes, isRelied: false } as const;
    this.entries.set(path, { ...entry, unread: { delete: path, when } });
  }

  /** Changes a loaded document to one that is made when it is needed. */
  putDeferred(path: string, later: DeferredDocument): void {
    this.change(path, undefined, later, later.bytes);
  }

  private change(
    path: string,
    data: DocumentData | undefined,
    later: DeferredDocument | undefined,
    bytes: number,
  ): void {
    const entry = this.entryOf(path);
    if (this.before && !this.before.has(path)) this.before.set(path, { ...entry });
    const changedBytes = path.length + bytes;
    this.bytes += changedBytes - (entry.changedBytes ?? (entry.isRelied ? checkBytes(path) : 0));
    entry.data = data;
    entry.later = later;
    entry.changedBytes = changedBytes;
  }

  /** Paths of what is to be written. */
  changedPaths(): string[] {
    return [...this.entries].flatMap(([path, { changedBytes }]) => (changedBytes === undefined ? [] : [path]));
  }

  /** Stored bytes of what is to be written at one path. */
  bytesAt(path: string): number {
    return this.entryOf(path).changedBytes ?? 0;
  }

  /** Stored bytes of what is to be written, with its paths, and of the checks. */
  changedBytes(): number {
    return this.bytes;
  }

  /** Whether a large record is to be written. */
  hasLargeChange(): boolean {
    return [...this.entries.values()].some(({ changedBytes }) => isLarge(changedBytes ?? 0));
  }

  /**
   * The writes of all changes, for one commit, with a check of what they rely on.
   * @param paths of these documents only
   */
  toWrites(paths: Iterable<string> = this.entries.keys()): DocumentWrite[] {
    const writes: DocumentWrite[] = [];
    for (const path of paths) {
      const { stored, changedBytes, isRelied, unread } = this.entryOf(path);
      if (unread) {
        writes.push(unread);
        continue;
      }
      const data = this.get(path);
      const isChanged = changedBytes !== undefined && (data !== undefined || stored !== undefined);
      if (!isChanged && !isRelied) continue;
      const when = stored?.version ?? 'absent';
      if (!isChanged) writes.push({ check: path, when });
      else if (data === undefined) writes.push({ delete: path, when });
      else writes.push({ set: path, data, when });
    }
    return writes;
  }

  private enter(path: string, stored: StoredDocument | undefined): void {
    if (this.entries.has(path)) return;
    this.entries.set(path, { stored, data: stored?.data, later: undefined, changedBytes: undefined, isRelied: false });
  }

  private entryOf(path: string): Entry {
    const entry = this.entries.get(path);
    if (!entry) throw new Error('A document was used before it was loaded.');
    return entry;
  }
}

/** What a check takes in a commit. */
function checkBytes(path: string): number {
  return path.length + documentBytes({});
}
