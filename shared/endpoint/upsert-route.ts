import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Deadline } from '../platform/deadline';
import type { PendingHint } from '../deletions/pending-flag';
import { findPendingHint } from '../deletions/pending-flag';
import type { RecordKind } from '../domain/identity';
import type { Tenant, TenantId } from '../domain/tenant';
import type { Warnings } from '../domain/warnings/warning';
import { addWarnings, NO_WARNINGS } from '../domain/warnings/warning';
import { SKIPPING_ATTEMPTS } from '../limits/records';
import { waitForAll } from '../platform/async/in-parallel';
import { mayHoldLargeRecords } from '../workspace/large-records';
import type { PlannedUpsert, UpsertedCounts } from '../records/planned-upsert';
import { trialDependencies } from '../records/trial';
import type { UpsertDependencies } from '../records/upsert-dependencies';
import type { BatchValidator } from '../validation/batch';
import { ValidationFailed } from '../validation/validation-failed';
import { batchSuccess } from './batch-answer';
import { warnOfFields } from './batch-warnings';
import type { CheckedBatch, OnInvalid } from './on-invalid';
import { checkBatch, readOnInvalid, withoutRefused, withSentIndexes } from './on-invalid';
import type { OperationId } from './operation-id';
import type { AnyRoute } from './route';
import { route, UNEXPECTED_ERROR } from './route';
import { BATCH_PARAMETERS, checkByTrial, readValidateOnly, VALID_MESSAGES } from './validate-only';

export interface UpsertDefinition<Dto> {
  readonly operationId: OperationId;
  readonly kind: RecordKind;
  /** `Customers saved.` */
  readonly savedMessage: string;
  readonly validate: BatchValidator<Dto>;
  readonly plan: (
    records: readonly Dto[],
    tenant: Tenant,
    dependencies: UpsertDependencies,
  ) => PlannedUpsert | Promise<PlannedUpsert>;
  /** What to warn of records, by their indexes in the batch as it was sent; absent: nothing. Never rejects. */
  readonly warn?: (
    records: readonly Dto[],
    indexes: readonly number[] | undefined,
    tenant: Tenant,
    deadline: Deadline,
    dependencies: UpsertDependencies,
  ) => Promise<Warnings>;
}

/** A batch, and what it is planned with. */
interface SentBatch {
  readonly body: unknown;
  readonly onInvalid: OnInvalid;
  /** Whether it is tried out and not stored. */
  readonly isTrial: boolean;
  readonly dependencies: UpsertDependencies;
}

/** A batch, and the state of its tenant when all of the batch had arrived. */
interface ArrivedBatch<Dto> extends SentBatch {
  /** Whether deletions are pending. */
  readonly flag: Promise<PendingHint | undefined>;
  readonly mayHoldLarge: Promise<boolean>;
  /** The plan that is made while the caller is admitted, by the settings that the tenant had last time. */
  readonly ahead: { readonly tenant: Tenant; readonly planned: Promise<PlannedBatch<Dto>> } | undefined;
}

/** A valid batch, planned by a tenant's settings. */
interface PlannedBatch<Dto> {
  readonly batch: CheckedBatch<Dto>;
  /** Those of its fields. */
  readonly warnings: Warnings;
  readonly planned: Promise<PlannedUpsert>;
  /** Plans a part of it. */
  readonly planPart: (records: readonly Dto[]) => Promise<PlannedUpsert>;
}

/** A batch without what was skipped, and how many records it created and updated. */
interface StoredBatch<Dto> {
  readonly batch: CheckedBatch<Dto>;
  readonly counts: UpsertedCounts;
}

/**
 * The route of an upsert (Spec §4.2): `POST /<tenant_id>` with a batch. After a 500 or 503 it may be repeated as it is.
 * With `validateOnly` the same upsert is tried out, and nothing is stored.
 */
export function upsertRoute<Dto>(definition: UpsertDefinition<Dto>, dependencies: UpsertDependencies): AnyRoute {
  const { operationId, kind, savedMessage } = definition;
  const { store } = dependencies;
  const plan = async (sent: SentBatch, tenant: Tenant): Promise<PlannedBatch<Dto>> => {
    const batch = await checkBatch(definition.validate, sent.body, tenant, sent.onInvalid);
    const planPart = async (records: readonly Dto[]) => definition.plan(records, tenant, sent.dependencies);
    const planned = planPart(batch.records);
    planned.catch(() => undefined); // `storeBatch` sees the failure
    const warnings = await warnOfFields(sent.body, definition.validate.findMisnamed);
    return { batch, warnings, planned, planPart };
  };
  return route<ArrivedBatch<Dto>>({
    operationId,
    method: 'POST',
    path: '/:tenantId',
    permission: kind,
    query: BATCH_PARAMETERS,
    body: { batch: definition.validate.definition },
    successMessage: savedMessage,
    checkedMessage: VALID_MESSAGES[kind],
    failureMessage: UNEXPECTED_ERROR,
    tenantFrom: 'path',
    read: async (request, tenantId, { deadline }, likelyTenant) => {
      const onInvalid = readOnInvalid(request);
      const isTrial = readValidateOnly(request);
      const body = await request.body('array');
      const sent = { body, onInvalid, isTrial, dependencies: isTrial ? trialDependencies(dependencies) : dependencies };
      const flag = findPendingHint(tenantId, kind, lengthOf(body), store, deadline);
      // The tenant that admission read may be outdated when a slow body has arrived, so this is read again. It is read
      // at the same moment as the flag, which makes both one call.
      const mayHoldLarge = findMayHoldLarge(tenantId, likelyTenant, deadline);
      for (const read of [flag, mayHoldLarge]) read.catch(() => undefined); // `run` sees the failure
      if (!likelyTenant) return { ...sent, flag, mayHoldLarge, ahead: undefined };
      await nextTurn(); // sends the read of the flag, before planning holds the event loop
      const planned = plan(sent, likelyTenant);
      planned.catch(() => undefined); // reported by `run`, after the checks
      return { ...sent, flag, mayHoldLarge, ahead: { tenant: likelyTenant, planned } };
    },
    run: async ({ flag, mayHoldLarge, ahead, ...sent }, tenant, { deadline }) => {
      // A plan by settings that have changed since is made anew.
      const isCurrent = ahead && isDeepStrictEqual(ahead.tenant, tenant);
      const planned = await (isCurrent ? ahead.planned : plan(sent, tenant));
      const store = () => storeBatch(planned, (upsert) => upsert(flag, deadline, mayHoldLarge));
      const { records, skipped } = planned.batch;
      const [{ batch, counts }, warnings] = await waitForAll([
        sent.isTrial ? checkByTrial(tenant, deadline, store) : store(),
        definition.warn?.(records, skipped?.indexes, tenant, deadline, dependencies) ?? NO_WARNINGS,
      ]);
      const { created, updated } = counts;
      const done = { ...batch, count: batch.records.length, warnings: addWarnings(planned.warnings, warnings) };
      if (sent.isTrial) return batchSuccess(VALID_MESSAGES[kind], done, { wouldCreate: created, wouldUpdate: updated });
      const processedAt = new Date(dependencies.clock.nowMs()).toISOString();
      return batchSuccess(savedMessage, done, { created, updated, processedAt });
    },
  });

  /**
   * Stores a batch. Where invalid elements are skipped, those that do not fit into their stored records are, too.
   * @returns what was stored. @throws ValidationFailed if nothing was
   */
  async function storeBatch(
    { batch, planned, planPart }: PlannedBatch<Dto>,
    storePlanned: (upsert: PlannedUpsert) => Promise<UpsertedCounts>,
  ): Promise<StoredBatch<Dto>> {
    let rest = batch;
    let upsert = planned;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const ready = await upsert;
        const isEmpty = rest.records.length === 0;
        return { batch: rest, counts: isEmpty ? { created: 0, updated: 0 } : await storePlanned(ready) };
      } catch (error) {
        const { records, skipped } = rest;
        if (!skipped || !(error instanceof ValidationFailed)) throw error;
        const smaller = attempt < SKIPPING_ATTEMPTS ? withoutRefused({ records, ...skipped }, error) : undefined;
        if (!smaller || smaller.records.length === 0) throw withSentIndexes(error, skipped.indexes);
        rest = { records: smaller.records, ignoredFields: rest.ignoredFields, skipped: smaller };
        upsert = planPart(rest.records);
      }
    }
  }

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
