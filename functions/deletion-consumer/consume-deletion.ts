import type { AdmissionStore } from '../../shared/auth/admission-store';
import { applyDeletions, drainDeletions } from '../../shared/deletions/apply-deletion';
import type { DrainRequested } from '../../shared/domain/deletion';
import { parseDeletionId } from '../../shared/domain/deletion';
import { RECORD_KINDS } from '../../shared/domain/identity';
import { DELETIONS_IN_EVENT } from '../../shared/limits/deletions';
import { parseTenantId } from '../../shared/domain/tenant';
import type { EventHandler } from '../../shared/events/event-handler';
import { UnprocessableEvent } from '../../shared/events/event-handler';
import type { RecordDependencies } from '../../shared/workspace/record-dependencies';
import type { SweepDependencies, SweepCursor } from './sweep';
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
      const index = readPlace(after);
      if (!index) await remindOfSetAside(deadline, dependencies);
      return sweepFlags({ sweep, ...(index && { after: index }) }, deadline, dependencies);
    }

    const id = typeof tenantId === 'string' ? parseTenantId(tenantId) : undefined;
    const kind = RECORD_KINDS.find((one) => one === drain);
    const ids = readIds(deletionIds);
    if (!id || !(kind ?? ids)) {
      throw new UnprocessableEvent('The event is no deletion: it needs a tenantId and deletionIds.');
    }
    const tenant = await dependencies.admissionStore.findTenant(id, deadline);
    if (!tenant) throw new UnprocessableEvent('The tenant of the deletion does not exist.'); // or is being erased
    if (!kind) return applyDeletions(tenant, ids ?? [], deadline, dependencies);
    if (await drainDeletions(tenant, kind, deadline, dependencies)) return;
    // It came forward, so that it is no failure: asked for anew it comes at once, however often.
    const again: DrainRequested = { tenantId: tenant.tenantId, drain: kind };
    await dependencies.publisher.publish(dependencies.deletionsTopic, again);
  };
}

/** Where a sweep goes on; undefined: at the beginning. @throws UnprocessableEvent */
function readPlace(after: unknown): SweepCursor | undefined {
  if (after === undefined) return undefined;
  const { tenantId, kind } = (after ?? {}) as Record<string, unknown>;
  const tenant = typeof tenantId === 'string' ? parseTenantId(tenantId) : undefined;
  const known = RECORD_KINDS.find((one) => one === kind);
  if (!tenant || !known) throw new UnprocessableEvent('The event is no sweep: it goes on after no tenant and kind.');
  return { tenantId: tenant, kind: known };
}

/** Undefined: it is no list of ids of deletions. */
function readIds(deletionIds: unknown): string[] | undefined {
  if (!Array.isArray(deletionIds) || deletionIds.length > DELETIONS_IN_EVENT) return undefined;
  const isId = (id: unknown) => typeof id === 'string' && parseDeletionId(id) !== undefined;
  return deletionIds.every(isId) ? (deletionIds as string[]) : undefined;
}
