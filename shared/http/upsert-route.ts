import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { RaisedMark } from '../deletions/deletion-log';
import { findRaisedMark } from '../deletions/deletion-log';
import type { RecordKind } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import type { PlannedUpsert } from '../records/planned-upsert';
import type { UpsertDependencies } from '../records/record-dependencies';
import type { BatchValidator } from '../validation/batch';
import type { AnyRoute } from './route';
import { route, UNEXPECTED_ERROR } from './route';

export interface UpsertDefinition<Dto> {
  readonly kind: RecordKind;
  /** `Customers saved.` */
  readonly savedMessage: string;
  readonly validate: BatchValidator<Dto>;
  readonly plan: (records: readonly Dto[], tenant: Tenant, dependencies: UpsertDependencies) => PlannedUpsert;
}

/** A batch, and whether deletions are pending now that all of it has arrived. */
interface Arrived {
  readonly body: unknown;
  readonly mark: Promise<RaisedMark | undefined>;
  /** What was planned while the caller was admitted; undefined: nothing, or it failed. */
  readonly ahead: PlannedBatch | undefined;
}

/** A valid batch, planned by a tenant's settings. */
interface PlannedBatch {
  readonly tenant: Tenant;
  readonly count: number;
  readonly ignoredFields: readonly string[];
  readonly store: PlannedUpsert;
}

/** The row of an upsert (Spec §4.2): `POST /<tenant_id>` with a batch; a 500 may be repeated as it is. */
export function upsertRoute<Dto>(definition: UpsertDefinition<Dto>, dependencies: UpsertDependencies): AnyRoute {
  const { kind, savedMessage } = definition;
  const plan = (body: unknown, tenant: Tenant): PlannedBatch => {
    const { records, ignoredFields } = definition.validate(body, tenant);
    return { tenant, count: records.length, ignoredFields, store: definition.plan(records, tenant, dependencies) };
  };
  return route<Arrived>({
    method: 'POST',
    path: '/:tenantId',
    permission: kind,
    failureMessage: UNEXPECTED_ERROR,
    tenantFrom: 'path',
    read: async (request, tenantId, { deadline }, likelyTenant) => {
      const body = await request.body('array');
      const mark = findRaisedMark(tenantId, kind, dependencies.store, deadline);
      mark.catch(() => undefined); // whoever needs it sees its failure
      if (!likelyTenant) return { body, mark, ahead: undefined };
      await nextTurn(); // planning keeps everything else waiting: the mark is asked for first
      return { body, mark, ahead: unlessItFails(() => plan(body, likelyTenant)) };
    },
    run: async ({ body, mark, ahead }, tenant, { deadline }) => {
      // What failed, or was planned by settings that have changed since, is planned by those of now.
      const isCurrent = isDeepStrictEqual(ahead?.tenant, tenant);
      const { count, ignoredFields, store } = ahead && isCurrent ? ahead : plan(body, tenant);
      if (count > 0) await store(mark, deadline);
      const processedAt = new Date(dependencies.clock.nowMs()).toISOString();
      return {
        message: savedMessage,
        data: { count, processedAt, ...(ignoredFields.length > 0 && { ignoredFields }) },
      };
    },
  });
}

function unlessItFails<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined; // it fails again after the checks, and is reported then
  }
}
