import type { Deadline } from '../platform/deadline';
import type { DocumentStore, DocumentWrite, StoredDocument, Version } from '../documents/document-store';
import type { DocumentData } from '../domain/records/document';
import { versionTime } from '../documents/document-store';
import { documentBytes } from '../domain/records/document';
import { documentPathOf, isPart } from '../documents/paths';
import { joinDocument, splitDocument } from './kept-tombstones';
import { isLarge } from './large-records';
import { asOf, revisionTime } from './record-documents';

/** A loaded document and its change. The tombstone of a record may be a part of it (`kept-tombstones`). */
interface Entry {
  /** The version that was read; undefined: there was no document. */
  readonly version: Version | undefined;
  /** The document as it was read, without the tombstone; undefined: there was none. */
  stored: StoredDocument | undefined;
  /** The document as it is now, without the tombstone; undefined: there is none, or it is deferred. */
  data: DocumentData | undefined;
  /** The tombstone in the document as it is now. */
  tombstone: DocumentData | undefined;
  /** Builds the document as it is now, where that is deferred. */
  deferred: DeferredDocument | undefined;
  /** Stored bytes of the change, with its path; undefined: the document is not changed. */
  changedBytes: number | undefined;
  /** Whether the commit requires that the document is unchanged. */
  isRequired: boolean;
  /** The removal of a document that was not read. */
  readonly unreadRemoval?: DocumentWrite;
}

/** A document that is built only when it is needed. One that is merged many times is so built once. */
export interface DeferredDocument {
  readonly toData: () => DocumentData;
  /** When the document was true. */
  readonly asOf: Date | undefined;
  /** Stored bytes. */
  readonly bytes: number;
}

/** The content of a document that was released. */
const RELEASED: DocumentData = Object.freeze({});

/** A document as it was read and as it is now; undefined: there was, or is, none. */
export interface DocumentChanges {
  readonly path: string;
  /** `released`: its content is not kept. */
  readonly before: DocumentData | 'released' | undefined;
  readonly after: DocumentData | undefined;
}

/**
 * Documents that are read, changed and written together. The write precondition of every change is that its document is
 * still as it was read. A path may name a tombstone that is a part of a document (`tombstonePath`). It is read, checked
 * and written with its document, and may be changed only where the document holds no record in the end.
 */
export class Workspace {
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;
  /** The documents that were changed since the savepoint, as they were at it; undefined: there is no savepoint. */
  private savepoint: Map<string, Pick<Entry, 'data' | 'deferred' | 'tombstone' | 'changedBytes'>> | undefined;

  constructor(
    private readonly store: DocumentStore,
    /** Deadline of all reads. */
    private readonly deadline: Deadline,
  ) {}

  /** Sets the savepoint that later changes can be rolled back to. */
  setSavepoint(): void {
    this.savepoint = new Map();
  }

  /** Keeps the changes since the savepoint. */
  dropSavepoint(): void {
    this.savepoint = undefined;
  }

  /** Reverts all changes since the savepoint. What was read stays loaded, and what is required unchanged stays so. */
  rollBackToSavepoint(): void {
    for (const [path, { data, deferred, tombstone, changedBytes }] of this.savepoint ?? []) {
      const entry = this.entryOf(path);
      const unchangedBytes = entry.isRequired ? checkBytes(path) : 0;
      this.bytes += (changedBytes ?? unchangedBytes) - (entry.changedBytes ?? unchangedBytes);
      Object.assign(entry, { data, deferred, tombstone, changedBytes });
    }
    this.savepoint = undefined;
  }

  /** Reads the documents that are not loaded yet. */
  async load(paths: readonly string[]): Promise<void> {
    const missing = this.unloaded(paths);
    if (missing.length === 0) return;
    const found = await this.store.getAll(missing, this.deadline);
    this.addRead(found);
    this.assumeAbsent(missing);
  }

  /**
   * Reads documents that are not loaded yet, until they take `maxBytes`: at least one. The others stay unloaded.
   * @returns the bytes that were read
   */
  async loadSome(paths: readonly string[], maxBytes: number): Promise<number> {
    const missing = this.unloaded(paths);
    if (missing.length === 0) return 0;
    const { documents, unread } = await this.store.getSome(missing, maxBytes, this.deadline);
    this.addRead(documents);
    const isUnread = new Set(unread);
    this.assumeAbsent(missing.filter((path) => !isUnread.has(path)));
    return documents.reduce((sum, { data }) => sum + documentBytes(data), 0);
  }

  /** Treats documents that are not loaded as absent. If one is present, its write will be in conflict. */
  assumeAbsent(paths: readonly string[]): void {
    for (const path of paths) this.addEntry(documentPathOf(path), undefined);
  }

  /** Adds documents that were read elsewhere, such as by a query. */
  addRead(documents: readonly StoredDocument[]): void {
    for (const document of documents) this.addEntry(document.path, document);
  }

  /**
   * Unloads documents that are neither changed nor required unchanged, so that they are read again.
   * @returns whether there were any
   */
  dropUnchanged(paths: Iterable<string>): boolean {
    let isAny = false;
    for (const path of [...paths].map(documentPathOf)) {
      const entry = this.entries.get(path);
      if (entry?.changedBytes === undefined && entry?.isRequired !== true) isAny = this.entries.delete(path) || isAny;
    }
    return isAny;
  }

  /** Frees the content of a loaded document, unless it is changed. */
  release(path: string): void {
    const entry = this.entryOf(path);
    if (!entry.stored || entry.changedBytes !== undefined) return;
    entry.stored = { ...entry.stored, data: RELEASED };
    entry.data = undefined;
  }

  /** The document as it is now in this workspace; undefined: there is none. @throws Error if it was not loaded */
  get(path: string): DocumentData | undefined {
    const entry = this.entryOf(path);
    if (isPart(path)) return entry.tombstone;
    if (entry.deferred) entry.data ??= entry.deferred.toData();
    return entry.data;
  }

  /** Whether there is a document now in this workspace. @throws Error if it was not loaded */
  has(path: string): boolean {
    const { data, deferred, tombstone } = this.entryOf(path);
    return isPart(path) ? tombstone !== undefined : data !== undefined || deferred !== undefined;
  }

  /** Whether a document was found, also one that holds a tombstone alone. @throws Error if it was not loaded */
  wasFound(path: string): boolean {
    return this.entryOf(path).version !== undefined;
  }

  isLoaded(path: string): boolean {
    return this.entries.has(documentPathOf(path));
  }

  /** When the document, as it is now in this workspace, was true; undefined: there is none. */
  asOf(path: string): Date | undefined {
    const { data, stored, deferred } = this.entryOf(path);
    if (deferred) return deferred.asOf;
    return data && (revisionTime(data) ?? (stored && asOf(stored)));
  }

  /** The document as it was read, without the tombstone in it; undefined: there was none. */
  asRead(path: string): StoredDocument | undefined {
    return this.entryOf(path).stored;
  }

  /** When the document, as it was read, was last written; undefined: there was none. */
  writtenAt(path: string): Date | undefined {
    const { stored } = this.entryOf(path);
    return stored && versionTime(stored.version);
  }

  /** Makes the commit fail if a loaded document, changed or not, is no longer as it was read. */
  requireUnchanged(path: string): void {
    const entry = this.entryOf(path);
    if (!entry.isRequired && entry.changedBytes === undefined) this.bytes += checkBytes(documentPathOf(path));
    entry.isRequired = true;
  }

  /**
   * Changes a loaded document.
   * @param data undefined: removes the document
   * @param bytes stored bytes of `data`, if they are known already
   */
  put(path: string, data: DocumentData | undefined, bytes = documentBytes(data ?? {})): void {
    if (isPart(path)) this.changeTombstone(documentPathOf(path), data, bytes);
    else this.change(path, data, undefined, bytes);
  }

  /** Removes a document without reading it, if it is still in this version. */
  removeUnread(path: string, when: Version): void {
    const changedBytes = path.length;
    this.bytes += changedBytes;
    this.entries.set(path, { ...toEntry(undefined), changedBytes, unreadRemoval: { delete: path, when } });
  }

  /** Changes a loaded document to one that is built when it is needed. */
  putDeferred(path: string, deferred: DeferredDocument): void {
    this.change(path, undefined, deferred, deferred.bytes);
  }

  private change(
    path: string,
    data: DocumentData | undefined,
    deferred: DeferredDocument | undefined,
    bytes: number,
  ): void {
    const entry = this.entryToChange(path, path.length + bytes + tombstoneBytes(this.entryOf(path)));
    entry.data = data;
    entry.deferred = deferred;
  }

  private changeTombstone(path: string, tombstone: DocumentData | undefined, bytes: number): void {
    const before = this.entryOf(path);
    const others = before.changedBytes === undefined ? path.length : before.changedBytes - tombstoneBytes(before);
    this.entryToChange(path, others + bytes).tombstone = tombstone;
  }

  /** The entry of a document whose change takes these bytes now. */
  private entryToChange(path: string, changedBytes: number): Entry {
    const entry = this.entryOf(path);
    if (this.savepoint && !this.savepoint.has(path)) this.savepoint.set(path, { ...entry });
    this.bytes += changedBytes - (entry.changedBytes ?? (entry.isRequired ? checkBytes(path) : 0));
    entry.changedBytes = changedBytes;
    return entry;
  }

  /** All changed documents that were read, or are written. */
  *changes(): Generator<DocumentChanges> {
    for (const [path, { stored, changedBytes }] of this.entries) {
      if (changedBytes === undefined) continue;
      const before = stored?.data === RELEASED ? 'released' : stored?.data;
      yield { path, before, after: this.get(path) };
    }
  }

  /** Paths of all changed documents. */
  changedPaths(): string[] {
    return [...this.entries].flatMap(([path, { changedBytes }]) => (changedBytes === undefined ? [] : [path]));
  }

  /** Stored bytes of the change of one document, with its path; 0: it is not changed. */
  bytesAt(path: string): number {
    return this.entryOf(path).changedBytes ?? 0;
  }

  /** Stored bytes of all changes, with their paths, and of the checks. */
  changedBytes(): number {
    return this.bytes;
  }

  /** Whether a large record is to be written. */
  hasLargeChange(): boolean {
    return [...this.entries.values()].some(({ changedBytes }) => isLarge(changedBytes ?? 0));
  }

  /**
   * The changes and checks for one commit.
   * @param paths of the documents to include; omitted: all
   */
  toWrites(paths: Iterable<string> = this.entries.keys()): DocumentWrite[] {
    const writes: DocumentWrite[] = [];
    for (const path of paths) {
      const { version, tombstone, changedBytes, isRequired, unreadRemoval } = this.entryOf(path);
      if (unreadRemoval) {
        writes.push(unreadRemoval);
        continue;
      }
      const when = version ?? 'absent';
      const data = changedBytes === undefined ? undefined : joinDocument({ record: this.get(path), tombstone });
      if (data !== undefined) writes.push({ set: path, data, when });
      else if (changedBytes !== undefined && version !== undefined) writes.push({ delete: path, when });
      else if (isRequired) writes.push({ check: path, when });
    }
    return writes;
  }

  private addEntry(path: string, stored: StoredDocument | undefined): void {
    if (this.entries.has(path)) return;
    this.entries.set(path, toEntry(stored));
  }

  /** The documents at these paths that are not loaded yet. */
  private unloaded(paths: readonly string[]): string[] {
    return [...new Set(paths.map(documentPathOf))].filter((path) => !this.entries.has(path));
  }

  private entryOf(path: string): Entry {
    const entry = this.entries.get(documentPathOf(path));
    if (!entry) throw new Error('A document was used before it was loaded.');
    return entry;
  }
}

/** The entry of a document as it was read. */
function toEntry(read: StoredDocument | undefined): Entry {
  const { record, tombstone } = splitDocument(read?.data);
  const stored = read && record && record !== read.data ? { ...read, data: record } : read;
  return {
    version: read?.version,
    stored: record ? stored : undefined,
    data: record,
    tombstone,
    deferred: undefined,
    changedBytes: undefined,
    isRequired: false,
  };
}

/** Bytes of the tombstone in a changed document. */
function tombstoneBytes({ tombstone }: Entry): number {
  return tombstone ? documentBytes(tombstone) : 0;
}

/** Bytes that a check takes in a commit. */
function checkBytes(path: string): number {
  return path.length + documentBytes({});
}
