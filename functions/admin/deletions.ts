/** The operator's commands about accepted deletions that cannot be applied. */
import { applyPendingDeletions, DeletionsPending } from '../../shared/deletions/apply-deletion';
import { toReturned } from '../../shared/deletions/deletion-log';
import type { SetAsideDeletion } from '../../shared/deletions/set-aside';
import { listSetAsideDeletions } from '../../shared/deletions/set-aside';
import type { RecordKind } from '../../shared/domain/identity';
import { RECORD_KINDS } from '../../shared/domain/identity';
import type { Tenant } from '../../shared/domain/tenant';
import type { Operator } from './connection';
import { requireTenant } from './tenants';

/** A deletion that was set aside, as it is shown. */
export interface ShownDeletion {
  readonly deletionId: string;
  readonly kind: RecordKind;
  /** As it was sent. */
  readonly target: unknown;
  readonly acceptedAt: string;
  readonly setAsideAt: string;
  readonly reason: string;
}

/** A tenant's deletions that were set aside, in the order of acceptance. @throws OperatorError */
export async function listSetAside(tenantGuid: string, operator: Operator): Promise<ShownDeletion[]> {
  const { tenantId } = await requireTenant(tenantGuid, operator);
  const shown: ShownDeletion[] = [];
  for await (const deletion of listSetAsideDeletions(tenantId, operator.store, operator.deadline)) {
    const { deletionId, kind, entry, acceptedAt, setAsideAt, reason } = deletion;
    const times = { acceptedAt: acceptedAt.toISOString(), setAsideAt: setAsideAt.toISOString() };
    shown.push({ deletionId, kind, target: entry.target ?? null, ...times, reason });
  }
  return shown;
}

/**
 * Puts a tenant's deletions that were set aside back into the log, where they stood, and applies them; records that
 * were written since a deletion was accepted stay (D-41). Safe to run again. @throws OperatorError
 * @returns how many were put back, and how many could not be applied again
 */
export async function retryDeletions(
  tenantGuid: string,
  operator: Operator,
): Promise<{ retried: number; setAside: number }> {
  const tenant = await requireTenant(tenantGuid, operator);
  let retried = 0;
  for await (const deletion of listSetAsideDeletions(tenant.tenantId, operator.store, operator.deadline)) {
    await putBack(tenant.tenantId, deletion, operator);
    retried += 1;
  }
  for (const kind of RECORD_KINDS) await applyAllPending(tenant, kind, operator);
  return { retried, setAside: (await listSetAside(tenantGuid, operator)).length };
}

/** Does nothing when another command was first. */
async function putBack(
  tenantId: string,
  { path, version, deletionId, kind, entry }: SetAsideDeletion,
  { store, random, deadline }: Operator,
): Promise<void> {
  const cause = random.bytes(15).toString('base64url');
  const returned = toReturned(tenantId, deletionId, kind, entry, cause);
  await store.commit([{ delete: path, when: version }, ...returned], deadline());
}

/** Applies all pending deletions of a kind, however many there are. */
export async function applyAllPending(
  tenant: Tenant,
  kind: RecordKind,
  operator: Pick<Operator, 'store' | 'clock' | 'random' | 'deadline' | 'progress'>,
): Promise<void> {
  for (;;) {
    try {
      await applyPendingDeletions(tenant, kind, operator.deadline(), operator);
      return;
    } catch (error) {
      if (!(error instanceof DeletionsPending)) throw error;
      operator.progress(`Deletions of ${kind} are being applied.`);
    }
  }
}
