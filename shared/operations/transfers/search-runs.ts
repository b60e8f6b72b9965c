/** The operators' use case that lists runs by status and time, of a tenant or of all tenants. */
import { documentsAfter } from '../../documents/pages';
import { idOf, runPath } from '../../documents/paths';
import { LIST_PAGE_DOCUMENTS } from '../../limits/records';
import { MAX_COUNTED_DOCUMENTS, MAX_LISTED_RUNS, MAX_RUNS_OF_A_LIST } from '../../limits/transfers';
import { sumRunWithin } from '../../transfers/runs/ended/sum-run';
import { isBefore, isRunId } from '../../transfers/runs/run-id';
import type { RunStatus } from '../../transfers/runs/run';
import { fromRunDocument, RUN_STATUSES } from '../../transfers/runs/run';
import { findLastRuns, findLastRunsOfAll } from '../../transfers/runs/view/find-runs';
import type { Scope } from '../inputs';
import { requireWholeNumber } from '../inputs';
import type { Operator } from '../operator';
import { InvalidInput } from '../operator-error';
import { requireTenant } from '../tenants';
import type { ListedRun } from '../transfers';
import { countsOf, toListed } from '../transfers';

/** Which runs a list has, and where it begins. */
export interface RunListOptions {
  /** Absent: any. */
  readonly statuses?: readonly RunStatus[];
  /** By the time in their ids, to the second; absent: all that are kept. */
  readonly since?: Date;
  /** From 1 to MAX_RUNS_OF_A_LIST; absent: MAX_LISTED_RUNS. */
  readonly limit?: number;
  /** The id of a run that comes before the first one of the list; absent: the list begins with the newest run. */
  readonly after?: string;
}

/**
 * Runs of a tenant or of all tenants, newest first, each with its tenant. A notice says when there are more
 * than the limit. What it reads grows with what it shows, and not with the number of tenants or runs: of the files of
 * running runs, it counts MAX_COUNTED_DOCUMENTS. @throws OperatorError
 */
export async function* searchRuns(
  { tenant, statuses, since, limit = MAX_LISTED_RUNS, after }: Scope & RunListOptions,
  operator: Operator,
): AsyncGenerator<{ readonly tenantId: string } & ListedRun> {
  const { store, deadline } = operator;
  const most = requireWholeNumber('limit', limit, MAX_RUNS_OF_A_LIST);
  if (after !== undefined && !isRunId(after)) throw new InvalidInput('after', 'must be the id of a run', after);
  if (statuses?.length === 0) throw new InvalidInput('status', `must name at least one of ${RUN_STATUSES.join(', ')}`);
  const find = await finderOf(tenant, statuses, operator);
  const first = after === undefined ? undefined : runPath(after);
  const atOnce = Math.min(most + 1, LIST_PAGE_DOCUMENTS); // one more tells whether there are more
  const budget = { left: MAX_COUNTED_DOCUMENTS };
  let shown = 0;
  for await (const document of documentsAfter(first, atOnce, find)) {
    const [runId, run] = [idOf(document.path), fromRunDocument(document)];
    if (since && isBefore(runId, since)) return;
    if (shown === most) {
      operator.notice('There are more runs: --after with the id of the last one goes on behind it.');
      return;
    }
    const isSummed = run.files !== undefined && run.rows !== undefined;
    const count = () => (isSummed ? countsOf(runId, run, operator) : sumRunWithin(budget, runId, store, deadline()));
    yield { tenantId: run.tenantId, ...(await toListed(runId, run, count, operator)) };
    shown += 1;
  }
}

/** Reads a page of the runs in some statuses. */
async function finderOf(
  tenant: string | undefined,
  statuses: readonly RunStatus[] | undefined,
  operator: Operator,
): Promise<Parameters<typeof documentsAfter>[2]> {
  const { store, deadline } = operator;
  if (tenant === undefined) return (page) => findLastRunsOfAll(statuses ?? RUN_STATUSES, page, store, deadline());
  const { tenantId } = await requireTenant(tenant, operator);
  return (page) => findLastRuns({ tenantId, status: statuses }, page, store, deadline());
}
