import { chunksOf } from '../../platform/chunks';
import type { Deadline } from '../../platform/deadline';
import type {
  Amounts,
  CommitOutcome,
  DocumentChange,
  DocumentCheck,
  DocumentStore,
  DocumentWrite,
  FieldValue,
  Page,
  PageBefore,
  QueryValues,
  SomeDocuments,
  StoredDocument,
  DocumentRef,
  Transaction,
  Version,
  WriteOutcome,
} from '../../documents/document-store';
import { isChange, isCheck, isSameVersion } from '../../documents/document-store';
import type { DocumentData } from '../../domain/records/document';
import { documentBytes } from '../../domain/records/document';
import {
  BOUNDED_READS_AT_ONCE,
  READ_CHUNK_DOCUMENTS,
  WRITE_CALL_BYTES,
  WRITE_CALL_DOCUMENTS,
} from '../../limits/records';
import { STREAM_TIMEOUT_MS } from '../../limits/platform';
import { waitForAll } from '../../platform/async/in-parallel';
import type { RetryDependencies } from '../../platform/retry';
import { Status, withRetry } from '../../platform/retry';
import { isConflict, isTransactionEnded, isConflictStatus, toRequestInvalid } from './failures';
import type { DocumentQuery, FirestoreCalls } from './firestore-calls';
import { ReceiveBound, splitCollection } from './firestore-calls';
import { FirestoreTransaction } from './firestore-transaction';
import { rollBack } from './roll-back';

/** A call that reads single documents which were requested at the same moment. */
interface CombinedRead {
  /** Paths may be added until the call is sent. */
  readonly paths: Set<string>;
  readonly found: Promise<StoredDocument[]>;
}

/** `DocumentStore` on Firestore: splits calls to sizes that Firestore takes, interprets their statuses, and retries. */
export class FirestoreDocumentStore implements DocumentStore {
  /** Reads that are not sent yet, by the deadline of their documents. */
  private readonly combinedReads = new Map<Deadline, CombinedRead>();

  constructor(
    private readonly calls: FirestoreCalls,
    private readonly retry: RetryDependencies,
  ) {}

  async getAll(paths: readonly string[], deadline: Deadline): Promise<StoredDocument[]> {
    return (await this.getSome(paths, Infinity, deadline)).documents;
  }

  async getSome(paths: readonly string[], maxBytes: number, deadline: Deadline): Promise<SomeDocuments> {
    const [single] = paths;
    if (single !== undefined && paths.length === 1) {
      const document = await this.get(single, deadline); // no bound leaves it out
      return { documents: document ? [document] : [], unread: [] };
    }
    const bound = new ReceiveBound(maxBytes);
    const chunks = chunksOf(paths, READ_CHUNK_DOCUMENTS);
    // Without a bound all calls run at once. With a bound, the first paths come first, so the bound is used for them.
    const atOnce = maxBytes === Infinity ? chunks.length : BOUNDED_READS_AT_ONCE;
    const parts: SomeDocuments[] = [];
    for (const together of chunksOf(chunks, Math.max(1, atOnce))) {
      if (bound.isReached) parts.push({ documents: [], unread: together.flat() });
      else parts.push(...(await Promise.all(together.map((chunk) => this.getChunk(chunk, bound, deadline)))));
    }
    return { documents: parts.flatMap(({ documents }) => documents), unread: parts.flatMap(({ unread }) => unread) };
  }

  /** Documents that a request reads at the same moment, such as its key and its tenant, are one call. */
  async get(path: string, deadline: Deadline): Promise<StoredDocument | undefined> {
    const read = this.combinedReads.get(deadline) ?? this.beginCombinedRead(deadline);
    read.paths.add(path);
    return (await read.found).find((document) => document.path === path);
  }

  async commit(writes: readonly DocumentWrite[], deadline: Deadline): Promise<CommitOutcome> {
    try {
      const checks = writes.filter(isCheck);
      const changes = writes.filter(isChange);
      const attempt = (timeoutMs: number) =>
        checks.length === 0
          ? this.calls.commit(changes, timeoutMs)
          : this.commitChecked(checks, changes, timeoutMs, deadline);
      return await callWithRetry(attempt, deadline, this.retry);
    } catch (error) {
      if (isConflict(error)) return 'conflict';
      throw error;
    }
  }

  async begin(deadline: Deadline): Promise<Transaction> {
    const begin = (timeoutMs: number) => this.calls.beginTransaction(timeoutMs);
    return new FirestoreTransaction(this.calls, await callWithRetry(begin, deadline, this.retry), this.retry);
  }

  /**
   * Writes in parallel calls of a size that Firestore takes. Fails only after the last retry of every call: a caller
   * who sees the failure may write something newer, and no retry may come after that.
   */
  async writeEach(writes: readonly DocumentChange[], deadline: Deadline): Promise<WriteOutcome[]> {
    const outcomes = await waitForAll(splitIntoCalls(writes).map((call) => this.writeChunk(call, deadline)));
    return outcomes.flat();
  }

  async increment<Field extends string>(
    path: string,
    data: DocumentData,
    amounts: Amounts<Field>,
    timeoutMs: number,
  ): Promise<Amounts<Field>> {
    const additions = Object.entries<number>(amounts);
    const values = await this.calls.increment(path, data, additions, timeoutMs);
    if (values.length !== additions.length) throw new RangeError('An increment was answered without its results.');
    return Object.fromEntries(additions.map(([field], index) => [field, values[index]])) as Amounts<Field>;
  }

  list(collection: string, page: Page, deadline: Deadline): Promise<StoredDocument[]> {
    return this.query({ ...splitCollection(collection), ...page }, deadline);
  }

  listGroup(collectionId: string, page: Page, deadline: Deadline): Promise<StoredDocument[]> {
    return this.query({ parent: '', collectionId, allDescendants: true, ...page }, deadline);
  }

  listRefs(collection: string, page: PageBefore, deadline: Deadline): Promise<DocumentRef[]> {
    return this.queryRefs({ ...splitCollection(collection), ...page }, deadline);
  }

  listBelow(document: string, page: Page, deadline: Deadline): Promise<DocumentRef[]> {
    return this.queryRefs({ parent: document, allDescendants: true, ...page }, deadline);
  }

  findWhere(
    collection: string,
    field: string,
    value: string | QueryValues,
    page: Page,
    deadline: Deadline,
  ): Promise<StoredDocument[]> {
    return this.query({ ...splitCollection(collection), where: { field, value }, ...page }, deadline);
  }

  findLastWhere(
    collection: string,
    field: string,
    value: string | QueryValues,
    page: Page,
    deadline: Deadline,
  ): Promise<StoredDocument[]> {
    return this.query({ ...splitCollection(collection), where: { field, value }, lastFirst: true, ...page }, deadline);
  }

  count(collection: string, deadline: Deadline, where?: FieldValue): Promise<number> {
    return callWithRetry((timeoutMs) => this.calls.count(collection, timeoutMs, where), deadline, this.retry);
  }

  async *stream(collection: string, deadlineOfStep: () => Deadline): AsyncGenerator<StoredDocument> {
    const query: { answers: AsyncIterator<StoredDocument, unknown> | undefined } = { answers: undefined };
    let last: string | undefined;
    const next = async () => {
      const behind = { ...splitCollection(collection), ...(last !== undefined && { after: last }) };
      query.answers ??= this.calls.streamQuery(behind, STREAM_TIMEOUT_MS)[Symbol.asyncIterator]();
      try {
        return await query.answers.next();
      } catch (error) {
        query.answers = undefined; // the next attempt is another query, behind what was read
        throw error;
      }
    };
    try {
      for (;;) {
        const answer = await callWithRetry(next, deadlineOfStep(), this.retry);
        if (answer.done === true) return;
        last = answer.value.path;
        yield answer.value;
      }
    } finally {
      await query.answers?.return?.();
    }
  }

  close(): Promise<void> {
    return this.calls.close();
  }

  private async queryRefs(query: DocumentQuery, deadline: Deadline): Promise<DocumentRef[]> {
    const found = await this.query({ ...query, refsOnly: true }, deadline);
    return found.map(({ path, version }) => ({ path, version }));
  }

  private query(query: DocumentQuery, deadline: Deadline): Promise<StoredDocument[]> {
    return callWithRetry((timeoutMs) => this.calls.runQuery(query, timeoutMs), deadline, this.retry);
  }

  /**
   * Reads the checked documents in the transaction that commits the changes, so other writers of these documents have
   * to wait. A separate call begins the transaction before anything is locked. If the answer to a read is then late,
   * the transaction's name is known and it can be ended. Otherwise its locks would delay others until the database
   * times it out.
   */
  private async commitChecked(
    checks: readonly DocumentCheck[],
    changes: readonly DocumentChange[],
    timeoutMs: number,
    deadline: Deadline,
  ): Promise<CommitOutcome> {
    const paths = checks.map(({ check }) => check);
    const remainingMs = () => Math.max(1, Math.min(timeoutMs, deadline.remainingMs()));
    const id = await this.calls.beginTransaction(timeoutMs);
    try {
      const versions = await this.calls.getVersions(paths, remainingMs(), id);
      const areUnchanged = checks.every(({ check, when }) => isUnchanged(versions.get(check), when));
      if (areUnchanged) return await this.calls.commit(changes, remainingMs(), id);
      await rollBack(this.calls, id, this.retry);
      return 'conflict';
    } catch (error) {
      await rollBack(this.calls, id, this.retry);
      if (isTransactionEnded(error)) return 'conflict'; // read again: nothing of it was written
      throw error;
    }
  }

  /** Sends the read in the next microtask, with all paths that were added by then. */
  private beginCombinedRead(deadline: Deadline): CombinedRead {
    const paths = new Set<string>();
    const found = Promise.resolve().then(async () => {
      this.combinedReads.delete(deadline);
      return (await this.getChunk([...paths], new ReceiveBound(Infinity), deadline)).documents;
    });
    const read = { paths, found };
    this.combinedReads.set(deadline, read);
    return read;
  }

  private getChunk(paths: readonly string[], bound: ReceiveBound, deadline: Deadline): Promise<SomeDocuments> {
    return callWithRetry((timeoutMs) => this.calls.batchGet(paths, bound, timeoutMs), deadline, this.retry);
  }

  /** Sends writes again that failed for a transient reason. Writes that were applied or are in conflict are done. */
  private async writeChunk(writes: readonly DocumentChange[], deadline: Deadline): Promise<WriteOutcome[]> {
    const outcomes = new Map<DocumentChange, WriteOutcome>();
    await callWithRetry(
      async (timeoutMs) => {
        const open = writes.filter((write) => !outcomes.has(write));
        const statuses = await this.calls.batchWrite(open, timeoutMs);
        let failure: Error | undefined;
        open.forEach((write, index) => {
          const { code, message } = statuses[index] ?? { code: Status.UNKNOWN, message: 'No status.' };
          if (code === 0) outcomes.set(write, 'written');
          else if (isConflictStatus(code)) outcomes.set(write, 'conflict');
          else failure = Object.assign(new Error(message), { code });
        });
        if (failure) throw failure;
      },
      deadline,
      this.retry,
    );
    return writes.map((write) => outcomes.get(write) ?? 'conflict');
  }
}

function isUnchanged(version: Version | undefined, when: DocumentCheck['when']): boolean {
  if (when === 'absent') return version === undefined;
  return version !== undefined && isSameVersion(version, when);
}

/** Retries a call that failed for a transient reason, until the deadline. @throws RequestInvalid */
async function callWithRetry<T>(
  call: (timeoutMs: number) => Promise<T>,
  deadline: Deadline,
  retry: RetryDependencies,
): Promise<T> {
  try {
    return await withRetry(call, deadline, retry);
  } catch (error) {
    throw toRequestInvalid(error);
  }
}

/**
 * Splits writes into calls of about the same size, as few as the bounds allow. A document counts at least `minSize`
 * bytes: then a call of WRITE_CALL_BYTES never has more than WRITE_CALL_DOCUMENTS, and one sum observes both bounds.
 */
function splitIntoCalls(writes: readonly DocumentChange[]): DocumentChange[][] {
  const minSize = WRITE_CALL_BYTES / WRITE_CALL_DOCUMENTS;
  const sizes = writes.map((write) =>
    Math.max(minSize, 'data' in write ? (write.bytes ?? documentBytes(write.data)) : 0),
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const fullCall = total / Math.ceil(total / WRITE_CALL_BYTES);
  const calls: DocumentChange[][] = [];
  let bytes = fullCall;
  writes.forEach((write, index) => {
    if (bytes >= fullCall) {
      calls.push([]);
      bytes = 0;
    }
    calls.at(-1)?.push(write);
    bytes += sizes[index] ?? 0;
  });
  return calls;
}
