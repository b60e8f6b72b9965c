/** Classifies the failures of Firestore's calls. */
import { RequestInvalid } from '../../documents/document-store';
import { isTransientStatus, Status, statusOf } from '../../platform/retry';

const CONFLICTS: ReadonlySet<number | undefined> = new Set([
  Status.ALREADY_EXISTS,
  Status.NOT_FOUND,
  Status.FAILED_PRECONDITION,
]);

/** Whether a write failed because its precondition did not hold. */
export function isConflict(error: unknown): boolean {
  return isConflictStatus(statusOf(error));
}

export function isConflictStatus(code: number | undefined): boolean {
  return CONFLICTS.has(code);
}

/** Whether the same call may succeed when it is retried. */
export function isTransient(error: unknown): boolean {
  return isTransientStatus(statusOf(error));
}

/** As Firestore and its emulator say it. A transaction that is too big is another thing, and stays so. */
const TRANSACTION_ENDED = /transaction (?:has expired|is (?:no longer valid|invalid)|was )|invalid transaction/i;

/** Whether a call of a transaction failed because the database had ended the transaction. */
export function isTransactionEnded(error: unknown): boolean {
  return statusOf(error) === Status.INVALID_ARGUMENT && TRANSACTION_ENDED.test((error as Error).message);
}

/** `RequestInvalid` for a call that Firestore never accepts; any other error as it is. */
export function toRequestInvalid(error: unknown): unknown {
  const code = statusOf(error);
  return code === Status.INVALID_ARGUMENT
    ? Object.assign(new RequestInvalid((error as Error).message), { code })
    : error;
}
