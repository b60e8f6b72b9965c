import type { AdmissionStore } from '../../shared/auth/admission-store';
import { applyDeletion, DeletionsPending } from '../../shared/deletions/apply-deletion';
import type { DeletionRequested } from '../../shared/domain/deletion';
import { parseDeletionId } from '../../shared/domain/deletion';
import { RECORD_KINDS } from '../../shared/domain/identity';
import { parseTenantId } from '../../shared/domain/tenant';
import type { EventHandler } from '../../shared/events/push-handler';
import { UnprocessableEvent } from '../../shared/events/push-handler';
import type { RecordDependencies } from '../../shared/records/record-dependencies';
import type { SweepDependencies, SweepPlace } from './sweep';
import { remindOfSetAside, republishOverdueDeletions } from './sweep';

export type ConsumerDependencies = RecordDependencies & SweepDependencies & { readonly admissionStore: AdmissionStore };

/**
 * Handles an event of the deletions topic: `{"tenantId", "deletionId"}` applies an accepted deletion (one that is
 * already applied changes nothing), `{"sweep": true}` publishes overdue ones again. What takes longer than there is
 * time for is asked for again.
 */
export function createDeletionConsumer(dependencies: ConsumerDependencies): EventHandler {
  const { publisher, deletionsTopic } = dependencies;
  return async (event, deadline) => {
    const { tenantId, deletionId, sweep, after } = (event ?? {}) as Record<string, unknown>;
    if (sweep === true) {
      const place = readPlace(after);
      if (!place) await remindOfSetAside(deadline, dependencies);
      return republishOverdueDeletions({ sweep, ...(place && { after: place }) }, deadline, dependencies);
    }

    const tenant = typeof tenantId === 'string' ? parseTenantId(tenantId) : undefined;
    if (!tenant || typeof deletionId !== 'string' || !parseDeletionId(deletionId)) {
      throw new UnprocessableEvent('The event is no deletion: it needs a tenantId and a deletionId.');
    }
    const known = await dependencies.admissionStore.findTenant(tenant, deadline);
    if (!known) throw new UnprocessableEvent('The tenant of the deletion does not exist.'); // or is being erased
    try {
      await applyDeletion(known, deletionId, deadline, dependencies);
    } catch (error) {
      if (!(error instanceof DeletionsPending)) throw error;
      // It came forward, so that it is no failure: asked for anew it comes at once, however often.
      const again: DeletionRequested = { tenantId: tenant, deletionId };
      await publisher.publish(deletionsTopic, again);
    }
  };
}

/** Where a sweep goes on; undefined: at the beginning. @throws UnprocessableEvent */
function readPlace(after: unknown): SweepPlace | undefined {
  if (after === undefined) return undefined;
  const { tenantId, kind } = (after ?? {}) as Record<string, unknown>;
  const tenant = typeof tenantId === 'string' ? parseTenantId(tenantId) : undefined;
  const known = RECORD_KINDS.find((one) => one === kind);
  if (!tenant || !known) throw new UnprocessableEvent('The event is no sweep: it goes on after no tenant and kind.');
  return { tenantId: tenant, kind: known };
}
