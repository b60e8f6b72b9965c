import type { Deadline } from '../../deadline';
import type {
  CommitOutcome,
  DocumentChange,
  Page,
  QueryValues,
  StoredDocument,
  Transaction,
} from '../../documents/document-store';
import { TransactionLost } from '../../documents/document-store';
import { CALL_TIMEOUT_MS } from '../../domain/limits';
import { isConflict, isPassing, toRequestInvalid } from './failures';
import type { FirestoreCalls } from './firestore-calls';
import { ReceiveBound, splitCollection } from './firestore-calls';

/** A transaction of Firestore. None of its calls is repeated: what went wrong may have ended it. */
export class FirestoreTransaction implements Transaction {
  private isOpen = true;

  constructor(
    private readonly calls: FirestoreCalls,
    private readonly id: Uint8Array,
  ) {}

  async get(path: string, deadline: Deadline): Promise<StoredDocument | undefined> {
    const bound = new ReceiveBound(Infinity);
    const { documents } = await read(this.calls.batchGet([path], bound, timeoutOf(deadline), this.id));
    return documents[0];
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
    try {
      const version = await this.calls.commit(changes, timeoutOf(deadline), this.id);
      this.isOpen = false;
      return version;
    } catch (error) {
      if (isConflict(error) || isPassing(error)) return 'conflict';
      throw toRequestInvalid(error);
    }
  }

  async end(deadline: Deadline): Promise<void> {
    if (this.isOpen) await this.calls.rollback(this.id, timeoutOf(deadline)).catch(() => undefined); // else it ends by itself, later
    this.isOpen = false;
  }
}

async function read<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (isPassing(error)) throw new TransactionLost('The reads of a transaction failed.', { cause: error });
    throw toRequestInvalid(error);
  }
}

function timeoutOf(deadline: Deadline): number {
  return Math.max(1, Math.min(CALL_TIMEOUT_MS, deadline.remainingMs()));
}
