import type { Deadline } from '../deadline';
import type { RecordKind } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import type { UpsertDependencies } from '../records/record-dependencies';
import type { BatchValidator, ValidBatch } from '../validation/batch';
import { readJsonBody } from './body';
import type { AnyRoute } from './route';
import { route, UNEXPECTED_ERROR } from './route';

export interface UpsertDefinition<Dto> {
  readonly kind: RecordKind;
  /** `Customers saved.` */
  readonly savedMessage: string;
  readonly validate: BatchValidator<Dto>;
  /** Stores the records after the effect of every deletion that was accepted before (D-41). */
  readonly upsert: (
    records: readonly Dto[],
    tenant: Tenant,
    deadline: Deadline,
    dependencies: UpsertDependencies,
  ) => Promise<void>;
}

/** The row of an upsert (Spec §4.2): `POST /<tenant_id>` with a batch; a 500 may be repeated as it is. */
export function upsertRoute<Dto>(definition: UpsertDefinition<Dto>, dependencies: UpsertDependencies): AnyRoute {
  return route<ValidBatch<Dto>>({
    method: 'POST',
    path: '/:tenantId',
    permission: definition.kind,
    failureMessage: UNEXPECTED_ERROR,
    tenantFrom: 'path',
    read: async ({ message }, tenant) => definition.validate(await readJsonBody(message, 'array'), tenant),
    run: async ({ records, ignoredFields }, tenant, { deadline }) => {
      if (records.length > 0) await definition.upsert(records, tenant, deadline, dependencies);
      const processedAt = new Date(dependencies.clock.nowMs()).toISOString();
      return {
        message: definition.savedMessage,
        data: { count: records.length, processedAt, ...(ignoredFields.length > 0 && { ignoredFields }) },
      };
    },
  });
}
