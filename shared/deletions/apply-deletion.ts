/**
 * Applies pending deletions. The commit that applies a deletion removes its entry, so it is applied once. No deletion
 * waits for another. An upsert applies the deletions that are pending for its records before it writes them.
 */
import { chunksOf } from '../platform/chunks';
import type { Deadline } from '../platform/deadline';
import { isSameVersion } from '../documents/document-store';
import { deletionPath, recordPath } from '../documents/paths';
import { toDeletionId } from '../domain/deletion';
import type { RecordId, RecordKind } from '../domain/identity';
import {
  DELETION_COMMITS_AT_ONCE,
  DELETIONS_AT_ONCE,
  DELETIONS_IN_COMMIT,
  MIN_REMAINING_FOR_DELETIONS_MS,
  PENDING_DELETIONS_PAGE,
} from '../limits/deletions';
import { inParallel } from '../platform/async/in-parallel';
import type { Tenant } from '../domain/tenant';
import type { RecordDependencies } from '../workspace/record-dependencies';
import { retryConflicts } from '../workspace/retry-conflicts';
import { ConcurrencyLimit } from '../platform/async/concurrency-limit';
import type { FoundDeletions, PendingDeletion, PendingDeletionRef } from './pending-deletions';
import { findPendingDeletions, listPendingDeletions } from './pending-deletions';
import type { PendingHint } from './pending-flag';
import type { ApplyAttempt } from './plan-deletion';
import { planDeletions } from './plan-deletion';
import { isPermanentError, setAside } from './set-aside';
import { allWideDeletions } from './pending-wide-deletions';
import type { UnreadRemoval } from './unread-removal';
import { applyWideDeletion } from './wide-deletions';

/** Limits the commits in the memory of this process, whichever requests and messages they are for. */
const commits = new ConcurrencyLimit(DELETION_COMMITS_AT_ONCE);

/**
 * Applies the deletions that are pending for records which are about to be written, and no others, however many there
 * are. Repeating it is safe.
 * @param flag undefined: the flag is lowered, and nothing is read
 * @throws ContentionTimeout
 */
export async function applyDeletionsBeforeWrite(
  tenant: Tenant,
  kind: RecordKind,
  ids: Iterable<RecordId>,
  flag: Pick<PendingHint, 'pending'> | undefined,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  if (!flag) return;
  const own = new Set(ids);
  const known = flag.pending?.flatMap(({ id, deletionId }) => (own.has(id) ? [deletionId] : []));
  const deletionIds = known ?? [...own].map((id) => toDeletionId(kind, id));
  await applyDeletions(tenant, deletionIds, deadline, dependencies);
}

/** Applies these deletions, except those not pending any more. Repeating it is safe. @throws ContentionTimeout */
export async function applyDeletions(
  tenant: Tenant,
  deletionIds: readonly string[],
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  const found = await findPendingDeletions(tenant.tenantId, deletionIds, dependencies.store, deadline);
  await applyFoundDeletions(tenant, found, deadline, dependencies);
}

/**
 * Applies deletions of customers without reading anything, as their message tells them. The commit requires each entry
 * in the version that the acceptance has written, so that these customers are all whom it names. Repeating it is safe.
 * @returns false: nothing was removed, because something has changed; the deletions have to be read
 */
export function applyUnread(
  tenantId: string,
  deletionIds: readonly string[],
  { entries, customers }: UnreadRemoval,
  deadline: Deadline,
  { store }: Pick<RecordDependencies, 'store'>,
): Promise<boolean> {
  const writes = [
    ...customers.map(({ id, version }) => ({ delete: recordPath(tenantId, 'customers', id), when: version })),
    ...deletionIds.map((deletionId) => ({ delete: deletionPath(tenantId, deletionId), when: entries })),
  ];
  const commit = () => commits.run(async () => (await store.commit(writes, deadline)) !== 'conflict');
  return unlessPermanent(commit, false);
}

/**
 * Applies deletions that were read just now, and those that were not read with them. Repeating it is safe.
 * @param leavesRenewed leaves an entry whose next version was written meanwhile: another message is about that one.
 * Who accepts deletions of one record faster than they are applied would hold up this one until its deadline.
 * @throws ContentionTimeout
 */
export async function applyFoundDeletions(
  tenant: Tenant,
  found: FoundDeletions,
  deadline: Deadline,
  dependencies: RecordDependencies,
  { leavesRenewed } = { leavesRenewed: false },
): Promise<void> {
  for (let next = found; ;) {
    await applyAll(tenant, next.pending, { leavesRenewed }, deadline, dependencies);
    if (next.unread.length === 0) return;
    next = await findPendingDeletions(tenant.tenantId, next.unread, dependencies.store, deadline);
  }
}

/**
 * Applies all pending deletions of a kind, page by page. Repeating it is safe and continues where it stopped.
 * @returns false when time ran out before the end; at least one page was applied
 * @throws ContentionTimeout
 */
export async function drainDeletions(
  tenant: Tenant,
  kind: RecordKind,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<boolean> {
  let isAnyApplied = false;
  for (let after: PendingDeletionRef | undefined; ;) {
    const page = { limit: PENDING_DELETIONS_PAGE, after };
    const pending = await listPendingDeletions(tenant.tenantId, kind, page, dependencies.store, deadline);
    const deletionIds = pending.map(({ deletionId }) => deletionId);
    await applyDeletions(tenant, deletionIds, deadline, dependencies);
    isAnyApplied ||= pending.length > 0;
    if (pending.length < PENDING_DELETIONS_PAGE) break;
    after = pending.at(-1);
    if (deadline.remainingMs() < MIN_REMAINING_FOR_DELETIONS_MS) return false;
  }
  if (kind !== 'customers') return true;
  for await (const { deletionId } of allWideDeletions(tenant.tenantId, dependencies.store, deadline)) {
    if (isAnyApplied && deadline.remainingMs() < MIN_REMAINING_FOR_DELETIONS_MS) return false;
    if (!(await applyWideDeletion(tenant, deletionId, deadline, dependencies))) return false;
    isAnyApplied = true;
  }
  return true;
}

async function applyAll(
  tenant: Tenant,
  pending: readonly PendingDeletion[],
  { leavesRenewed }: { readonly leavesRenewed: boolean },
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  await inParallel(chunksOf(pending, DELETIONS_IN_COMMIT), DELETIONS_AT_ONCE, async (chunk) => {
    const rest = await applyTogether(tenant, chunk, { assumesUnchanged: true }, deadline, dependencies);
    if (rest.length === 0) return;
    // Whoever was faster has applied some of them, or changed an entry or a customer: all are read again.
    const versions = new Map(rest.map(({ deletionId, version }) => [deletionId, version]));
    const again = await findPendingDeletions(tenant.tenantId, [...versions.keys()], dependencies.store, deadline);
    const isLeft = ({ deletionId, version, isRetried }: PendingDeletion) => {
      const before = versions.get(deletionId);
      return leavesRenewed && !isRetried && before !== undefined && !isSameVersion(version, before);
    };
    const open = again.pending.filter((deletion) => !isLeft(deletion));
    const left = await applyTogether(tenant, open, { assumesUnchanged: false }, deadline, dependencies);
    // The rest one by one: a conflict of one does not hold up the others, and only one that fails alone is set aside.
    const alone = [...left.map(({ deletionId }) => deletionId), ...again.unread];
    for (const deletionId of alone) await applyAlone(tenant, deletionId, isLeft, deadline, dependencies);
  });
}

/** Applies these deletions in as few commits as they fit. @returns those from the first commit on that failed */
async function applyTogether(
  tenant: Tenant,
  pending: readonly PendingDeletion[],
  attempt: ApplyAttempt,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<readonly PendingDeletion[]> {
  let rest = pending;
  while (rest.length > 0) {
    const next = rest;
    const applied = await unlessPermanent(() => commitSome(tenant, next, attempt, deadline, dependencies), 0);
    if (applied === 0) break; // a conflict, or one of them cannot be applied
    rest = rest.slice(applied);
  }
  return rest;
}

/** The result of a commit, or another one where it has failed with an error that would come again. */
async function unlessPermanent<T>(commit: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await commit();
  } catch (error) {
    if (!isPermanentError(error)) throw error;
    return otherwise;
  }
}

/**
 * Applies one deletion, or sets it aside when it cannot be applied.
 * @param isLeft whether the deletion, as it is read now, is left to others
 * @throws ContentionTimeout
 */
async function applyAlone(
  tenant: Tenant,
  deletionId: string,
  isLeft: (deletion: PendingDeletion) => boolean,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  const { store } = dependencies;
  await retryConflicts(
    [deletionId],
    async (open) => {
      const [deletion] = (await findPendingDeletions(tenant.tenantId, open, store, deadline)).pending;
      if (!deletion || isLeft(deletion)) return [];
      try {
        const applied = await commitSome(tenant, [deletion], { assumesUnchanged: false }, deadline, dependencies);
        return applied === 0 ? open : [];
      } catch (error) {
        if (!isPermanentError(error)) throw error;
        const failed = { ...deletion, path: deletionPath(tenant.tenantId, deletionId) };
        return (await setAside(tenant.tenantId, failed, error, deadline, dependencies)) ? [] : open;
      }
    },
    deadline,
    dependencies,
  );
}

/** Applies as many as one commit takes. @returns how many, counted from the first; 0 after a conflict */
function commitSome(
  tenant: Tenant,
  pending: readonly PendingDeletion[],
  attempt: ApplyAttempt,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<number> {
  return commits.run(async () => {
    const plan = await planDeletions(tenant, pending, attempt, deadline, dependencies);
    return (await dependencies.store.commit(plan.writes, deadline)) === 'conflict' ? 0 : plan.deletionCount;
  });
}
