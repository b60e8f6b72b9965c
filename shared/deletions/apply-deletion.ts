/**
 * Applies pending deletions: each is one commit with its own removal, so that it happens once, and none waits for
 * another one. Whoever is about to write a record applies what is pending for it before.
 */
import { chunksOf } from '../chunks';
import type { Deadline } from '../deadline';
import { toDeletionId } from '../domain/deletion';
import type { RecordId, RecordKind } from '../domain/identity';
import {
  DELETIONS_AT_ONCE,
  DELETIONS_IN_COMMIT,
  DELETIONS_LEAVE_MS,
  FEW_PENDING_DELETIONS,
  PENDING_DELETIONS_PAGE,
} from '../domain/limits';
import { inParallel } from '../in-parallel';
import type { Tenant } from '../domain/tenant';
import type { RecordDependencies } from '../records/record-dependencies';
import { ContentionTimeout, settle } from '../records/settle';
import type { PendingDeletion } from './pending-deletions';
import { findPendingDeletions, listPendingDeletions } from './pending-deletions';
import type { RaisedFlag } from './pending-flag';
import { planDeletions } from './plan-deletion';
import { isLasting, setAside } from './set-aside';

/** More deletions are pending than there is time for. Some were applied, so that a repeat comes further. */
export class DeletionsPending extends ContentionTimeout {}

/**
 * Applies what is pending for identities of records that are to be written. Deletions of other records are not waited
 * for, however many there are. @param flag undefined: it is lowered, and nothing is read
 * @throws ContentionTimeout
 */
export async function applyDeletionsOf(
  tenant: Tenant,
  kind: RecordKind,
  ids: Iterable<RecordId>,
  flag: Pick<RaisedFlag, 'hasWide'> | undefined,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  if (!flag) return;
  const pending = await findPendingOf(tenant.tenantId, kind, new Set(ids), deadline, dependencies);
  await applyAll(tenant, pending, deadline, dependencies);
}

/** What is pending for some identities: all of the kind are looked through where they are few. */
export async function findPendingOf(
  tenantId: string,
  kind: RecordKind,
  ids: ReadonlySet<RecordId>,
  deadline: Deadline,
  { store }: Pick<RecordDependencies, 'store'>,
): Promise<PendingDeletion[]> {
  if (ids.size > FEW_PENDING_DELETIONS) {
    const some = await listPendingDeletions(tenantId, kind, { limit: FEW_PENDING_DELETIONS }, store, deadline);
    if (some.length < FEW_PENDING_DELETIONS) return some.filter(({ id }) => ids.has(id));
  }
  const deletionIds = [...ids].map((id) => toDeletionId(kind, id));
  return findPendingDeletions(tenantId, deletionIds, store, deadline);
}

/** Applies those of these deletions that are pending. Repeating it is safe. @throws ContentionTimeout */
export async function applyDeletions(
  tenant: Tenant,
  deletionIds: readonly string[],
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  const pending = await findPendingDeletions(tenant.tenantId, deletionIds, dependencies.store, deadline);
  await applyAll(tenant, pending, deadline, dependencies);
}

/**
 * Applies all pending deletions of a kind, page by page. Repeating it is safe: what it has applied is not pending any
 * more. @throws DeletionsPending when there are more than the time allows, after at least a page; ContentionTimeout
 */
export async function applyPendingDeletions(
  tenant: Tenant,
  kind: RecordKind,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  for (let after: PendingDeletion | undefined; ;) {
    const page = { limit: PENDING_DELETIONS_PAGE, after };
    const pending = await listPendingDeletions(tenant.tenantId, kind, page, dependencies.store, deadline);
    await applyAll(tenant, pending, deadline, dependencies);
    if (pending.length < PENDING_DELETIONS_PAGE) return;
    after = pending.at(-1);
    if (deadline.remainingMs() < DELETIONS_LEAVE_MS)
      throw new DeletionsPending('Accepted deletions are being applied.');
  }
}

async function applyAll(
  tenant: Tenant,
  pending: readonly PendingDeletion[],
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  await inParallel(chunksOf(pending, DELETIONS_IN_COMMIT), DELETIONS_AT_ONCE, async (together) => {
    let rest: readonly PendingDeletion[] = together;
    while (rest.length > 0) {
      const applied = await tryTogether(tenant, rest, deadline, dependencies);
      if (applied === 0) break;
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
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<number> {
  try {
    const { writes, taken } = await planDeletions(tenant, together, deadline, dependencies);
    return (await dependencies.store.commit(writes, deadline)) === 'conflict' ? 0 : taken;
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
  await settle(
    [deletionId],
    async (open) => {
      const pending = await findPendingDeletions(tenant.tenantId, open, store, deadline);
      if (pending.length === 0) return [];
      try {
        const { writes } = await planDeletions(tenant, pending, deadline, dependencies);
        return (await store.commit(writes, deadline)) === 'conflict' ? open : [];
      } catch (error) {
        if (!isLasting(error)) throw error;
        await setAside(tenant.tenantId, deletionId, error, deadline, dependencies);
        return [];
      }
    },
    deadline,
    dependencies,
  );
}
