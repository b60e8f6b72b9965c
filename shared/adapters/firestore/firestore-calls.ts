/**
 * The calls of Firestore on which the document store is built. Two clients implement them: `grpc/` for the functions
 * and the local stack, and the SDK (`sdk/`) for operators of a real project. Both have the same effects and answers
 * (test/contract/document-store).
 *
 * Each call makes one attempt, of at most `timeoutMs`. It rejects with an error whose `code` is the gRPC status.
 */
import type {
  DocumentChange,
  FieldValue,
  QueryValues,
  SomeDocuments,
  StoredDocument,
  Version,
} from '../../documents/document-store';
import type { DocumentData } from '../../domain/records/document';

/** A field and the whole number that is added to it. */
export type Addition = readonly [field: string, amount: number];

export interface FirestoreCalls {
  /**
   * Reads documents by path, in any order; missing documents are left out. Ends early when the bound is reached. A call
   * that fails takes the bytes it counted off the bound again.
   * @param transaction in which it reads
   */
  batchGet(
    paths: readonly string[],
    bound: ReceiveBound,
    timeoutMs: number,
    transaction?: Uint8Array,
  ): Promise<SomeDocuments>;
  /**
   * Applies all writes or none. Resolves with the update time of the last write that is no deletion; without such a
   * write, with the commit time.
   * @param transaction that this commits; it fails when a document that the transaction read was written since
   */
  commit(writes: readonly DocumentChange[], timeoutMs: number, transaction?: Uint8Array): Promise<Version>;
  /**
   * Begins a transaction for reading and writing, and resolves with its name. The transaction locks nothing until it
   * reads. It ends with its commit or with `rollback`.
   */
  beginTransaction(timeoutMs: number): Promise<Uint8Array>;
  /** Reads the versions of documents in a transaction, by path; missing documents are left out. */
  getVersions(
    paths: readonly string[],
    timeoutMs: number,
    transaction: Uint8Array,
  ): Promise<ReadonlyMap<string, Version>>;
  /** Ends a transaction without a commit, and releases its locks. */
  rollback(transaction: Uint8Array, timeoutMs: number): Promise<void>;
  /** Applies each write independently. The statuses are in the order of the writes. */
  batchWrite(writes: readonly DocumentChange[], timeoutMs: number): Promise<WriteStatus[]>;
  /** Sets `data` and adds to fields; returns their new values, in the same order. A repeat counts again. */
  increment(path: string, data: DocumentData, additions: readonly Addition[], timeoutMs: number): Promise<number[]>;
  /** @param transaction in which it reads */
  runQuery(query: DocumentQuery, timeoutMs: number, transaction?: Uint8Array): Promise<StoredDocument[]>;
  /** Like `runQuery`, one document at a time: no more is received than is taken. Whoever stops taking ends the call. */
  streamQuery(query: DocumentQuery, timeoutMs: number): AsyncIterable<StoredDocument>;
  /** Counts the documents of a collection. @param where only those whose field has this value */
  count(collection: string, timeoutMs: number, where?: FieldValue): Promise<number>;
  close(): Promise<void>;
}

/** Counts the bytes of the documents that parallel calls receive. It is reached at `maxBytes` or more. */
export class ReceiveBound {
  private received = 0;

  constructor(private readonly maxBytes: number) {}

  get isReached(): boolean {
    return this.received >= this.maxBytes;
  }

  add(bytes: number): void {
    this.received += bytes;
  }
}

/** The paths of a read that ended early for which no answer arrived, neither found nor missing. */
export function unreadPaths(paths: readonly string[], found: readonly StoredDocument[], missing: readonly string[]) {
  const read = new Set([...found.map(({ path }) => path), ...missing]);
  return paths.filter((path) => !read.has(path));
}

/** The gRPC status of one write of a batch; 0 when it was applied. */
export interface WriteStatus {
  readonly code: number;
  readonly message: string;
}

/** A query for documents in the order of their paths, or in the opposite order. */
export interface DocumentQuery {
  /** Path of the document above the collection; empty: the root of the database. */
  readonly parent: string;
  /** Absent: all collections. */
  readonly collectionId?: string;
  /** Collections below the parent at any depth. */
  readonly allDescendants?: true;
  /** Documents come without their data. */
  readonly refsOnly?: true;
  /** Only documents whose field has exactly this value, or one of these values. */
  readonly where?: { readonly field: string; readonly value: string | QueryValues };
  /** In descending order of the paths. */
  readonly lastFirst?: true;
  /** Only documents that come after this path, in the order of the query. */
  readonly after?: string;
  /** Only documents that come before this path, in the order of the query. */
  readonly before?: string;
  /** Absent: all. */
  readonly limit?: number;
}

/** Splits a collection's path into the two parts by which a query names it. */
export function splitCollection(collection: string): Required<Pick<DocumentQuery, 'parent' | 'collectionId'>> {
  const slash = collection.lastIndexOf('/');
  return { parent: collection.slice(0, Math.max(0, slash)), collectionId: collection.slice(slash + 1) };
}
