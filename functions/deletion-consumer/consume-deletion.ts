import type { AdmissionStore } from '../../shared/auth/admission-store';
import type { Deadline } from '../../shared/deadline';
import { applyDeletions, applyPendingDeletions, DeletionsPending } from '../../shared/deletions/apply-deletion';
import { applyWideDeletion, listWideDeletions } from '../../shared/deletions/wide-deletions';
import type { DrainRequested } from '../../shared/domain/deletion';
import { parseDeletionId } from '../../shared/domain/deletion';
import type { RecordKind } from '../../shared/domain/identity';
import { RECORD_KINDS } from '../../shared/domain/identity';
import { DELETIONS_IN_EVENT } from '../../shared/domain/limits';
import type { Tenant } from '../../shared/domain/tenant';
import { parseTenantId } from '../../shared/domain/tenant';
import type { EventHandler } from '../../shared/events/push-handler';
import { UnprocessableEvent } from '../../shared/events/push-handler';
import type { RecordDependencies } from '../../shared/records/record-dependencies';
import type { SweepDependencies } from './sweep';
import { remindOfSetAside, sweepFlags } from './sweep';

export type ConsumerDependencies = RecordDependencies & SweepDependencies & { readonly admissionStore: AdmissionStore };

/**
 * Handles an event of the deletions topic: `{"tenantId", "deletionIds"}` applies accepted deletions (those that are
 * already applied change nothing), `{"tenantId", "drain"}` all that are pending of a kind, and `{"sweep": true}` looks
 * after what others left behind. What takes longer than there is time for is asked for again.
 */
export function createDeletionConsumer(dependencies: ConsumerDependencies): EventHandler {
  return async (event, deadline) => {
    const { tenantId, deletionIds, drain, sweep, after } = (event ?? {}) as Record<string, unknown>;
    if (sweep === true) {
      if (after === undefined) await remindOfSetAside(deadline, dependencies);
      return sweepFlags(typeof after === 'string' ? { sweep, after } : { sweep }, deadline, dependencies);
    }

    const id = typeof tenantId === 'string' ? parseTenantId(tenantId) : undefined;
    const kind = RECORD_KINDS.find((one) => one === drain);
    const ids = readIds(deletionIds);
    if (!id || !(kind ?? ids)) {
      throw new UnprocessableEvent('The event is no deletion: it needs a tenantId and deletionIds.');
    }
    const tenant = await dependencies.admissionStore.findTenant(id, deadline);
    if (!tenant) throw new UnprocessableEvent('The tenant of the deletion does not exist.');
    if (kind) return drainKind(tenant, kind, deadline, dependencies);
    await applyDeletions(tenant, ids ?? [], deadline, dependencies);
  };
}

/** Applies all pending deletions of a kind, or as many as there is time for. */
async function drainKind(
  tenant: Tenant,
  kind: RecordKind,
  deadline: Deadline,
  dependencies: ConsumerDependencies,
): Promise<void> {
  const { store, publisher, deletionsTopic } = dependencies;
  let isDone = true;
  try {
    await applyPendingDeletions(tenant, kind, deadline, dependencies);
    const wide = kind === 'customers' ? await listWideDeletions(tenant.tenantId, store, deadline) : [];
    for (const { deletionId } of wide) {
      isDone &&= await applyWideDeletion(tenant, deletionId, deadline, dependencies);
    }
  } catch (error) {
    if (!(error instanceof DeletionsPending)) throw error;
    isDone = false;
  }
  if (isDone) return;
  // It came forward, so that it is no failure: asked for anew it comes at once, however often.
  const again: DrainRequested = { tenantId: tenant.tenantId, drain: kind };
  await publisher.publish(deletionsTopic, again);
}

/** Undefined: it is no list of ids of deletions. */
function readIds(deletionIds: unknown): string[] | undefined {
  if (!Array.isArray(deletionIds) || deletionIds.length > DELETIONS_IN_EVENT) return undefined;
  const isId = (id: unknown) => typeof id === 'string' && parseDeletionId(id) !== undefined;
  return deletionIds.every(isId) ? (deletionIds as string[]) : undefined;
}
