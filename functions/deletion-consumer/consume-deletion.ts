import type { AdmissionStore } from '../../shared/auth/admission-store';
import { isBeingErased } from '../../shared/auth/served-tenant';
import { applyFoundDeletions, applyUnread, drainDeletions } from '../../shared/deletions/apply-deletion';
import { endDrain, requestDrain } from '../../shared/deletions/drains';
import { findPendingDeletions } from '../../shared/deletions/pending-deletions';
import { parseUnreadRemoval } from '../../shared/deletions/unread-removal';
import { parseDeletionId } from '../../shared/domain/deletion';
import { RECORD_KINDS } from '../../shared/domain/identity';
import { DELETIONS_IN_EVENT } from '../../shared/limits/deletions';
import { parseTenantId } from '../../shared/domain/tenant';
import type { EventHandler } from '../../shared/events/event-handler';
import { UnprocessableEvent } from '../../shared/events/event-handler';
import { inTrace, traceOfMessage } from '../../shared/events/in-trace';
import { waitForAll } from '../../shared/platform/async/in-parallel';
import type { RecordDependencies } from '../../shared/workspace/record-dependencies';
import type { SweepDependencies, SweepCursor } from './sweep';
import { remindOfSetAside, sweepFlags } from './sweep';

export type ConsumerDependencies = RecordDependencies & SweepDependencies & { readonly admissionStore: AdmissionStore };

/**
 * Handles the events of the deletions topic:
 *
 * - `{"tenantId", "deletionIds"}` applies these deletions. Those applied already change nothing. With `removal`, those
 *   of customers are applied unread, if nothing has changed since they were accepted.
 * - `{"tenantId", "drain"}` applies all pending deletions of a kind.
 * - `{"sweep": true}` sweeps the raised flags (`sweep.ts`).
 *
 * A drain or sweep that runs out of time publishes another event for the rest. What is pending of a tenant that is
 * being erased goes with it.
 */
export function createDeletionConsumer(instance: ConsumerDependencies): EventHandler {
  return async (event, deadline, message) => {
    const dependencies = inTrace(instance, traceOfMessage(message));
    const { tenantId, deletionIds, removal, drain, sweep, after } = (event ?? {}) as Record<string, unknown>;
    if (sweep === true) {
      const cursor = readCursor(after);
      await sweepFlags({ sweep, ...(cursor && { after: cursor }) }, deadline, dependencies);
      if (!cursor) await remindOfSetAside(deadline, dependencies);
      return;
    }

    const id = typeof tenantId === 'string' ? parseTenantId(tenantId) : undefined;
    const kind = RECORD_KINDS.find((candidate) => candidate === drain);
    const ids = readIds(deletionIds);
    if (!id || !(kind ?? ids)) {
      throw new UnprocessableEvent('The event is no deletion: it needs a tenantId and deletionIds.');
    }
    const named = kind ? [] : (ids ?? []);
    const unread = parseUnreadRemoval(named, removal);
    if (unread && (await applyUnread(id, named, unread, deadline, dependencies))) return;
    // Most messages name one deletion, which is read in one call with its tenant.
    const [tenant, found] = await waitForAll([
      dependencies.admissionStore.findTenant(id, deadline),
      findPendingDeletions(id, named, dependencies.store, deadline),
    ]);
    if (!tenant) {
      if (await isBeingErased(id, dependencies.store, deadline)) return;
      throw new UnprocessableEvent('The tenant of the deletion does not exist.');
    }
    if (!kind) return applyFoundDeletions(tenant, found, deadline, dependencies, { leavesRenewed: true });
    const drained = { tenantId: tenant.tenantId, kind };
    for (let passes = 0; passes < 2; passes += 1) {
      if (!(await drainDeletions(tenant, kind, deadline, dependencies))) {
        // It made progress, so it is no failure. A new event comes at once, and has no limit of attempts.
        await requestDrain(drained, deadline, dependencies);
        return;
      }
      if (!(await endDrain(drained, deadline, dependencies))) return;
    }
  };
}

/** The cursor after which a sweep continues. Undefined: it starts at the beginning. @throws UnprocessableEvent */
function readCursor(after: unknown): SweepCursor | undefined {
  if (after === undefined) return undefined;
  const { tenantId, kind } = (after ?? {}) as Record<string, unknown>;
  const parsedTenantId = typeof tenantId === 'string' ? parseTenantId(tenantId) : undefined;
  const parsedKind = RECORD_KINDS.find((candidate) => candidate === kind);
  if (!parsedTenantId || !parsedKind) {
    throw new UnprocessableEvent('The event is no sweep: it goes on after no tenant and kind.');
  }
  return { tenantId: parsedTenantId, kind: parsedKind };
}

/** Undefined when it is no list of deletion ids, or is too long. */
function readIds(deletionIds: unknown): string[] | undefined {
  if (!Array.isArray(deletionIds) || deletionIds.length > DELETIONS_IN_EVENT) return undefined;
  const isId = (id: unknown) => typeof id === 'string' && parseDeletionId(id) !== undefined;
  return deletionIds.every(isId) ? (deletionIds as string[]) : undefined;
}
