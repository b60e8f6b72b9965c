/**
 * The database as the service sees it: documents by path, written under preconditions. It is implemented by Firestore
 * (`adapters/firestore`) and by memory (`test/support`). Both pass the same contract tests
 * (`test/contract/document-store`).
 *
 * Every write except `increment` is idempotent by its content and precondition. The adapter therefore repeats a call
 * whose answer was lost, until the deadline. A write whose failure reaches the caller may have been applied.
 * `RequestInvalid` is the exception: it was not applied, and never will be.
 */
import type { Deadline } from '../platform/deadline';
import type { DocumentData } from '../domain/records/document';
import { RetryLater } from '../platform/retry-later';

/**
 * When a document was last changed, to the microsecond. Each change of a document gives it another version. A write
 * that changes no value keeps the version, which is why every upsert gives its records a new revision (`newRevision`).
 */
export interface Version {
  readonly seconds: number;
  readonly nanos: number;
}

/** The time of a version, to the millisecond. */
export function versionTime({ seconds, nanos }: Version): Date {
  return new Date(seconds * 1000 + Math.floor(nanos / 1_000_000));
}

/** Whether version `a` was committed before version `b`. */
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
  /** When the document was created. Writes keep it; a document that is deleted and created again gets a new one. */
  readonly created: Version;
}

/** A stored document without its data. */
export type DocumentRef = Pick<StoredDocument, 'path' | 'version'>;

/** The result of a bounded read. */
export interface SomeDocuments {
  readonly documents: StoredDocument[];
  /** Paths that were not read, in the order of the request. Empty: all were read. */
  readonly unread: readonly string[];
}

/** A write precondition on the stored document: absent, present, or present in exactly this version. */
export type Condition = 'absent' | 'present' | Version;

/** Whether a document meets a write precondition. @param stored undefined: there is no document */
export function meets(stored: DocumentRef | undefined, condition: Condition | undefined): boolean {
  if (condition === undefined) return true;
  if (condition === 'absent') return stored === undefined;
  if (condition === 'present') return stored !== undefined;
  return stored !== undefined && isSameVersion(stored.version, condition);
}

export type DocumentChange =
  /** Replaces the whole document. With `fields`, replaces only these fields and removes those that `data` lacks. */
  | {
      readonly set: string;
      readonly data: DocumentData;
      /** Stored bytes of `data`. Omitted: the adapter counts them. */
      readonly bytes?: number;
      readonly fields?: readonly string[];
      /** The fields that the database sets to its own time of the write, to the millisecond. */
      readonly writtenAt?: readonly string[];
      readonly when?: Condition;
    }
  | { readonly delete: string; readonly when?: Condition };

/**
 * Makes the changes of the same commit fail unless the document is still as it was read. It writes nothing. The
 * document is read in one transaction with the changes, so many commits may check one document at once without
 * contention.
 */
export interface DocumentCheck {
  readonly check: string;
  readonly when: 'absent' | Version;
}

export type DocumentWrite = DocumentChange | DocumentCheck;

export function isCheck(write: DocumentWrite): write is DocumentCheck {
  return 'check' in write;
}

/** A field and its value. */
export interface FieldValue {
  readonly field: string;
  readonly value: string;
}

/** Values of one query: QUERY_VALUES at most. */
export type QueryValues = readonly string[];

/** The database ended the transaction, or its answers came too late. The whole transaction must be repeated. */
export class TransactionLost extends RetryLater {
  override readonly name = 'TransactionLost';
}

/**
 * Reads whose results hold until the commit: nobody changes the documents that they found, or adds matching ones. The
 * caller must end a transaction that it began, because others wait for its locks. Reads throw `TransactionLost`.
 */
export interface Transaction extends Pick<DocumentStore, 'get' | 'getAll' | 'findWhere'> {
  /**
   * Applies all changes or none.
   *
   * `conflict`: a precondition did not hold, a document that was read has changed, or the answer was lost. In the last
   * case the changes may have been applied. A second commit, or one after `end`, is always in conflict.
   */
  commit(changes: readonly DocumentChange[], deadline: Deadline): Promise<CommitOutcome>;
  /** Must be called in the end, whatever the outcome. Never rejects. */
  end(): Promise<void>;
}

export function isChange(write: DocumentWrite): write is DocumentChange {
  return !isCheck(write);
}

/** The path of the document that a write changes or checks. */
export function writtenPath(write: DocumentWrite): string {
  if ('set' in write) return write.set;
  return 'delete' in write ? write.delete : write.check;
}

/** `conflict`: the precondition did not hold, and nothing was written. */
export type WriteOutcome = 'written' | 'conflict';
export type CommitOutcome = Version | 'conflict';

/** The database will never accept the call: a document or a value is too large, or a name is invalid. */
export class RequestInvalid extends Error {
  override readonly name = 'RequestInvalid';
}

/** Whole numbers by the names of their fields. */
export type Amounts<Field extends string> = Readonly<Record<Field, number>>;

export interface Page {
  /** Maximum number of documents. */
  readonly limit: number;
  /** Path of the last document of the previous page. Omitted: the first page. */
  readonly after?: string;
}

/** A page of a part of a collection. */
export interface PageBefore extends Page {
  /** Only documents whose path comes before this one. Omitted: up to the last one. */
  readonly before?: string;
}

export interface DocumentStore {
  get(path: string, deadline: Deadline): Promise<StoredDocument | undefined>;
  /** Reads documents by path. The result has any order, and leaves out missing documents. */
  getAll(paths: readonly string[], deadline: Deadline): Promise<StoredDocument[]>;
  /**
   * Like `getAll`, but stops once the received documents take `maxBytes` or more: at most `maxBytes` and one document.
   * It returns at least one document unless all are missing, so repeating it with the unread paths terminates. Where
   * everything fits, it costs as much as `getAll`.
   */
  getSome(paths: readonly string[], maxBytes: number, deadline: Deadline): Promise<SomeDocuments>;
  /**
   * Applies all writes, or none if a precondition or a check does not hold.
   * @returns the version of the document that the last write sets. All changed documents have the same version
   */
  commit(writes: readonly DocumentWrite[], deadline: Deadline): Promise<CommitOutcome>;
  /** Begins a transaction of reads and one final commit. */
  begin(deadline: Deadline): Promise<Transaction>;
  /** Applies writes to different documents, each on its own. The outcomes are in the order of the writes. */
  writeEach(writes: readonly DocumentChange[], deadline: Deadline): Promise<WriteOutcome[]>;
  /**
   * Sets `data` and adds the amounts to their fields; creates the document if it is absent. Tried only once, for at
   * most `timeoutMs`, because a repeat would count twice.
   * @returns the new values of these fields
   */
  increment<Field extends string>(
    path: string,
    data: DocumentData,
    amounts: Amounts<Field>,
    timeoutMs: number,
  ): Promise<Amounts<Field>>;
  /** A page of a collection, in the order of document ids. */
  list(collection: string, page: Page, deadline: Deadline): Promise<StoredDocument[]>;
  /** Like `list`, without data: a page takes little memory, however large the documents are. */
  listRefs(collection: string, page: PageBefore, deadline: Deadline): Promise<DocumentRef[]>;
  /** A page of all collections with this id, at any depth, in the order of paths. */
  listGroup(collectionId: string, page: Page, deadline: Deadline): Promise<StoredDocument[]>;
  /**
   * A page of all documents below a document, in the order of paths and without data: a page takes little memory,
   * however large the documents are. Includes documents at any depth, and those below missing documents.
   */
  listBelow(document: string, page: Page, deadline: Deadline): Promise<DocumentRef[]>;
  /** A page of the documents whose field has this value, or one of these values, in the order of document ids. */
  findWhere(
    collection: string,
    field: string,
    value: string | QueryValues,
    page: Page,
    deadline: Deadline,
  ): Promise<StoredDocument[]>;
  /** Like `findWhere`, in descending order of document ids. */
  findLastWhere(
    collection: string,
    field: string,
    value: string | QueryValues,
    page: Page,
    deadline: Deadline,
  ): Promise<StoredDocument[]>;
  /** The number of documents of a collection. @param where only those whose field has this value */
  count(collection: string, deadline: Deadline, where?: FieldValue): Promise<number>;
  /**
   * All documents of a collection, in the order of document ids, read as they are taken: memory does not grow with
   * their number. It is one query, however many they are; one that breaks off goes on behind the last document.
   * @param deadlineOfStep of the next document, with the retries until it is read
   */
  stream(collection: string, deadlineOfStep: () => Deadline): AsyncIterable<StoredDocument>;
}

/** The calls that change nothing. */
export type DocumentReads = Omit<DocumentStore, 'commit' | 'begin' | 'writeEach' | 'increment'>;
