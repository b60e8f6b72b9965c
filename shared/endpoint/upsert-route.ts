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

/** A batch as it was sent. */
function lengthOf(body: unknown): number {
  return Array.isArray(body) ? body.length : 0;
}

/** A batch, and what is true of its tenant now that all of it has arrived. */
interface Arrived {
  readonly body: unknown;
  /** Whether deletions are pending. */
  readonly flag: Promise<PendingHint | undefined>;
  readonly mayHoldLarge: Promise<boolean>;
  /** What is planned while the caller is admitted, by the settings that the tenant had last. */
  readonly ahead: { readonly tenant: Tenant; readonly planned: Promise<PlannedBatch> } | undefined;
}

/** A valid batch, planned by a tenant's settings. */
interface PlannedBatch {
  readonly count: number;
  readonly ignoredFields: readonly string[];
  readonly store: PlannedUpsert;
}

/** The row of an upsert (Spec §4.2): `POST /<tenant_id>` with a batch; a 500 or 503 may be repeated as it is. */
export function upsertRoute<Dto>(definition: UpsertDefinition<Dto>, dependencies: UpsertDependencies): AnyRoute {
  const { kind, savedMessage } = definition;
  const { store } = dependencies;
  const plan = async (body: unknown, tenant: Tenant): Promise<PlannedBatch> => {
    const { records, ignoredFields } = await definition.validate.inShares(body, tenant);
    const planned = await definition.plan(records, tenant, dependencies);
    return { count: records.length, ignoredFields, store: planned };
  };
  return route<Arrived>({
    method: 'POST',
    path: '/:tenantId',
    permission: kind,
    failureMessage: UNEXPECTED_ERROR,
    tenantFrom: 'path',
    read: async (request, tenantId, { deadline }, likelyTenant) => {
      const body = await request.body('array');
      const flag = findPendingHint(tenantId, kind, lengthOf(body), store, deadline);
      // Admission has read the tenant before a slow body arrived. This is asked for at the same moment as the flag, and
      // so is one call with it.
      const mayHoldLarge = findMayHoldLarge(tenantId, likelyTenant, deadline);
      for (const read of [flag, mayHoldLarge]) read.catch(() => undefined); // whoever needs it sees its failure
      if (!likelyTenant) return { body, flag, mayHoldLarge, ahead: undefined };
      await nextTurn(); // planning keeps everything else waiting: the flag is asked for first
      const planned = plan(body, likelyTenant);
      planned.catch(() => undefined); // what is wrong is reported after the checks
      return { body, flag, mayHoldLarge, ahead: { tenant: likelyTenant, planned } };
    },
    run: async ({ body, flag, mayHoldLarge, ahead }, tenant, { deadline }) => {
      // What was planned by settings that have changed since is planned by those of now.
      const planned = ahead && isDeepStrictEqual(ahead.tenant, tenant) ? ahead.planned : plan(body, tenant);
      const { count, ignoredFields, store: storePlanned } = await planned;
      if (count > 0) await storePlanned(flag, deadline, mayHoldLarge);
      const processedAt = new Date(dependencies.clock.nowMs()).toISOString();
      return batchSuccess(savedMessage, count, { processedAt }, ignoredFields);
    },
  });

  async function findMayHoldLarge(tenantId: TenantId, likely: Tenant | undefined, deadline: Deadline) {
    if (kind === 'customers') return false;
    return likely?.hasLargeRecords === true || mayHoldLargeRecords(tenantId, store, deadline);
  }
}
