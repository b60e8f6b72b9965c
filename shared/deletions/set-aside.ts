/**
 * Deletions that cannot be applied. One such must not hold up those after it, upserts and files: it is moved out of the
 * log, with its reason, to where the operator sees it and puts it back when the cause is mended.
 */
import { statusOf } from '../adapters/retry';
import type { Deadline } from '../deadline';
import type { DocumentStore, Version } from '../documents/document-store';
import { RequestInvalid } from '../documents/document-store';
import { allDocuments } from '../documents/pages';
import {
  deletionPath,
  deletionReceiptPath,
  idOf,
  setAsideDeletionPath,
  setAsideDeletionsPath,
} from '../documents/paths';
import { parseDeletionId } from '../domain/deletion';
import type { DocumentData } from '../domain/document';
import type { RecordKind } from '../domain/identity';
import type { RecordDependencies } from '../records/record-dependencies';
import { settle } from '../records/settle';
import { RepeatLater } from '../repeat-later';
import { findMark, findPendingDeletions, toCountedUpTo, toRemoved } from './deletion-log';

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
export function isLasting(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof RepeatLater) return false;
  return error instanceof RequestInvalid || (statusOf(error) === undefined && !('syscall' in error));
}

/** Moves a deletion out of the log, unless it is applied by now. Repeating it is safe. @throws ContentionTimeout */
export async function setAside(
  tenantId: string,
  deletionId: string,
  error: Error,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  const { store, clock } = dependencies;
  await settle(
    [deletionId],
    async (open) => {
      const [pending] = await findPendingDeletions(tenantId, [deletionId], store, deadline);
      if (!pending) return [];
      const now = new Date(clock.nowMs());
      const data = {
        entry: { ...pending.entry, acceptedAt: pending.acceptedAt },
        reason: `${error.name}: ${error.message}`.slice(0, MAX_REASON_LENGTH),
        setAsideAt: now,
      };
      const outcome = await store.commit(
        [...toRemoved(tenantId, pending, now), { set: setAsideDeletionPath(tenantId, deletionId), data }],
        deadline,
      );
      return outcome === 'conflict' ? open : [];
    },
    deadline,
    dependencies,
  );
}

/**
 * Brings a deletion that was set aside in the database before into a restored one, whose snapshot is older than it; its
 * number is counted there. Does nothing where it is known: set aside, pending, or applied since less than
 * `DELETION_RECEIPT_SECONDS`. Later it is brought in again, and spares whatever was written since the restore.
 * @param restoredAt when the restore had ended
 * @returns whether it was brought in
 * @throws ContentionTimeout
 */
export async function takeOverSetAside(
  tenantId: string,
  { deletionId, kind, entry, reason, setAsideAt }: SetAsideDeletion,
  restoredAt: Date,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<boolean> {
  const { store } = dependencies;
  const path = setAsideDeletionPath(tenantId, deletionId);
  const known = [path, deletionPath(tenantId, deletionId), deletionReceiptPath(tenantId, deletionId)];
  const data = { entry: { ...entry, restoredAt }, reason, setAsideAt };
  let isTaken = false;
  await settle(
    [deletionId],
    async (open) => {
      const mark = await findMark(tenantId, kind, store, deadline);
      if ((await store.getAll(known, deadline)).length > 0) return [];
      const counted = toCountedUpTo(mark, parseDeletionId(deletionId)?.sequence ?? 0);
      isTaken = (await store.commit([{ set: path, data, when: 'absent' }, ...counted], deadline)) !== 'conflict';
      return isTaken ? [] : open;
    },
    deadline,
    dependencies,
  );
  return isTaken;
}

/** A deletion that was set aside. */
export interface SetAsideDeletion {
  readonly path: string;
  readonly version: Version;
  readonly deletionId: string;
  readonly kind: RecordKind;
  /** What the log held of it. */
  readonly entry: DocumentData;
  readonly acceptedAt: Date;
  readonly setAsideAt: Date;
  readonly reason: string;
}

/** The deletions of a tenant that were set aside, in the order of acceptance within each kind. */
export async function* listSetAsideDeletions(
  tenantId: string,
  store: DocumentStore,
  deadlineOfPage: () => Deadline,
): AsyncGenerator<SetAsideDeletion> {
  for await (const { path, version, data } of allDocuments(store, setAsideDeletionsPath(tenantId), deadlineOfPage)) {
    const { entry, reason, setAsideAt } = data as unknown as Pick<SetAsideDeletion, 'entry' | 'reason' | 'setAsideAt'>;
    const deletionId = idOf(path);
    const kind = parseDeletionId(deletionId)?.kind;
    const acceptedAt = entry.acceptedAt as Date;
    if (kind) yield { path, version, deletionId, kind, entry, acceptedAt, setAsideAt, reason };
  }
}
