import type { AdmissionStore } from '../../shared/auth/admission-store';
import { applyDeletion } from '../../shared/deletions/apply-deletion';
import { parseTenantId } from '../../shared/domain/tenant';
import type { EventHandler } from '../../shared/events/push-handler';
import { UnprocessableEvent } from '../../shared/events/push-handler';
import type { RecordDependencies } from '../../shared/records/record-dependencies';
import type { SweepDependencies } from './sweep';
import { republishOverdueDeletions } from './sweep';

export type ConsumerDependencies = RecordDependencies & SweepDependencies & { readonly admissionStore: AdmissionStore };

const DELETION_ID = /^[A-Za-z0-9_-]{20}$/;

/**
 * Handles an event of the deletions topic: `{"tenantId", "deletionId"}` applies an accepted deletion (one that is
 * already applied changes nothing), `{"sweep": true}` publishes overdue ones again.
 */
export function createDeletionConsumer(dependencies: ConsumerDependencies): EventHandler {
  return async (event, deadline) => {
    const { tenantId, deletionId, sweep } = (event ?? {}) as Record<string, unknown>;
    if (sweep === true) return republishOverdueDeletions(deadline, dependencies);

    const tenant = typeof tenantId === 'string' ? parseTenantId(tenantId) : undefined;
    if (!tenant || typeof deletionId !== 'string' || !DELETION_ID.test(deletionId)) {
      throw new UnprocessableEvent('The event is no deletion: it needs a tenantId and a deletionId.');
    }
    const known = await dependencies.admissionStore.findTenant(tenant, deadline);
    if (!known) throw new UnprocessableEvent('The tenant of the deletion does not exist.');
    await applyDeletion(known, deletionId, deadline, dependencies);
  };
}
