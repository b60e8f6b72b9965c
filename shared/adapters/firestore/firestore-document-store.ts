import { chunksOf } from '../../platform/chunks';
import type { Deadline } from '../../platform/deadline';
import type {
  CommitOutcome,
  DocumentChange,
  DocumentCheck,
  DocumentStore,
  DocumentWrite,
  Page,
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
import { mapStaggered } from '../../platform/async/in-parallel';
import type { RetryDependencies } from '../../platform/retry';
import { Status, withRetry } from '../../platform/retry';
import { isConflict, isConflictStatus, toRequestInvalid } from './failures';
import type { DocumentQuery, FirestoreCalls } from './firestore-calls';
import { ReceiveBound, splitCollection } from './firestore-calls';
import { FirestoreTransaction } from './firestore-transaction';

interface Gathered {
  readonly paths: Set<string>;
  readonly found: Promise<StoredDocument[]>;
}

/** `DocumentStore` on Firestore: calls of a size that it takes, what their statuses mean, and repeats. */
export class FirestoreDocumentStore implements DocumentStore {
  /** Single documents that are asked for at this moment, by the deadline that they share. */
  private readonly gathered = new Map<Deadline, Gathered>();

  constructor(
    private readonly calls: FirestoreCalls,
    private readonly retry: RetryDependencies,
  ) {}

  async getAll(paths: readonly string[], deadline: Deadline): Promise<StoredDocument[]> {
    return (await this.getSome(paths, Infinity, deadline)).documents;
  }

  async getSome(paths: readonly string[], maxBytes: number, deadline: Deadline): Promise<SomeDocuments> {
    const bound = new ReceiveBound(maxBytes);
    const chunks = chunksOf(paths, READ_CHUNK_DOCUMENTS);
    // All at once where all of it is wanted; else the first ones first, so that they are what the bound is used for.
    const atOnce = maxBytes === Infinity ? chunks.length : BOUNDED_READS_AT_ONCE;
    const parts: SomeDocuments[] = [];
    for (const together of chunksOf(chunks, Math.max(1, atOnce))) {
      if (bound.isReached) parts.push({ documents: [], unread: together.flat() });
      else parts.push(...(await Promise.all(together.map((chunk) => this.getChunk(chunk, bound, deadline)))));
    }
    return { documents: parts.flatMap(({ documents }) => documents), unread: parts.flatMap(({ unread }) => unread) };
  }

  /** What a request asks for at the same moment, such as its key and its tenant, is one call. */
  async get(path: string, deadline: Deadline): Promise<StoredDocument | undefined> {
    const gathered = this.gathered.get(deadline) ?? this.gather(deadline);
    gathered.paths.add(path);
    return (await gathered.found).find((document) => document.path === path);
  }

  async commit(writes: readonly DocumentWrite[], deadline: Deadline): Promise<CommitOutcome> {
    try {
      const checks = writes.filter(isCheck);
      const changes = writes.filter(isChange);
      const attempt = (timeoutMs: number) =>
        checks.length === 0
          ? this.calls.commit(changes, timeoutMs)
          : this.commitChecked(checks, changes, timeoutMs, deadline);
      return await repeated(attempt, deadline, this.retry);
    } catch (error) {
      if (isConflict(error)) return 'conflict';
      throw error;
    }
  }

  async begin(deadline: Deadline): Promise<Transaction> {
    const begin = (timeoutMs: number) => this.calls.beginTransaction(timeoutMs);
    return new FirestoreTransaction(this.calls, await repeated(begin, deadline, this.retry));
  }

  /**
   * Sent in parallel calls of a size that Firestore takes, each while the next one is encoded. Fails only when none of
   * them is repeated any more: a caller who was told of the failure may have written something newer, and no repeat may
   * come after that.
   */
  async writeEach(writes: readonly DocumentChange[], deadline: Deadline): Promise<WriteOutcome[]> {
    const outcomes = await mapStaggered(toCalls(writes), (call) => this.writeChunk(call, deadline));
    return outcomes.flat();
  }

  increment(path: string, data: DocumentData, field: string, timeoutMs: number): Promise<number> {
    return this.calls.increment(path, data, field, timeoutMs);
  }

  list(collection: string, page: Page, deadline: Deadline): Promise<StoredDocument[]> {
    return this.query({ ...splitCollection(collection), ...page }, deadline);
  }

  listGroup(collectionId: string, page: Page, deadline: Deadline): Promise<StoredDocument[]> {
    return this.query({ parent: '', collectionId, allDescendants: true, ...page }, deadline);
  }

  listRefs(collection: string, page: Page, deadline: Deadline): Promise<DocumentRef[]> {
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
    value: string,
    page: Page,
    deadline: Deadline,
  ): Promise<StoredDocument[]> {
    return this.query({ ...splitCollection(collection), where: { field, value }, lastFirst: true, ...page }, deadline);
  }

  count(collection: string, deadline: Deadline): Promise<number> {
    return repeated((timeoutMs) => this.calls.count(collection, timeoutMs), deadline, this.retry);
  }

  close(): Promise<void> {
    return this.calls.close();
  }

  private async queryRefs(query: DocumentQuery, deadline: Deadline): Promise<DocumentRef[]> {
    const found = await this.query({ ...query, refsOnly: true }, deadline);
    return found.map(({ path, version }) => ({ path, version }));
  }

  private query(query: DocumentQuery, deadline: Deadline): Promise<StoredDocument[]> {
    return repeated((timeoutMs) => this.calls.runQuery(query, timeoutMs), deadline, this.retry);
  }

  /**
   * Reads what is checked in the transaction that commits the changes: whoever writes it meanwhile has to wait. It is
   * begun by a call of its own, before anything is locked: where the answer to a read comes too late, its name is known
   * and it is ended, in place of holding others up until the database gives up waiting.
   */
  private async commitChecked(
    checks: readonly DocumentCheck[],
    changes: readonly DocumentChange[],
    timeoutMs: number,
    deadline: Deadline,
  ): Promise<CommitOutcome> {
    const paths = checks.map(({ check }) => check);
    const leftMs = () => Math.max(1, Math.min(timeoutMs, deadline.remainingMs()));
    const id = await this.calls.beginTransaction(timeoutMs);
    const end = () => this.calls.rollback(id, leftMs()).catch(() => undefined); // else it ends by itself, later
    try {
      const versions = await this.calls.getVersions(paths, leftMs(), id);
      const areSame = checks.every(({ check, when }) => isAsRead(versions.get(check), when));
      if (areSame) return await this.calls.commit(changes, leftMs(), id);
      await end();
      return 'conflict';
    } catch (error) {
      await end();
      throw error;
    }
  }

  private gather(deadline: Deadline): Gathered {
    const paths = new Set<string>();
    const found = Promise.resolve().then(async () => {
      this.gathered.delete(deadline);
      return (await this.getChunk([...paths], new ReceiveBound(Infinity), deadline)).documents;
    });
    const gathered = { paths, found };
    this.gathered.set(deadline, gathered);
    return gathered;
  }

  private getChunk(paths: readonly string[], bound: ReceiveBound, deadline: Deadline): Promise<SomeDocuments> {
    return repeated((timeoutMs) => this.calls.batchGet(paths, bound, timeoutMs), deadline, this.retry);
  }

  /** Writes that fail for a passing reason are sent again; what is applied or in conflict is decided. */
  private async writeChunk(writes: readonly DocumentChange[], deadline: Deadline): Promise<WriteOutcome[]> {
    const outcomes = new Map<DocumentChange, WriteOutcome>();
    await repeated(
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

function isAsRead(version: Version | undefined, when: DocumentCheck['when']): boolean {
  if (when === 'absent') return version === undefined;
  return version !== undefined && isSameVersion(version, when);
}

/** Repeats a call that failed for a passing reason until the deadline. @throws RequestInvalid */
async function repeated<T>(
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
 * Writes in calls of about the same size, as few as their bounds allow. A document counts as many bytes as make the
 * most documents of a call its most bytes, so that one sum holds both.
 */
function toCalls(writes: readonly DocumentChange[]): DocumentChange[][] {
  const least = WRITE_CALL_BYTES / WRITE_CALL_DOCUMENTS;
  const sizes = writes.map((write) =>
    Math.max(least, 'data' in write ? (write.bytes ?? documentBytes(write.data)) : 0),
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const full = total / Math.ceil(total / WRITE_CALL_BYTES);
  const calls: DocumentChange[][] = [];
  let bytes = full;
  writes.forEach((write, index) => {
    if (bytes >= full) {
      calls.push([]);
      bytes = 0;
    }
    calls.at(-1)?.push(write);
    bytes += sizes[index] ?? 0;
  });
  return calls;
}
