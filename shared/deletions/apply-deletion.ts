/**
 * Applies pending deletions: each is one commit with its own removal, so that it happens once, and none waits for
 * another one. Whoever is about to write a record applies what is pending for it before.
 */
import { chunksOf } from '../platform/chunks';
import type { Deadline } from '../platform/deadline';
import { deletionPath } from '../documents/paths';
import { toDeletionId } from '../domain/deletion';
import type { RecordId, RecordKind } from '../domain/identity';
import {
  DELETION_STEPS_AT_ONCE,
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
import type { PendingDeletion, PendingCursor } from './pending-deletions';
import { findPendingDeletions, listPendingDeletions } from './pending-deletions';
import type { MayBePending } from './pending-flag';
import { planDeletions } from './plan-deletion';
import { isLasting, setAside } from './set-aside';
import { applyWideDeletion, listWideDeletions } from './wide-deletions';

/** Commits that are in the memory of this process, whichever requests and messages they are for. */
const steps = new ConcurrencyLimit(DELETION_STEPS_AT_ONCE);

/**
 * Applies what is pending for identities of records that are to be written. Deletions of other records are not waited
 * for, however many there are. @param flag undefined: it is lowered, and nothing is read
 * @throws ContentionTimeout
 */
export async function applyDeletionsOf(
  tenant: Tenant,
  kind: RecordKind,
  ids: Iterable<RecordId>,
  flag: Pick<MayBePending, 'pending'> | undefined,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  if (!flag) return;
  const own = new Set(ids);
  const known = flag.pending?.flatMap(({ id, deletionId }) => (own.has(id) ? [deletionId] : []));
  const deletionIds = known ?? [...own].map((id) => toDeletionId(kind, id));
  await applyDeletions(tenant, deletionIds, deadline, dependencies);
}

/** Applies those of these deletions that are pending. Repeating it is safe. @throws ContentionTimeout */
export async function applyDeletions(
  tenant: Tenant,
  deletionIds: readonly string[],
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  for (let rest = deletionIds; rest.length > 0;) {
    const { pending, unread } = await findPendingDeletions(tenant.tenantId, rest, dependencies.store, deadline);
    await applyAll(tenant, pending, deadline, dependencies);
    rest = unread;
  }
}

/**
 * Applies all pending deletions of a kind, page by page. Repeating it is safe, and goes on where it was.
 * @returns false when there are more than the time allows, of which at least a page was applied
 * @throws ContentionTimeout
 */
export async function drainDeletions(
  tenant: Tenant,
  kind: RecordKind,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<boolean> {
  for (let after: PendingCursor | undefined; ;) {
    const page = { limit: PENDING_DELETIONS_PAGE, after };
    const pending = await listPendingDeletions(tenant.tenantId, kind, page, dependencies.store, deadline);
    const deletionIds = pending.map(({ deletionId }) => deletionId);
    await applyDeletions(tenant, deletionIds, deadline, dependencies);
    if (pending.length < PENDING_DELETIONS_PAGE) break;
    after = pending.at(-1);
    if (deadline.remainingMs() < MIN_REMAINING_FOR_DELETIONS_MS) return false;
  }
  if (kind !== 'customers') return true;
  for (const { deletionId } of await listWideDeletions(tenant.tenantId, dependencies.store, deadline)) {
    if (!(await applyWideDeletion(tenant, deletionId, deadline, dependencies))) return false;
  }
  return true;
}

async function applyAll(
  tenant: Tenant,
  pending: readonly PendingDeletion[],
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  await inParallel(chunksOf(pending, DELETIONS_IN_COMMIT), DELETIONS_AT_ONCE, async (together) => {
    let rest: readonly PendingDeletion[] = together;
    for (let isGuess = true; rest.length > 0;) {
      const applied = await tryTogether(tenant, rest, { isGuess }, deadline, dependencies);
      if (applied === 0 && !isGuess) break;
      isGuess = isGuess && applied > 0; // where a customer has changed since, all are read
      rest = rest.slice(applied);
    }
    // One by one: a conflict of one of them does not hold up the others, and only those are set aside that fail alone.
    for (const { deletionId } of rest) await applyAlone(tenant, deletionId, deadline, dependencies);
  });
}

/** @returns how many were applied, from the first on; 0 for a conflict, or when one of them cannot be */
async function tryTogether(
  tenant: Tenant,
  together: readonly PendingDeletion[],
  attempt: { readonly isGuess: boolean },
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<number> {
  try {
    return await commitSome(tenant, together, attempt, deadline, dependencies);
  } catch (error) {
    if (!isLasting(error)) throw error;
    return 0;
  }
}

async function applyAlone(
  tenant: Tenant,
  deletionId: string,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  const { store } = dependencies;
  await retryConflicts(
    [deletionId],
    async (open) => {
      const { pending } = await findPendingDeletions(tenant.tenantId, open, store, deadline);
      if (pending.length === 0) return [];
      try {
        const applied = await commitSome(tenant, pending, { isGuess: false }, deadline, dependencies);
        return applied === 0 ? open : [];
      } catch (error) {
        if (!isLasting(error)) throw error;
        await setAside(tenant.tenantId, deletionPath(tenant.tenantId, deletionId), error, deadline, dependencies);
        return [];
      }
    },
    deadline,
    dependencies,
  );
}

/** Applies as many as one commit takes. @returns how many, from the first on; 0 for a conflict */
function commitSome(
  tenant: Tenant,
  pending: readonly PendingDeletion[],
  attempt: { readonly isGuess: boolean },
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<number> {
  return steps.run(async () => {
    const { writes, taken } = await planDeletions(tenant, pending, attempt, deadline, dependencies);
    return (await dependencies.store.commit(writes, deadline)) === 'conflict' ? 0 : taken;
  });
}
