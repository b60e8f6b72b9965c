/** Applies accepted deletions: each in one commit with its own removal from the log, so that it happens once. */
import { chunksOf } from '../chunks';
import type { Deadline } from '../deadline';
import { parseDeletionId } from '../domain/deletion';
import type { RecordKind } from '../domain/identity';
import { DELETIONS_AT_ONCE, DELETIONS_IN_COMMIT, DELETIONS_LEAVE_MS, PENDING_DELETIONS_PAGE } from '../domain/limits';
import { inParallel } from '../in-parallel';
import type { Tenant } from '../domain/tenant';
import type { RecordDependencies } from '../records/record-dependencies';
import { recordPathOf } from '../records/removed-records';
import { ContentionTimeout, settle } from '../records/settle';
import type { LoggedDeletion } from './deletion-log';
import { findPendingDeletions, findRaisedMark, listPendingDeletions, lowerMark } from './deletion-log';
import { planStep } from './plan-step';
import { isLasting, setAside } from './set-aside';

/** More deletions are pending than there is time for. Some were applied, so that a repeat comes further. */
export class DeletionsPending extends ContentionTimeout {}

/**
 * Applies all pending deletions that can touch records of this kind, page by page in the order of their acceptance.
 * Called before records of the kind are written. What cannot be applied at any time is set aside. Repeating it is safe:
 * what it has applied is no longer pending.
 * @param found the deletion mark of this kind, if the caller has begun to read it; omitted: it is read here
 * @throws DeletionsPending when there are more than the time allows, after at least a page; ContentionTimeout
 */
export async function applyPendingDeletions(
  tenant: Tenant,
  kind: RecordKind,
  deadline: Deadline,
  dependencies: RecordDependencies,
  found = findRaisedMark(tenant.tenantId, kind, dependencies.store, deadline),
): Promise<void> {
  const { store } = dependencies;
  const mark = await found;
  if (!mark) return;
  for (let after: LoggedDeletion | undefined; ;) {
    const page = await listPendingDeletions(tenant.tenantId, kind, after, store, deadline);
    // What is accepted after the mark was read is left to others: there would be no end of it.
    const accepted = page.filter(({ deletionId }) => (parseDeletionId(deletionId)?.sequence ?? 0) <= mark.sequence);
    await inParallel(toGroups(accepted, tenant).values(), DELETIONS_AT_ONCE, (group) =>
      applyInOrder(tenant, group, deadline, dependencies),
    );
    if (accepted.length < PENDING_DELETIONS_PAGE) break;
    after = page.at(-1);
    if (deadline.remainingMs() < DELETIONS_LEAVE_MS)
      throw new DeletionsPending('Accepted deletions are being applied.');
  }
  await lowerMark(mark, store, deadline);
}

/**
 * Deletions whose order matters belong together: those of one record, and all of customers, because what a deletion
 * with two identifiers means depends on whom the deletions before it left (D-43).
 */
function toGroups(deletions: readonly LoggedDeletion[], tenant: Tenant): Map<string, LoggedDeletion[]> {
  const groups = new Map<string, LoggedDeletion[]>();
  for (const deletion of deletions) {
    const { target, deletionId } = deletion;
    const key = !target ? deletionId : target.type === 'customer' ? 'customers' : recordPathOf(target, tenant);
    const group = groups.get(key) ?? [];
    group.push(deletion);
    groups.set(key, group);
  }
  return groups;
}

/**
 * Applies a deletion and all that are pending for records of its kind: what was accepted before it has to be applied
 * before it. One that is not in the log has been applied: nothing happens.
 * @throws DeletionsPending, ContentionTimeout
 */
export async function applyDeletion(
  tenant: Tenant,
  deletionId: string,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  const kind = parseDeletionId(deletionId)?.kind;
  const [pending] = await findPendingDeletions(tenant.tenantId, [deletionId], dependencies.store, deadline);
  if (kind && pending) await applyPendingDeletions(tenant, kind, deadline, dependencies);
}

/** Applies deletions of one group in their order, as many in one commit as it takes. */
async function applyInOrder(
  tenant: Tenant,
  deletions: readonly LoggedDeletion[],
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  for (const together of chunksOf(deletions, DELETIONS_IN_COMMIT)) {
    try {
      await applyTogether(tenant, together, deadline, dependencies);
    } catch (error) {
      if (!isLasting(error)) throw error;
      // One by one, each once more: only those are set aside that fail alone, and again.
      for (const deletion of together) await applyOrSetAside(tenant, deletion, deadline, dependencies);
    }
  }
}

async function applyOrSetAside(
  tenant: Tenant,
  { deletionId }: LoggedDeletion,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  try {
    const pending = await findPendingDeletions(tenant.tenantId, [deletionId], dependencies.store, deadline);
    await applyTogether(tenant, pending, deadline, dependencies);
  } catch (error) {
    if (!isLasting(error)) throw error;
    await setAside(tenant.tenantId, deletionId, error, deadline, dependencies);
  }
}

/** Applies deletions in one commit or, where they match many records, in some. They are read again after each. */
async function applyTogether(
  tenant: Tenant,
  deletions: readonly LoggedDeletion[],
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  const { store } = dependencies;
  const ids = deletions.map(({ deletionId }) => deletionId);
  let pending = deletions;
  let isCurrent = true;
  await settle(
    [ids],
    async (open) => {
      if (!isCurrent) pending = await findPendingDeletions(tenant.tenantId, ids, store, deadline);
      isCurrent = false;
      if (pending.length === 0) return [];
      const { writes, isLast } = await planStep(tenant, pending, deadline, dependencies);
      const outcome = await store.commit(writes, deadline);
      return outcome !== 'conflict' && isLast ? [] : open;
    },
    deadline,
    dependencies,
  );
}
