/** Runs as tenants see them. */
import type { Clock } from '../../shared/platform/clock';
import { shownChanges } from '../../shared/transfers/runs/view/shown-changes';
import type { WarningDto } from './warning-answers';
import { toWarningDtos } from './warning-answers';
import type { ShownChanges } from '../../shared/transfers/runs/changes';
import { sumRunWithin } from '../../shared/transfers/runs/ended/sum-run';
import type { SumBudget } from '../../shared/transfers/runs/ended/sum-run';
import type { FileCounts, RowCounts, Run, RunStatus } from '../../shared/transfers/runs/run';
import { traceIdOf } from '../../shared/transfers/runs/run';
import type { RunKind } from '../../shared/transfers/runs/view/run-kind';
import { runKindOf } from '../../shared/transfers/runs/view/run-kind';
import type { DocumentStore } from '../../shared/documents/document-store';
import { NO_WARNINGS } from '../../shared/domain/warnings/warning';
import type { Deadline } from '../../shared/platform/deadline';

export interface RunDto {
  readonly RunId: string;
  readonly JobId: string;
  readonly Kind: RunKind | null;
  readonly BucketName: string;
  /** Empty: the whole bucket (D-38). */
  readonly FolderPaths: readonly string[];
  /** The id of the run whose bad rows it reads again; null: it is no replay. */
  readonly ReplayOf: string | null;
  readonly Status: RunStatus;
  readonly StartedAt: string;
  readonly FinishedAt: string | null;
  /** Those so far of a running run; null: it has more files than one request counts. */
  readonly Files: FilesDto | null;
  readonly Rows: RowsDto | null;
  /** Null as `Rows`, where a release that did not count changes has read some rows, and of old previews. */
  readonly Changes: ShownChanges | null;
  readonly IgnoredFields: readonly string[];
  readonly Warnings: readonly WarningDto[];
  readonly Error: string | null;
  /** Why the tenant's topic could not be notified of the run's end; null: it was notified, or there is none. */
  readonly NotificationError: string | null;
  /** Of what the log has of it, and of its replays; null: a release before has started it. */
  readonly TraceId: string | null;
}

export interface FilesDto {
  readonly Found: number;
  readonly Finished: number;
  readonly Skipped: number;
  readonly Failed: number;
}

export interface RowsDto {
  readonly Read: number;
  readonly Stored: number;
  readonly Invalid: number;
  readonly Stale: number;
  readonly Deleted: number;
}

export interface RunDependencies {
  readonly store: DocumentStore;
  readonly clock: Clock;
}

/** A run with its counts. Those of a running run are summed up within the budget. */
export async function toRunDto(
  runId: string,
  run: Run,
  budget: SumBudget,
  { store, clock }: RunDependencies,
  deadline: Deadline,
): Promise<RunDto> {
  const isSummed = run.files !== undefined && run.rows !== undefined;
  const {
    files,
    rows,
    changes,
    ignoredFields = [],
    warnings = NO_WARNINGS,
  } = isSummed ? run : ((await sumRunWithin(budget, runId, store, deadline)) ?? {});
  return {
    RunId: runId,
    JobId: run.jobId,
    Kind: runKindOf(run),
    BucketName: run.bucketName,
    FolderPaths: run.folderPaths.filter((path) => path !== ''),
    ReplayOf: run.replayOf ?? null,
    Status: run.status,
    StartedAt: run.startedAt.toISOString(),
    FinishedAt: run.finishedAt?.toISOString() ?? null,
    Files: files ? toFilesDto(files) : null,
    Rows: rows ? toRowsDto(rows) : null,
    Changes: shownChanges(run, changes, clock),
    IgnoredFields: ignoredFields,
    Warnings: toWarningDtos(warnings),
    Error: run.error,
    NotificationError: run.notificationError ?? null,
    TraceId: traceIdOf(run),
  };
}

function toFilesDto({ found, finished, skipped, failed }: FileCounts): FilesDto {
  return { Found: found, Finished: finished, Skipped: skipped, Failed: failed };
}

export function toRowsDto({ read, stored, invalid, stale, deleted }: RowCounts): RowsDto {
  return { Read: read, Stored: stored, Invalid: invalid, Stale: stale, Deleted: deleted };
}
