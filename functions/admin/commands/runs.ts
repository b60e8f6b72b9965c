/** The commands about runs across tenants, and how commands that start a run tell what becomes of it. */
import type { Command } from 'commander';
import { MAX_LISTED_RUNS, MAX_RUNS_OF_A_LIST } from '../../../shared/limits/transfers';
import type { Operator } from '../../../shared/operations/operator';
import { watchRun } from '../../../shared/operations/transfers';
import { searchRuns } from '../../../shared/operations/transfers/search-runs';
import type { RunStatus } from '../../../shared/transfers/runs/run';
import { RUN_STATUSES } from '../../../shared/transfers/runs/run';
import type { RunListTexts } from '../options';
import { parseRunList, scopeOf } from '../options';
import type { Columns, Printing, Result } from '../printing';

/**
 * What was read, and what became of it: the first number is the sum of the others. All of them are shown, or, where the
 * terminal is too narrow, none.
 */
export const ROW_COLUMNS = ['read', 'stored', 'invalid', 'stale', 'deleted'].map((title) => ({
  field: `rows.${title}`,
  title,
}));
export const RUN_COLUMNS: Columns = ['runId', 'status', 'startedAt', 'error', ROW_COLUMNS, 'files.failed'];
const COLUMNS_ACROSS_TENANTS: Columns = ['runId', 'tenantId', ...RUN_COLUMNS.slice(1)];

/** What a command ends with that has watched a run. */
const EXIT_CODES: Readonly<Partial<Record<RunStatus, number>>> = { partial: 2, failed: 3, cancelled: 4 };

export const WATCH_DESCRIPTION =
  'show the progress of the run until it ends, print it, and end with 0 (succeeded), 2 (partial), 3 (failed) or 4 (cancelled)';

export function addRuns(program: Command, { list }: Printing): void {
  const runs = program.command('runs').description('runs of transfers, of a tenant or across all tenants');
  runs
    .command('list [tenant]')
    .description('list runs, newest first')
    .option('--all', 'those of all tenants')
    .option('--status <list>', `some of ${RUN_STATUSES.join(',')} (default: any)`)
    .option('--since <time>', 'only runs since then: 90m, 24h, 7d, or a time such as 2026-11-20T10:15:00Z')
    .option('--limit <n>', `at most so many, up to ${MAX_RUNS_OF_A_LIST} (default: ${MAX_LISTED_RUNS})`)
    .option('--after <runId>', 'go on behind this run, the last one of the list before')
    .action((tenant: string | undefined, options: RunListTexts & { all?: boolean }) =>
      list(COLUMNS_ACROSS_TENANTS, (operator) =>
        searchRuns({ ...scopeOf(tenant, options), ...parseRunList(options, operator.clock.nowMs()) }, operator),
      ),
    );
}

/** What a command prints that has started a run: its ids or, where it is watched, the run in the end. */
export async function startedRun(
  started: { readonly runId: string },
  { watch }: { watch?: boolean },
  operator: Operator,
): Promise<Result> {
  if (!watch) return { document: started };
  operator.notice(`Run ${started.runId} has started.`);
  return watchedRun(started.runId, operator);
}

/** Watches a run, whose end decides how the command ends. */
export async function watchedRun(runId: string, operator: Operator): Promise<Result> {
  const document = await watchRun(runId, operator);
  return { document, exitCode: EXIT_CODES[document.status] ?? 0 };
}
