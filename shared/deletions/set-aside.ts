/**
 * Deletions that cannot be applied. One such must not hold up upserts and files that write the same record: it is
 * moved, with its reason, to where the operator sees it and puts it back when the cause is mended.
 */
import { statusOf } from '../platform/retry';
import type { Deadline } from '../platform/deadline';
import type { DocumentStore, DocumentWrite, Version } from '../documents/document-store';
import { RequestInvalid } from '../documents/document-store';
import { allDocuments } from '../documents/pages';
import { deletionReceiptPath, idOf, setAsideDeletionPath, setAsideDeletionsPath } from '../documents/paths';
import { parseDeletionId } from '../domain/deletion';
import type { DocumentData } from '../domain/records/document';
import type { RecordKind } from '../domain/identity';
import { DELETION_RECEIPT_SECONDS } from '../limits/deletions';
import type { RecordDependencies } from '../workspace/record-dependencies';
import { retryConflicts } from '../workspace/retry-conflicts';
import { RetryLater } from '../platform/retry-later';
import { acceptanceTimeOf } from './pending-deletions';

/** The deletion cannot be applied as it is; the message is for operators. */
export class InapplicableDeletion extends Error {
  override readonly name = 'InapplicableDeletion';
}

/** Most characters of a reason. */
const MAX_REASON_LENGTH = 500;

/**
 * Whether an error comes again with each attempt: every one of the code's own, and what the database takes at no time.
 * What comes of the network or the database tells a status, or the call to the system that failed, and may pass.
 */
export function isPermanentError(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof RetryLater) return false;
  return error instanceof RequestInvalid || (statusOf(error) === undefined && !('syscall' in error));
}

/**
 * Moves a deletion from where it is pending, unless it is applied by now. Repeating it is safe.
 * @throws ContentionTimeout
 */
export async function setAside(
  tenantId: string,
  path: string,
  error: Error,
  deadline: Deadline,
  dependencies: Pick<RecordDependencies, 'store' | 'clock' | 'random'>,
): Promise<void> {
  const { store, clock } = dependencies;
  await retryConflicts(
    [path],
    async (open) => {
      const pending = await store.get(path, deadline);
      if (!pending) return [];
      const { data: entry, version } = pending;
      const acceptedAt = acceptanceTimeOf(pending);
      const data = {
        path,
        entry: { ...entry, acceptedAt },
        reason: `${error.name}: ${error.message}`.slice(0, MAX_REASON_LENGTH),
        setAsideAt: new Date(clock.nowMs()),
      };
      // More than one may be set aside of one identity, each at its time.
      const id = `${idOf(path)}.${acceptedAt.getTime()}`;
      const writes = [
        { delete: path, when: version },
        { set: setAsideDeletionPath(tenantId, id), data },
      ];
      return (await store.commit(writes, deadline)) === 'conflict' ? open : [];
    },
    deadline,
    dependencies,
  );
}

/**
 * Brings a deletion that was set aside in the database before into a restored one, whose snapshot is older than it.
 * Does nothing where it is set aside already, or was made pending again since less than DELETION_RECEIPT_SECONDS. Later
 * it is brought in again, and spares whatever was written since the restore.
 * @param restoredAt when the restore had ended
 * @returns whether it was brought in
 */
export async function restoreSetAsideDeletion(
  tenantId: string,
  { path: earlierPath, pendingPath, entry, reason, setAsideAt }: SetAsideDeletion,
  restoredAt: Date,
  deadline: Deadline,
  { store }: Pick<RecordDependencies, 'store'>,
): Promise<boolean> {
  const path = setAsideDeletionPath(tenantId, idOf(earlierPath));
  const data = { path: pendingPath, entry: { ...entry, restoredAt }, reason, setAsideAt };
  if (await store.get(returnReceiptPath(tenantId, path), deadline)) return false;
  return (await store.commit([{ set: path, data, when: 'absent' }], deadline)) !== 'conflict';
}

/** A deletion that was set aside. */
export interface SetAsideDeletion {
  readonly path: string;
  readonly version: Version;
  readonly deletionId: string;
  readonly kind: RecordKind;
  /** Where it was pending. */
  readonly pendingPath: string;
  /** What was stored there. */
  readonly entry: DocumentData;
  readonly acceptedAt: Date;
  readonly setAsideAt: Date;
  readonly reason: string;
}

/** The writes that make a deletion pending again; in conflict while another one of its identity is. */
export function toRetryWrites(
  tenantId: string,
  { path, version, pendingPath, entry }: SetAsideDeletion,
  now: Date,
): DocumentWrite[] {
  const expireAt = new Date(now.getTime() + DELETION_RECEIPT_SECONDS * 1000);
  return [
    { delete: path, when: version },
    { set: pendingPath, data: { ...entry, isRetried: true }, when: 'absent' },
    { set: returnReceiptPath(tenantId, path), data: { expireAt } },
  ];
}

function returnReceiptPath(tenantId: string, path: string): string {
  return deletionReceiptPath(tenantId, idOf(path));
}

/** The deletions of a tenant that were set aside. */
export async function* listSetAsideDeletions(
  tenantId: string,
  store: DocumentStore,
  deadlineOfPage: () => Deadline,
): AsyncGenerator<SetAsideDeletion> {
  for await (const { path, version, data } of allDocuments(store, setAsideDeletionsPath(tenantId), deadlineOfPage)) {
    const { entry, reason, setAsideAt } = data as unknown as Pick<SetAsideDeletion, 'entry' | 'reason' | 'setAsideAt'>;
    const pendingPath = data.path as string;
    const deletionId = idOf(pendingPath);
    const kind = parseDeletionId(deletionId)?.kind;
    const acceptedAt = entry.acceptedAt as Date;
    if (kind) yield { path, version, deletionId, kind, pendingPath, entry, acceptedAt, setAsideAt, reason };
  }
}
