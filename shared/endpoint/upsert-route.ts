import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Deadline } from '../platform/deadline';
import type { PendingHint } from '../deletions/pending-flag';
import { findPendingHint } from '../deletions/pending-flag';
import type { RecordKind } from '../domain/identity';
import type { Tenant, TenantId } from '../domain/tenant';
import { mayHoldLargeRecords } from '../workspace/large-records';
import type { PlannedUpsert } from '../records/planned-upsert';
import type { UpsertDependencies } from '../records/upsert-dependencies';
import type { BatchValidator } from '../validation/batch';
import { batchSuccess } from './batch-answer';
import type { AnyRoute } from './route';
import { route, UNEXPECTED_ERROR } from './route';

export interface UpsertDefinition<Dto> {
  readonly kind: RecordKind;
  /** `Customers saved.` */
  readonly savedMessage: string;
  readonly validate: BatchValidator<Dto>;
  readonly plan: (
    records: readonly Dto[],
    tenant: Tenant,
    dependencies: UpsertDependencies,
  ) => PlannedUpsert | Promise<PlannedUpsert>;
}

/** A batch, and the state of its tenant when all of the batch had arrived. */
interface ArrivedBatch {
  readonly body: unknown;
  /** Whether deletions are pending. */
  readonly flag: Promise<PendingHint | undefined>;
  readonly mayHoldLarge: Promise<boolean>;
  /** The plan that is made while the caller is admitted, by the settings that the tenant had last time. */
  readonly ahead: { readonly tenant: Tenant; readonly planned: Promise<PlannedBatch> } | undefined;
}

/** A valid batch, planned by a tenant's settings. */
interface PlannedBatch {
  readonly count: number;
  readonly ignoredFields: readonly string[];
  readonly store: PlannedUpsert;
}

/**
 * The route of an upsert (Spec §4.2): `POST /<tenant_id>` with a batch. After a 500 or 503 it may be repeated as it is.
 */
export function upsertRoute<Dto>(definition: UpsertDefinition<Dto>, dependencies: UpsertDependencies): AnyRoute {
  const { kind, savedMessage } = definition;
  const { store } = dependencies;
  const plan = async (body: unknown, tenant: Tenant): Promise<PlannedBatch> => {
    const { records, ignoredFields } = await definition.validate.inShares(body, tenant);
    const planned = await definition.plan(records, tenant, dependencies);
    return { count: records.length, ignoredFields, store: planned };
  };
  return route<ArrivedBatch>({
    method: 'POST',
    path: '/:tenantId',
    permission: kind,
    failureMessage: UNEXPECTED_ERROR,
    tenantFrom: 'path',
    read: async (request, tenantId, { deadline }, likelyTenant) => {
      const body = await request.body('array');
      const flag = findPendingHint(tenantId, kind, lengthOf(body), store, deadline);
      // The tenant that admission read may be outdated when a slow body has arrived, so this is read again. It is read
      // at the same moment as the flag, which makes both one call.
      const mayHoldLarge = findMayHoldLarge(tenantId, likelyTenant, deadline);
      for (const read of [flag, mayHoldLarge]) read.catch(() => undefined); // `run` sees the failure
      if (!likelyTenant) return { body, flag, mayHoldLarge, ahead: undefined };
      await nextTurn(); // sends the read of the flag, before planning holds the event loop
      const planned = plan(body, likelyTenant);
      planned.catch(() => undefined); // reported by `run`, after the checks
      return { body, flag, mayHoldLarge, ahead: { tenant: likelyTenant, planned } };
    },
    run: async ({ body, flag, mayHoldLarge, ahead }, tenant, { deadline }) => {
      // A plan by settings that have changed since is made anew.
      const planned = ahead && isDeepStrictEqual(ahead.tenant, tenant) ? ahead.planned : plan(body, tenant);
      const { count, ignoredFields, store: storePlanned } = await planned;
      if (count > 0) await storePlanned(flag, deadline, mayHoldLarge);
      const processedAt = new Date(dependencies.clock.nowMs()).toISOString();
      return batchSuccess(savedMessage, count, { processedAt }, ignoredFields);
    },
  });

  /** Whether the tenant may hold large records. Customers are never large. */
  async function findMayHoldLarge(tenantId: TenantId, likely: Tenant | undefined, deadline: Deadline) {
    if (kind === 'customers') return false;
    return likely?.hasLargeRecords === true || mayHoldLargeRecords(tenantId, store, deadline);
  }
}

/** The number of elements of a batch that is not validated yet. */
function lengthOf(body: unknown): number {
  return Array.isArray(body) ? body.length : 0;
}
