import type { DocumentStore } from '../../shared/documents/document-store';
import { MAX_USAGE_DAYS } from '../../shared/domain/limits';
import type { UsageRange } from '../../shared/domain/usage';
import { toUsageRange } from '../../shared/domain/usage';
import type { AnyRoute, RouteRequest } from '../../shared/endpoint/route';
import { route, UNEXPECTED_ERROR } from '../../shared/endpoint/route';
import { readTime } from '../../shared/http/list-page';
import { emptyRange, rangeTooLong, tooManyCounters } from '../../shared/http/problems';
import { MAX_USAGE_DOCUMENTS, USAGE_READS_AT_ONCE } from '../../shared/limits/usage';
import { ConcurrencyLimit } from '../../shared/platform/async/concurrency-limit';
import type { Clock } from '../../shared/platform/clock';
import { findUsage, TooManyCounters } from '../../shared/usage/find-usage';

export interface UsageReadDependencies {
  readonly store: DocumentStore;
  readonly clock: Clock;
}

export const USAGE_PARAMETERS = ['from', 'to'] as const;

/** Limits what the counters of all answers take in the memory of this process. */
const reads = new ConcurrencyLimit(USAGE_READS_AT_ONCE);

/** `GET /usage/<tenant_id>?from=&to=`: what was counted of a tenant. It writes nothing. */
export function usageRoute({ store, clock }: UsageReadDependencies): AnyRoute {
  return route<UsageRange>({
    operationId: 'getUsage',
    method: 'GET',
    path: '/:tenantId',
    permission: 'records',
    query: USAGE_PARAMETERS,
    successMessage: 'Usage found.',
    failureMessage: UNEXPECTED_ERROR,
    tenantFrom: 'path',
    read: (request) => readRange(request, clock),
    run: async (range, { tenantId }, { deadline }) => {
      const sum = await reads
        .run(() => findUsage(tenantId, range, store, () => deadline, MAX_USAGE_DOCUMENTS))
        .catch((error: unknown) => {
          throw error instanceof TooManyCounters ? tooManyCounters() : error;
        });
      return { data: { ...sum.toShown() } };
    },
  });
}

function readRange(request: RouteRequest, clock: Clock): UsageRange {
  const [from, to] = USAGE_PARAMETERS.map((name) => readTime((one) => request.query(one, 'plus'), name)); // of an offset
  const range = toUsageRange(from, to, clock.nowMs());
  if (range === 'empty') throw emptyRange();
  if (range === 'tooLong') throw rangeTooLong(MAX_USAGE_DAYS);
  return range;
}
