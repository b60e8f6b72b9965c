/**
 * The database as the service sees it: documents by path, written under conditions. Firestore is one
 * (`adapters/firestore`), memory another (`test/support`); both hold the same contract (test/contract/document-store).
 *
 * Every write here but `increment` is idempotent by its content and condition, so that a call whose answer was lost is
 * repeated inside the adapter until the deadline. A failure that reaches the caller may or may not have been applied;
 * `RequestInvalid` tells that it was not, and never will be.
 */
import type { Deadline } from '../platform/deadline';
import type { DocumentData } from '../domain/records/document';
import { RetryLater } from '../platform/retry-later';

/**
 * When a document was last changed, exact to the microsecond; no two changes of one document share it. A write that
 * changes no value keeps the version: that is why records have a revision (`newRevision`), another one for each upsert.
 */
export interface Version {
  readonly seconds: number;
  readonly nanos: number;
}

/** The time of a version, to the millisecond. */
export function versionTime({ seconds, nanos }: Version): Date {
  return new Date(seconds * 1000 + Math.floor(nanos / 1_000_000));
}

/** Whether the commit of one version came before that of another. */
export function isEarlier(a: Version, b: Version): boolean {
  return a.seconds < b.seconds || (a.seconds === b.seconds && a.nanos < b.nanos);
}

export function isSameVersion(a: Version, b: Version): boolean {
  return a.seconds === b.seconds && a.nanos === b.nanos;
}

export interface StoredDocument {
  /** `tenants/…/customers/…`. */
  readonly path: string;
  readonly data: DocumentData;
  readonly version: Version;
  /** When it was made: writes keep it, but a document that is deleted and written anew has another one. */
  readonly created: Version;
}

/** A stored document without its data. */
export type DocumentRef = Pick<StoredDocument, 'path' | 'version'>;

/** What a bounded read found, and what it did not get to. */
export interface SomeDocuments {
  readonly documents: StoredDocument[];
  /** Paths that were not looked at, in the order in which they were asked for; empty: all were. */
  readonly unread: readonly string[];
}

/** What must hold for the stored document: absent, present, or present in exactly this version. */
export type Condition = 'absent' | 'present' | Version;

export type DocumentChange =
  /** Replaces the whole document or, with `fields`, only these (one that `data` lacks is removed). */
  | {
      readonly set: string;
      readonly data: DocumentData;
      /** Stored bytes of `data`, where they were counted. */
      readonly bytes?: number;
      readonly fields?: readonly string[];
      /** A field that is set to the time of the database at which it is written, to the millisecond. */
      readonly writtenAt?: string;
      readonly when?: Condition;
    }
  | { readonly delete: string; readonly when?: Condition };

/**
 * Writes nothing, but has the changes beside it fail unless the document is as it was read. It is read in a transaction
 * with them: any number of commits may check one document at once, and none of them makes it a hot one.
 */
export interface DocumentCheck {
  readonly check: string;
  readonly when: 'absent' | Version;
}

export type DocumentWrite = DocumentChange | DocumentCheck;

export function isCheck(write: DocumentWrite): write is DocumentCheck {
  return 'check' in write;
}

/** Values of one query: QUERY_VALUES at most. */
export type QueryValues = readonly string[];

/** A transaction was ended by the database, or its answers came too late: all of it is to be done again. */
export class TransactionLost extends RetryLater {
  override readonly name = 'TransactionLost';
}

/**
 * Reads that are still true when what follows from them is committed: nobody changes what they found, nor adds to it.
 * Whoever begins one ends it, so that nobody waits for its locks. Its reads throw TransactionLost.
 */
export interface Transaction extends Pick<DocumentStore, 'get' | 'findWhere'> {
  /**
   * Applies all changes or none. `conflict`: a condition did not hold, what was read has changed, or nobody knows, as
   * the answer was lost: the changes may have been applied. Once at most: a second one, or one after the end, is in
   * conflict.
   */
  commit(changes: readonly DocumentChange[], deadline: Deadline): Promise<CommitOutcome>;
  /** To be called at last, whatever became of it. Never rejects. */
  end(deadline: Deadline): Promise<void>;
}

export function isChange(write: DocumentWrite): write is DocumentChange {
  return !isCheck(write);
}

/** The document that a write is about. */
export function writtenPath(write: DocumentWrite): string {
  if ('set' in write) return write.set;
  return 'delete' in write ? write.delete : write.check;
}

/** `conflict`: the condition did not hold, nothing was written. */
export type WriteOutcome = 'written' | 'conflict';
export type CommitOutcome = Version | 'conflict';

/** The database takes such a call at no time: a document or a value is too large for it, or a name is none. */
export class RequestInvalid extends Error {
  override readonly name = 'RequestInvalid';
}

export interface Page {
  /** Most documents of the page. */
  readonly limit: number;
  /** Path of the last document of the page before. */
  readonly after?: string;
}

export interface DocumentStore {
  get(path: string, deadline: Deadline): Promise<StoredDocument | undefined>;
  /** Reads by path, in any order; a missing document is left out. */
  getAll(paths: readonly string[], deadline: Deadline): Promise<StoredDocument[]>;
  /**
   * The same, but receives no more once the documents that arrived take `maxBytes` or more: at most `maxBytes` and one
   * document. It finds at least one document, unless all of them are missing. Whoever repeats it with what is unread
   * comes to an end. Where everything fits, it costs what `getAll` costs.
   */
  getSome(paths: readonly string[], maxBytes: number, deadline: Deadline): Promise<SomeDocuments>;
  /**
   * Applies all writes or none, none if a check does not hold. Resolves with the version that the document has now that
   * the last of them sets; all documents that they change have the same.
   */
  commit(writes: readonly DocumentWrite[], deadline: Deadline): Promise<CommitOutcome>;
  /** Begins a transaction of reads and, at last, one commit. */
  begin(deadline: Deadline): Promise<Transaction>;
  /** Applies writes to different documents, each on its own; the outcomes are in their order. */
  writeEach(writes: readonly DocumentChange[], deadline: Deadline): Promise<WriteOutcome[]>;
  /**
   * Sets `data` and adds 1 to `field`, creating the document, and returns the new count. Tried once, for `timeoutMs`: a
   * repeat would count twice.
   */
  increment(path: string, data: DocumentData, field: string, timeoutMs: number): Promise<number>;
  /** A page of a collection, in the order of document ids. */
  list(collection: string, page: Page, deadline: Deadline): Promise<StoredDocument[]>;
  /** The same, of which only where each is and its version: it takes little memory, whatever the documents hold. */
  listRefs(collection: string, page: Page, deadline: Deadline): Promise<DocumentRef[]>;
  /** A page of all collections of this id, wherever they are, in the order of paths. */
  listGroup(collectionId: string, page: Page, deadline: Deadline): Promise<StoredDocument[]>;
  /**
   * A page of everything that is stored below a document, at any depth and also below documents that are not there, in
   * the order of paths. Only where each is and its version: a page takes little memory, whatever the documents hold.
   */
  listBelow(document: string, page: Page, deadline: Deadline): Promise<DocumentRef[]>;
  /** A page of the documents of a collection whose field has this value, or one of these, in the order of their ids. */
  findWhere(
    collection: string,
    field: string,
    value: string | QueryValues,
    page: Page,
    deadline: Deadline,
  ): Promise<StoredDocument[]>;
  /** The same, page by page, from the last one on in the order of document ids. */
  findLastWhere(
    collection: string,
    field: string,
    value: string,
    page: Page,
    deadline: Deadline,
  ): Promise<StoredDocument[]>;
  count(collection: string, deadline: Deadline): Promise<number>;
}
