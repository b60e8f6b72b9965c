import type { DeletionTarget } from '../domain/deletion';
import type { RecordKind } from '../domain/identity';
import { mapInShares } from '../platform/async/event-loop-share';
import type { BatchValidator } from '../validation/batch';
import { batchSuccess } from './batch-answer';
import { warnOfFields } from './batch-warnings';
import type { DeletionDependencies } from './deletion-route';
import { acceptAll } from './deletion-route';
import type { OnInvalid } from './on-invalid';
import { checkBatch, readOnInvalid } from './on-invalid';
import type { OperationId } from './operation-id';
import type { AnyRoute } from './route';
import { route } from './route';
import { BATCH_PARAMETERS, readValidateOnly, VALID_MESSAGES } from './validate-only';

interface SentBatch {
  readonly body: unknown;
  readonly onInvalid: OnInvalid;
  readonly validateOnly: boolean;
}

export interface BatchDeletionDefinition<Dto> {
  readonly operationId: OperationId;
  readonly kind: RecordKind;
  /** `Customers removed.` */
  readonly removedMessage: string;
  /** `Failed to delete customers.` */
  readonly failureMessage: string;
  readonly validate: BatchValidator<Dto>;
  /** The deletion that an element asks for, as if it had been sent alone. */
  readonly toTarget: (dto: Dto) => DeletionTarget;
}

/**
 * The route of a batch of deletions: `POST /<tenant_id>/deletions`. A batch means the same as its elements sent
 * one after the other. It is answered once all deletions are durable, whether or not anything matches. After a 500 or
 * 503, some first elements may be durable and the rest is not. The batch may be repeated as it is. With `validateOnly`
 * it is only validated.
 */
export function batchDeletionRoute<Dto>(
  definition: BatchDeletionDefinition<Dto>,
  dependencies: DeletionDependencies,
): AnyRoute {
  const { operationId, kind, removedMessage, failureMessage, validate, toTarget } = definition;
  return route<SentBatch>({
    operationId,
    method: 'POST',
    path: '/:tenantId/deletions',
    permission: kind,
    query: BATCH_PARAMETERS,
    body: { batch: validate.definition },
    successMessage: removedMessage,
    checkedMessage: VALID_MESSAGES[kind],
    failureMessage,
    tenantFrom: 'path',
    read: async (request) => {
      const onInvalid = readOnInvalid(request);
      const validateOnly = readValidateOnly(request);
      return { onInvalid, validateOnly, body: await request.body('array') };
    },
    run: async ({ body, onInvalid, validateOnly }, tenant, call) => {
      const { records, ...checked } = await checkBatch(validate, body, tenant, onInvalid);
      const warnings = await warnOfFields(body, validate.findMisnamed);
      const done = { ...checked, count: records.length, warnings };
      if (validateOnly) return batchSuccess(VALID_MESSAGES[kind], done, {});
      const targets = await mapInShares(records, toTarget);
      const deletedAt =
        targets.length > 0
          ? await acceptAll(tenant, kind, targets, call, dependencies)
          : new Date(dependencies.clock.nowMs()).toISOString();
      return batchSuccess(removedMessage, done, { deletedAt });
    },
  });
}
