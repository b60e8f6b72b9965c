/** Operators' use cases about deletions that were set aside: accepted, but impossible to apply. */
import { performAct } from '../audit/audit-log';
import { applyDeletions, drainDeletions } from '../deletions/apply-deletion';
import { raiseFlag } from '../deletions/pending-flag';
import type { SetAsideDeletion } from '../deletions/set-aside';
import { isWide, listSetAsideDeletions, toRetryWrites } from '../deletions/set-aside';
import { applyWideDeletion } from '../deletions/wide-deletions';
import type { RecordKind } from '../domain/identity';
import { RECORD_KINDS } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import { retryConflicts } from '../workspace/retry-conflicts';
import type { Operator, OperatorMeans } from './operator';
import { requireTenant } from './tenants';

/** A deletion that was set aside, as it is shown. */
export interface ShownDeletion {
  readonly deletionId: string;
  readonly kind: RecordKind;
  /** Products and orders: the requested deletions in order. Customers: the records that the deletion names. */
  readonly meant: unknown;
  readonly acceptedAt: string;
  readonly setAsideAt: string;
  readonly reason: string;
}

/** A tenant's deletions that were set aside. @throws OperatorError */
export async function listSetAside(
  tenantGuid: string,
  operator: Pick<Operator, 'store' | 'deadline'>,
): Promise<ShownDeletion[]> {
  const { tenantId } = await requireTenant(tenantGuid, operator);
  const shown: ShownDeletion[] = [];
  for await (const deletion of listSetAsideDeletions(tenantId, operator.store, operator.deadline)) {
    const { deletionId, kind, entry, acceptedAt, setAsideAt, reason } = deletion;
    const times = { acceptedAt: acceptedAt.toISOString(), setAsideAt: setAsideAt.toISOString() };
    shown.push({ deletionId, kind, meant: entry.targets ?? entry.customers ?? null, ...times, reason });
  }
  return shown;
}

/**
 * Makes a tenant's deletions that were set aside pending again, and applies them. Records that were written after a
 * deletion was accepted stay (D-41). A repeat is safe. @throws OperatorError
 * @returns `retried`: deletions made pending; `setAside`: deletions that could not be applied this time either
 */
export async function retryDeletions(
  tenantGuid: string,
  operator: Operator,
): Promise<{ retried: number; setAside: number }> {
  const tenant = await requireTenant(tenantGuid, operator);
  const { tenantId, organizationId } = tenant;
  return performAct(
    operator,
    { action: 'deletions.retry', tenantId, organizationId },
    (means) => retryAll(tenant, means),
    (counts) => counts,
  );
}

async function retryAll(tenant: Tenant, means: OperatorMeans): Promise<{ retried: number; setAside: number }> {
  let retried = 0;
  for await (const deletion of listSetAsideDeletions(tenant.tenantId, means.store, means.deadline)) {
    // A pending one by the same identifier may take long.
    if (isWide(tenant.tenantId, deletion.pendingPath)) await applyAllPending(tenant, deletion.kind, means);
    await makePendingAgain(tenant, deletion, means);
    retried += 1;
  }
  for (const kind of RECORD_KINDS) await applyAllPending(tenant, kind, means);
  return { retried, setAside: (await listSetAside(tenant.tenantId, means)).length };
}

/**
 * Makes a deletion pending again, after it has applied a pending deletion of the same identity. Does nothing when
 * another command was faster.
 * @throws RetryLater when that one cannot be applied, and was accepted again meanwhile
 * @throws ContentionTimeout
 */
export async function makePendingAgain(
  tenant: Tenant,
  deletion: SetAsideDeletion,
  operator: Pick<OperatorMeans, 'store' | 'clock' | 'random' | 'deadline'>,
): Promise<void> {
  const { store } = operator;
  const { tenantId } = tenant;
  await retryConflicts(
    [deletion],
    async (open) => {
      const deadline = operator.deadline();
      if (!(await store.get(deletion.path, deadline))) return [];
      const hasWide = isWide(tenantId, deletion.pendingPath);
      if (hasWide) await applyWideDeletion(tenant, deletion.deletionId, deadline, operator);
      else await applyDeletions(tenant, [deletion.deletionId], deadline, operator);
      const flag = await raiseFlag(tenantId, deletion.kind, { isWide: hasWide }, deadline, operator);
      const returned = toRetryWrites(tenantId, deletion, new Date(operator.clock.nowMs()));
      const writes = [...returned, { check: flag.path, when: flag.version }];
      return (await store.commit(writes, deadline)) === 'conflict' ? open : [];
    },
    operator.deadline(),
    operator,
  );
}

/** Applies all pending deletions of a kind, however many there are. */
export async function applyAllPending(
  tenant: Tenant,
  kind: RecordKind,
  operator: Pick<OperatorMeans, 'store' | 'clock' | 'random' | 'deadline' | 'progress'>,
): Promise<void> {
  while (!(await drainDeletions(tenant, kind, operator.deadline(), operator))) {
    operator.progress(`Deletions of ${kind} are being applied.`);
  }
}
