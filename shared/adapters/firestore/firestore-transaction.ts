import type { Deadline } from '../../platform/deadline';
import type {
  CommitOutcome,
  DocumentChange,
  Page,
  QueryValues,
  StoredDocument,
  Transaction,
} from '../../documents/document-store';
import { TransactionLost } from '../../documents/document-store';
import { CALL_TIMEOUT_MS } from '../../limits/platform';
import type { RetryDependencies } from '../../platform/retry';
import { Status, statusOf } from '../../platform/retry';
import { isConflict, isTransactionEnded, isTransient, toRequestInvalid } from './failures';
import type { FirestoreCalls } from './firestore-calls';
import { ReceiveBound, splitCollection } from './firestore-calls';
import { rollBack } from './roll-back';

/** A transaction of Firestore. Its reads and its commit are not retried, because a failure may have ended it. */
export class FirestoreTransaction implements Transaction {
  private isOpen = true;

  constructor(
    private readonly calls: FirestoreCalls,
    private readonly id: Uint8Array,
    private readonly retry: RetryDependencies,
  ) {}

  async get(path: string, deadline: Deadline): Promise<StoredDocument | undefined> {
    const [document] = await this.getAll([path], deadline);
    return document;
  }

  async getAll(paths: readonly string[], deadline: Deadline): Promise<StoredDocument[]> {
    const bound = new ReceiveBound(Infinity);
    const { documents } = await read(this.calls.batchGet(paths, bound, timeoutOf(deadline), this.id));
    return documents;
  }

  findWhere(
    collection: string,
    field: string,
    value: string | QueryValues,
    page: Page,
    deadline: Deadline,
  ): Promise<StoredDocument[]> {
    const query = { ...splitCollection(collection), where: { field, value }, ...page };
    return read(this.calls.runQuery(query, timeoutOf(deadline), this.id));
  }

  async commit(changes: readonly DocumentChange[], deadline: Deadline): Promise<CommitOutcome> {
    if (!this.isOpen) return 'conflict';
    this.isOpen = false;
    try {
      return await this.calls.commit(changes, timeoutOf(deadline), this.id);
    } catch (error) {
      if (statusOf(error) !== Status.ABORTED) await rollBack(this.calls, this.id, this.retry); // ABORTED: it has ended
      if (isConflict(error) || isLost(error)) return 'conflict';
      throw toRequestInvalid(error);
    }
  }

  async end(): Promise<void> {
    if (this.isOpen) await rollBack(this.calls, this.id, this.retry);
    this.isOpen = false;
  }
}

async function read<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (isLost(error)) throw new TransactionLost('The reads of a transaction failed.', { cause: error });
    throw toRequestInvalid(error);
  }
}

/** Whether a call failed for a transient reason, or because the database had ended the transaction. */
function isLost(error: unknown): boolean {
  return isTransactionEnded(error) || isTransient(error);
}

function timeoutOf(deadline: Deadline): number {
  return Math.max(1, Math.min(CALL_TIMEOUT_MS, deadline.remainingMs()));
}
