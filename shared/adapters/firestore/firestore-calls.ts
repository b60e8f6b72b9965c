/**
 * The calls of Firestore that the store is made of. Two clients make them, with the same effects and answers
 * (test/contract/document-store): `grpc/` for the functions, the SDK (`sdk/`) for the operator's command line.
 *
 * Each call is tried once, for `timeoutMs`. It rejects with an error whose `code` is the status of gRPC.
 */
import type {
  DocumentChange,
  QueryValues,
  SomeDocuments,
  StoredDocument,
  Version,
} from '../../documents/document-store';
import type { DocumentData } from '../../domain/records/document';

export interface FirestoreCalls {
  /**
   * Reads by path, in any order; a missing document is left out. Ends early when the bound is reached. What a call that
   * fails has counted is taken back. @param transaction in which it reads
   */
  batchGet(
    paths: readonly string[],
    bound: ReceiveBound,
    timeoutMs: number,
    transaction?: Uint8Array,
  ): Promise<SomeDocuments>;
  /**
   * Applies all writes or none. Resolves with the update time of the last one that is no deletion, else that of the
   * commit. @param transaction in which they are committed: it fails when a document that it has read was written since
   */
  commit(writes: readonly DocumentChange[], timeoutMs: number, transaction?: Uint8Array): Promise<Version>;
  /**
   * Begins a transaction for reading and writing, and resolves with its name. It locks nothing until it reads, and ends
   * with its commit, or with `rollback`.
   */
  beginTransaction(timeoutMs: number): Promise<Uint8Array>;
  /** Reads the versions of documents in a transaction, by path; a missing one is left out. */
  getVersions(
    paths: readonly string[],
    timeoutMs: number,
    transaction: Uint8Array,
  ): Promise<ReadonlyMap<string, Version>>;
  /** Ends a transaction that commits nothing, so that nobody waits for it. */
  rollback(transaction: Uint8Array, timeoutMs: number): Promise<void>;
  /** Applies each write on its own; the statuses are in their order. */
  batchWrite(writes: readonly DocumentChange[], timeoutMs: number): Promise<WriteStatus[]>;
  /** Sets `data` and adds 1 to `field`; returns the new count. Not to be repeated. */
  increment(path: string, data: DocumentData, field: string, timeoutMs: number): Promise<number>;
  /** @param transaction in which it reads */
  runQuery(query: DocumentQuery, timeoutMs: number, transaction?: Uint8Array): Promise<StoredDocument[]>;
  /** Counts the documents of a collection. */
  count(collection: string, timeoutMs: number): Promise<number>;
  close(): Promise<void>;
}

/** Counts the bytes of documents that calls side by side receive, until they are `maxBytes` or more. */
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

/** The paths of a read that ended early whose document did not arrive, neither as found nor as missing. */
export function unreadPaths(paths: readonly string[], found: readonly StoredDocument[], missing: readonly string[]) {
  const read = new Set([...found.map(({ path }) => path), ...missing]);
  return paths.filter((path) => !read.has(path));
}

/** How a write of a batch ended: the status of gRPC, 0 when it was applied. */
export interface WriteStatus {
  readonly code: number;
  readonly message: string;
}

/** Documents in the order of their paths, or in the opposite one. */
export interface DocumentQuery {
  /** Path of the document that the collection is below; empty: the database. */
  readonly parent: string;
  /** Absent: all collections. */
  readonly collectionId?: string;
  /** Collections below the parent at any depth. */
  readonly allDescendants?: true;
  /** Documents come without their data. */
  readonly refsOnly?: true;
  /** Only documents whose field has exactly this value, or one of these. */
  readonly where?: { readonly field: string; readonly value: string | QueryValues };
  /** From the last document on. */
  readonly lastFirst?: true;
  /** Only documents that come after this path, in the order of the query. */
  readonly after?: string;
  readonly limit: number;
}

/** A collection's path as a query names it. */
export function splitCollection(collection: string): Required<Pick<DocumentQuery, 'parent' | 'collectionId'>> {
  const slash = collection.lastIndexOf('/');
  return { parent: collection.slice(0, Math.max(0, slash)), collectionId: collection.slice(slash + 1) };
}
