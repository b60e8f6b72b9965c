/**
 * A flag for each kind of record says whether deletions may be pending, so that upserts and files need not look for
 * them: deletions are few. It is only a hint that saves reading, and is written when it changes, not by each deletion.
 *
 *   lowered ──▶ raised ──▶ lowering ──▶ lowered
 *                 ▲            │
 *                 └────────────┘  a deletion was accepted meanwhile
 *
 * Accepting a deletion reads in its transaction that the flag is raised. So all deletions that were accepted by a
 * raised flag are stored when it is set to `lowering`, and the look for pending ones that comes after that sees them.
 * One that is accepted later finds the flag not raised, raises it, and the last step to `lowered` is in conflict.
 */
import type { Deadline } from '../platform/deadline';
import type { DocumentStore, StoredDocument, Version } from '../documents/document-store';
import { deletionFlagPath, raisedFlagPath, wideDeletionsPath } from '../documents/paths';
import type { RecordKind } from '../domain/identity';
import { FEW_PENDING_DELETIONS } from '../limits/deletions';
import type { DocumentData } from '../domain/records/document';
import { retryConflicts } from '../workspace/retry-conflicts';
import type { RecordDependencies } from '../workspace/record-dependencies';
import { newRevision } from '../workspace/record-documents';
import type { PendingDeletionRef } from './pending-deletions';
import { listPendingDeletions } from './pending-deletions';

/** A flag that is not lowered. */
export interface PendingFlag {
  readonly path: string;
  readonly version: Version;
  /** False: it is being lowered, and nothing may be accepted by it. */
  readonly isRaised: boolean;
  /** Whether one of the deletions may mean more customers than it names. */
  readonly hasWide: boolean;
}

/** Whether a flag says that deletions may be pending. There is none (undefined) until the first one of its kind. */
export function mayBePending(flag: DocumentData | undefined): boolean {
  return flag !== undefined && flag.state !== 'lowered';
}

/** Whether deletions may be accepted by a flag: it is not being lowered. */
export function isRaised(flag: DocumentData | undefined): boolean {
  return flag?.state === 'raised';
}

/** The flag of a kind; undefined: no deletion of this kind is pending. */
export async function findPendingFlag(
  tenantId: string,
  kind: RecordKind,
  store: DocumentStore,
  deadline: Deadline,
): Promise<PendingFlag | undefined> {
  const flag = await store.get(deletionFlagPath(tenantId, kind), deadline);
  return flag && toPendingFlag(flag);
}

/** What is known of the deletions of a kind that may be pending. */
export interface PendingHint extends PendingFlag {
  /** All that is pending, where that is little and many records are to be written; undefined: it is not known. */
  readonly pending?: readonly PendingDeletionRef[];
}

/**
 * What a request that writes so many records has to know of pending deletions; undefined: none is pending. Read when
 * all of the request has arrived, it tells of all that was accepted before.
 */
export async function findPendingHint(
  tenantId: string,
  kind: RecordKind,
  records: number,
  store: DocumentStore,
  deadline: Deadline,
): Promise<PendingHint | undefined> {
  const flag = await findPendingFlag(tenantId, kind, store, deadline);
  if (!flag || records <= FEW_PENDING_DELETIONS) return flag;
  const pending = await listPendingDeletions(tenantId, kind, { limit: FEW_PENDING_DELETIONS }, store, deadline);
  return pending.length < FEW_PENDING_DELETIONS ? { ...flag, pending } : flag;
}

/** The flag of a document; undefined: it is lowered. */
export function toPendingFlag({ path, data, version }: StoredDocument): PendingFlag | undefined {
  if (!mayBePending(data)) return undefined;
  return { path, version, isRaised: isRaised(data), hasWide: data.hasWide === true };
}

/**
 * Raises the flag, unless it is raised: then nothing is written.
 * @param isWide whether a wide deletion is to be accepted
 * @throws ContentionTimeout
 */
export async function raiseFlag(
  tenantId: string,
  kind: RecordKind,
  isWide: boolean,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<PendingFlag> {
  const { store, random } = dependencies;
  const path = deletionFlagPath(tenantId, kind);
  let raised: PendingFlag | undefined;
  await retryConflicts(
    [path],
    async (open) => {
      const stored = await store.get(path, deadline);
      const flag = stored && toPendingFlag(stored);
      if (flag?.isRaised && (flag.hasWide || !isWide)) {
        raised = flag;
        return [];
      }
      const hasWide = isWide || flag?.hasWide === true;
      const data = { state: 'raised', hasWide, revision: newRevision(random) };
      const version = await store.commit(
        [
          { set: raisedFlagPath(tenantId, kind), data: {} },
          { set: path, data, when: stored?.version ?? 'absent' },
        ],
        deadline,
      );
      if (version === 'conflict') return open;
      raised = { path, version, isRaised: true, hasWide };
      return [];
    },
    deadline,
    dependencies,
  );
  if (!raised) throw new Error('A flag was raised and is not.');
  return raised;
}

/** Lowers a flag if no deletion of its kind is pending. Nothing happens when a deletion comes in between. */
export async function lowerFlag(
  tenantId: string,
  kind: RecordKind,
  deadline: Deadline,
  { store, random }: Pick<RecordDependencies, 'store' | 'random'>,
): Promise<void> {
  const isAnyPending = async () => {
    const [pending, wide] = await Promise.all([
      listPendingDeletions(tenantId, kind, { limit: 1 }, store, deadline),
      kind === 'customers' ? store.list(wideDeletionsPath(tenantId), { limit: 1 }, deadline) : [],
    ]);
    return pending.length > 0 || wide.length > 0;
  };
  const path = deletionFlagPath(tenantId, kind);
  const flag = await store.get(path, deadline);
  if (!flag || !mayBePending(flag.data) || (await isAnyPending())) return;
  const lowering = {
    set: path,
    data: { ...flag.data, state: 'lowering', revision: newRevision(random) },
    when: flag.version,
  };
  const version = await store.commit([lowering], deadline);
  if (version === 'conflict' || (await isAnyPending())) return;
  const lowered = { state: 'lowered', revision: newRevision(random) };
  await store.commit(
    [{ delete: raisedFlagPath(tenantId, kind) }, { set: path, data: lowered, when: version }],
    deadline,
  );
}
