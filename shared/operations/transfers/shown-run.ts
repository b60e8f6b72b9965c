/** Runs as operators see them. */
import type { ShownWarning, Warnings } from '../../domain/warnings/warning';
import { NO_WARNINGS, toShownWarnings } from '../../domain/warnings/warning';
import type { RunChanges, ShownChanges } from '../../transfers/runs/changes';
import { sumRun } from '../../transfers/runs/ended/sum-run';
import type { FileCounts, RowCounts, Run, RunStatus } from '../../transfers/runs/run';
import { findRun } from '../../transfers/runs/view/find-runs';
import { shownChanges } from '../../transfers/runs/view/shown-changes';
import type { Operator } from '../operator';
import { OperatorError } from '../operator-error';

/** A run as it is shown. The counts of a running one are those so far. */
export interface ShownRun {
  readonly runId: string;
  readonly jobId: string;
  readonly status: RunStatus;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly files: FileCounts;
  readonly rows: RowCounts;
  /** Null: a release that did not count changes has read some of the rows, or it is an old preview's. */
  readonly changes: ShownChanges | null;
  /** Paths of fields that rows have but records do not, at most 20 (D-21). */
  readonly ignoredFields: readonly string[];
  readonly warnings: readonly ShownWarning[];
  readonly error: string | null;
  /** Why the tenant's topic could not be notified of the end of the run; null: it was notified, or there is none. */
  readonly notificationError: string | null;
}

/** What is counted of a run. */
export type RunCounts = Pick<ShownRun, 'files' | 'rows' | 'ignoredFields'> & {
  readonly changes: RunChanges | null;
  readonly warnings: Warnings;
};

/** The counts of a run. Those of a running one are summed up from its files. */
export async function countsOf(runId: string, run: Run, { store, deadline, progress }: Operator): Promise<RunCounts> {
  const { files, rows, changes = null, ignoredFields = [], warnings = NO_WARNINGS } = run;
  if (files && rows) return { files, rows, changes, ignoredFields, warnings };
  return sumRun(runId, store, deadline, (count) => progress(`${count} files of run ${runId} counted`));
}

/** A run with its counts. */
export function toShown<Files, Rows>(
  runId: string,
  run: Run,
  {
    files,
    rows,
    changes,
    ignoredFields,
    warnings,
  }: Pick<RunCounts, 'changes' | 'ignoredFields' | 'warnings'> & { files: Files; rows: Rows },
  { clock }: Operator,
) {
  return {
    runId,
    jobId: run.jobId,
    status: run.status,
    startedAt: run.startedAt.toISOString(),
    finishedAt: run.finishedAt?.toISOString() ?? null,
    files,
    rows,
    changes: shownChanges(run, changes, clock),
    ignoredFields,
    warnings: toShownWarnings(warnings),
    error: run.error,
    notificationError: run.notificationError ?? null,
  };
}

/** @throws OperatorError when there is no such run */
export async function requireRun(runId: string, operator: Operator): Promise<Run> {
  const run = await findRun(runId, operator.store, operator.deadline());
  if (!run) throw new OperatorError(`Run ${runId} does not exist; transfers runs TENANT shows all.`);
  return run;
}
