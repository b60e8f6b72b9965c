import type { TenantId } from '../../../shared/domain/tenant';
import type { OperationId } from '../../../shared/endpoint/operation-id';
import type { CallerRoute } from '../../../shared/endpoint/route';
import { MAX_SELECTION_BODY_BYTES } from '../../../shared/limits/console';
import type { DeadLetterSelection } from '../../../shared/operations/dead-letters/dead-letters';
import { discardDeadLetters, replayDeadLetters } from '../../../shared/operations/dead-letters/dead-letters';
import { retryDeletions } from '../../../shared/operations/deletions';
import type { Operator } from '../../../shared/operations/operator';
import { InvalidInput, OperatorError } from '../../../shared/operations/operator-error';
import { isObject } from '../../../shared/validation/values';
import { managementRoute } from '../../console/management/management-route';
import { readTenantId } from '../../console/management/tenants/reachable-tenant';

/** What operators do about what their overview shows. The use cases write the entries of the audit log. */
export function mendRoutes(operator: Operator): readonly CallerRoute<never>[] {
  return [
    mendingRoute('replay', 'replayDeadLetters', replayDeadLetters, operator),
    mendingRoute('discard', 'discardDeadLetters', discardDeadLetters, operator),
    managementRoute<TenantId>({
      operationId: 'retryDeletions',
      method: 'POST',
      path: '/overview/deletions/:tenantId/retry',
      successMessage: 'Deletions retried.',
      failureMessage: 'Failed to retry the deletions.',
      tenantFrom: 'caller',
      read: readTenantId,
      run: async (tenantId) => ({ data: { ...(await retryDeletions(tenantId, operator)) } }),
    }),
  ];
}

/** Answers for how many it was done, and why not for the others; it fails when it was done for none. */
function mendingRoute(
  verb: 'replay' | 'discard',
  operationId: OperationId,
  act: typeof replayDeadLetters,
  operator: Operator,
): CallerRoute<never> {
  return managementRoute<unknown>({
    operationId,
    method: 'POST',
    path: `/overview/dead-letters/${verb}`,
    maxBodyBytes: MAX_SELECTION_BODY_BYTES,
    successMessage: `Dead letters ${verb}ed.`,
    failureMessage: `Failed to ${verb} dead letters.`,
    tenantFrom: 'caller',
    read: (request) => request.body('object'),
    run: async (body) => {
      const done: string[] = [];
      let problem: string | null = null;
      try {
        for await (const { id } of act(toSelection(body, verb), operator)) done.push(id);
      } catch (error) {
        if (done.length === 0 || !(error instanceof OperatorError)) throw error;
        problem = error.plain;
      }
      return { data: { count: done.length, problem } };
    },
  });
}

/** The dead letters that a body names; only a replay may be of all. @throws InvalidInput */
function toSelection(body: unknown, verb: 'replay' | 'discard'): DeadLetterSelection {
  const { ids = [], all = false } = isObject(body) ? body : {};
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string'))
    throw new InvalidInput('ids', 'must be a list of ids');
  if (typeof all !== 'boolean') throw new InvalidInput('all', 'must be true or false');
  if (all && verb === 'discard') throw new InvalidInput('all', 'is for a replay alone; give ids');
  return { ids, all };
}
