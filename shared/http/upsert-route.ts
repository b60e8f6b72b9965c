import type { Deadline } from '../deadline';
import type { RaisedMark } from '../deletions/deletion-log';
import { findRaisedMark } from '../deletions/deletion-log';
import type { RecordKind } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import type { UpsertDependencies } from '../records/record-dependencies';
import type { BatchValidator } from '../validation/batch';
import type { AnyRoute } from './route';
import { route, UNEXPECTED_ERROR } from './route';

export interface UpsertDefinition<Dto> {
  readonly kind: RecordKind;
  /** `Customers saved.` */
  readonly savedMessage: string;
  readonly validate: BatchValidator<Dto>;
  /** Stores the records after the effect of every deletion that was accepted before the mark was read (D-41). */
  readonly upsert: (
    records: readonly Dto[],
    tenant: Tenant,
    deadline: Deadline,
    dependencies: UpsertDependencies,
    mark?: Promise<RaisedMark | undefined>,
  ) => Promise<void>;
}

/** A batch, and whether deletions are pending now that all of it has arrived. */
interface Arrived {
  readonly body: unknown;
  readonly mark: Promise<RaisedMark | undefined>;
}

/** The row of an upsert (Spec §4.2): `POST /<tenant_id>` with a batch; a 500 may be repeated as it is. */
export function upsertRoute<Dto>(definition: UpsertDefinition<Dto>, dependencies: UpsertDependencies): AnyRoute {
  const { kind, validate, upsert, savedMessage } = definition;
  return route<Arrived>({
    method: 'POST',
    path: '/:tenantId',
    permission: kind,
    failureMessage: UNEXPECTED_ERROR,
    tenantFrom: 'path',
    read: async (request, tenantId, { deadline }) => {
      const body = await request.body('array');
      const mark = findRaisedMark(tenantId, kind, dependencies.store, deadline);
      mark.catch(() => undefined); // whoever needs it sees its failure
      return { body, mark };
    },
    run: async ({ body, mark }, tenant, { deadline }) => {
      const { records, ignoredFields } = validate(body, tenant);
      if (records.length > 0) await upsert(records, tenant, deadline, dependencies, mark);
      const processedAt = new Date(dependencies.clock.nowMs()).toISOString();
      return {
        message: savedMessage,
        data: { count: records.length, processedAt, ...(ignoredFields.length > 0 && { ignoredFields }) },
      };
    },
  });
}
