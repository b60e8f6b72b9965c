/** Operators' use cases about transfers and their runs. */
import { performAct } from '../audit/audit-log';
import { allDocuments } from '../documents/pages';
import { idOf, runFilesPath } from '../documents/paths';
import { MAX_LISTED_RUNS } from '../limits/transfers';
import { isRecurring, parseJobId } from '../domain/transfer';
import type { ShownWarning, Warnings } from '../domain/warnings/warning';
import { NO_WARNINGS, toShownWarnings } from '../domain/warnings/warning';
import type { RunChanges, ShownChanges } from '../transfers/runs/changes';
import { sumRun } from '../transfers/runs/ended/sum-run';
import type { Example } from '../transfers/runs/view/examples';
import { findExamples } from '../transfers/runs/view/examples';
import { shownChanges } from '../transfers/runs/view/shown-changes';
import { findLastRuns, findRun } from '../transfers/runs/view/find-runs';
import { ObjectGone } from '../transfers/object-storage';
import { requestReplay } from '../transfers/runs/replay-run';
import { requestRun } from '../transfers/runs/request-run';
import type { BadRowReport } from '../transfers/runs/report';
import { readReport } from '../transfers/runs/report';
import { resumeRun } from '../transfers/runs/resume-run';
import type { FileCounts, FileStatus, RowCounts, Run, RunFile, RunStatus } from '../transfers/runs/run';
import { fromFileDocument, fromRunDocument, NO_ROWS, traceIdOf } from '../transfers/runs/run';
import type { SkipReason } from '../transfers/runs/view/skipped-files';
import { skippedFilesAfter } from '../transfers/runs/view/skipped-files';
import type { Operator, OperatorMeans } from './operator';
import { OperatorError } from './operator-error';
import { requireTenant } from './tenants';

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
  /** The trace of what is logged of it; null: a release before has started it. */
  readonly traceId: string | null;
}

/** A run in a list. `files` and `rows` are null when it is running and its files could not be counted. */
export type ListedRun = Omit<ShownRun, 'files' | 'rows'> & {
  readonly files: FileCounts | null;
  readonly rows: RowCounts | null;
};

/** The time between two checks whether a run has ended. A check is one small read. */
const WATCH_INTERVAL_MS = 1_000;
/**
 * The least time between two counts of a running run, and the least multiple of the time that a count took: a count
 * reads the documents of all files of the run.
 */
const COUNT_INTERVAL_MS = 10_000;
const COUNT_INTERVAL_FACTOR = 10;

/**
 * Starts a run of a recurring job now, outside its schedule. A repeat starts another one.
 * @throws OperatorError when there is no such job
 */
export async function runTransfer(
  jobIdText: string,
  operator: Operator,
): Promise<{ jobId: string; runId: string; triggered: true }> {
  const job = parseJobId(jobIdText.trim());
  const scheduled = job && isRecurring(job.kind) ? await operator.jobs.find(job.jobId) : undefined;
  if (!job || !scheduled)
    throw new OperatorError(`Job ${jobIdText} is not scheduled.`, {
      hint: 'transfers list TENANT shows those that are.',
    });
  const { jobId, tenantId } = job;
  const { bucketName, folderPaths } = scheduled;
  if (bucketName === null || folderPaths === null)
    throw new OperatorError(`The message of job ${jobId} is no trigger; register the transfer again.`);
  const { organizationId } = await requireTenant(tenantId, operator);
  const runId = await performAct(
    operator,
    { action: 'transfers.run', tenantId, organizationId, after: { jobId } },
    (means) => requestRun({ ...job, bucketName, folderPaths }, means.deadline(), withTopic(means)),
    (id) => ({ runId: id }),
  );
  return { jobId, runId, triggered: true };
}

/** The newest MAX_LISTED_RUNS runs of a tenant, newest first. @throws OperatorError */
export async function listRuns(tenantGuid: string, operator: Operator): Promise<ListedRun[]> {
  const { tenantId } = await requireTenant(tenantGuid, operator);
  const page = { limit: MAX_LISTED_RUNS };
  const found = await findLastRuns({ tenantId }, page, operator.store, operator.deadline());
  const shown = await Promise.all(
    found.map((document) => {
      const [runId, run] = [idOf(document.path), fromRunDocument(document)];
      return toListed(runId, run, () => countsOf(runId, run, operator), operator);
    }),
  );
  return shown.sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
}

/** A file of a run: its progress, and why it failed (null: it did not). */
export type ShownFile = Pick<RunFile, 'object' | 'generation' | 'rows' | 'error'> & {
  readonly status: FileStatus | 'skipped';
  /** Why the run does not read it at all; absent: it does. */
  readonly reason?: SkipReason;
  /** The number of bad rows beyond the report's bound. */
  readonly unreported: number;
};

/**
 * The files of a run that are listed so far, in no particular order, and then those that it does not read, as far as
 * they are named. @throws OperatorError when there is no such run
 */
export async function* listFiles(runId: string, operator: Operator): AsyncGenerator<ShownFile> {
  yield* listReadFiles(runId, operator);
  for await (const { file } of skippedFilesAfter(runId, undefined, operator.store, operator.deadline)) {
    const { object, generation, reason } = file;
    yield { object, generation, status: 'skipped', reason, rows: NO_ROWS, error: null, unreported: 0 };
  }
}

async function* listReadFiles(runId: string, operator: Operator): AsyncGenerator<ShownFile> {
  await requireRun(runId, operator);
  const { store, deadline, progress } = operator;
  const reportCount = (count: number) => progress(`${count} files read`);
  for await (const document of allDocuments(store, runFilesPath(runId), deadline, reportCount)) {
    const { object, generation, status, rows, error, unreported = 0 } = fromFileDocument(document);
    yield { object, generation, status, rows, error, unreported };
  }
}

/**
 * The reported bad rows of a run. A notice says how many more each file has.
 * @throws OperatorError when there is no such run, or its report is no longer kept
 */
export async function* listBadRows(runId: string, operator: Operator): AsyncGenerator<BadRowReport> {
  await requireRun(runId, operator);
  try {
    const { store, config } = operator;
    yield* readReport(runId, operator.deadline, {
      store,
      storage: operator.storage,
      reportsBucket: config.reportsBucket,
    });
    for await (const { object, unreported } of listReadFiles(runId, operator)) {
      if (unreported > 0) operator.notice(`${object} has ${unreported} more bad rows than are reported.`);
    }
  } catch (error) {
    if (error instanceof ObjectGone) throw new OperatorError(`The report of run ${runId} is no longer kept.`);
    throw error;
  }
}

/** Requests a replay: a new run that reads the bad rows of a finished run again. @throws OperatorError */
export async function replayRun(runId: string, operator: Operator): Promise<{ runId: string; replayOf: string }> {
  const run = await requireRun(runId, operator);
  if (run.isPreview) throw new OperatorError(`Run ${runId} is a preview, which stores nothing.`);
  if (run.status === 'running')
    throw new OperatorError(`Run ${runId} has not ended.`, { hint: `transfers watch ${runId} waits for it.` });
  const { tenantId, organizationId } = await requireTenant(run.tenantId, operator);
  const replayId = await performAct(
    operator,
    { action: 'runs.replay', tenantId, organizationId, before: { runId } },
    (means) => requestReplay({ runId, run }, means.deadline(), withTopic(means)),
    (id) => ({ runId: id }),
  );
  return { runId: replayId, replayOf: runId };
}

/** Publishes the open steps of a running run again. @throws OperatorError when the run has ended */
export async function resumeTransfer(runId: string, operator: Operator): Promise<{ runId: string; steps: number }> {
  const run = await requireRun(runId, operator);
  if (run.status !== 'running') {
    throw new OperatorError(`Run ${runId} has ended.`, { hint: 'transfers replay reads its bad rows.' });
  }
  const { tenantId, organizationId, suspendedSince } = await requireTenant(run.tenantId, operator);
  if (suspendedSince) {
    throw new OperatorError(`Tenant ${tenantId} is suspended.`, {
      hint: `tenants resume ${tenantId} goes on with its runs.`,
    });
  }
  const steps = await performAct(
    operator,
    { action: 'runs.resume', tenantId, organizationId, before: { runId } },
    (means) => resumeRun(runId, run, means.deadline, withTopic(means)),
    (published) => ({ steps: published }),
  );
  return { runId, steps };
}

/** A run that is watched. `examples`: records that a preview would change; null: it is none, or an old one. */
export type WatchedRun = ShownRun & { readonly examples: readonly Example[] | null };

/**
 * Reports the progress of a run until it ends, then returns it.
 * @throws OperatorError when there is no such run, or its tenant is suspended, so that it rests
 */
export async function watchRun(runId: string, operator: Operator): Promise<WatchedRun> {
  const { clock, progress } = operator;
  for (let countAtMs = clock.nowMs(); ;) {
    const run = await requireRun(runId, operator);
    if (run.status !== 'running') {
      const shown = toShown(runId, run, await countsOf(runId, run, operator), operator);
      return { ...shown, examples: await findExamples(runId, run, operator.deadline(), operator) };
    }
    const beganMs = clock.nowMs();
    if (beganMs >= countAtMs) {
      const { tenantId, suspendedSince } = await requireTenant(run.tenantId, operator);
      if (suspendedSince) throw new OperatorError(`The run rests: tenant ${tenantId} is suspended (tenants resume).`);
      progress(
        run.startedAt.getTime() > beganMs
          ? `The run begins at ${run.startedAt.toISOString()}.`
          : toProgress(await countsOf(runId, run, operator)),
      );
      const endedMs = clock.nowMs();
      countAtMs = endedMs + Math.max(COUNT_INTERVAL_MS, COUNT_INTERVAL_FACTOR * (endedMs - beganMs));
    }
    await clock.sleep(WATCH_INTERVAL_MS);
  }
}

/** What is counted of a run. */
export type Counts = Pick<ShownRun, 'files' | 'rows' | 'ignoredFields'> & {
  readonly changes: RunChanges | null;
  readonly warnings: Warnings;
};

/** The counts of a run. Those of a running one are summed up from its files. */
export async function countsOf(runId: string, run: Run, { store, deadline, progress }: Operator): Promise<Counts> {
  const { files, rows, changes = null, ignoredFields = [], warnings = NO_WARNINGS } = run;
  if (files && rows) return { files, rows, changes, ignoredFields, warnings };
  return sumRun(runId, store, deadline, (count) => progress(`${count} files of run ${runId} counted`));
}

/**
 * A run in a list. One whose files cannot be counted must not hide the others.
 * @param count undefined: it has more files than may be counted
 */
export async function toListed(
  runId: string,
  run: Run,
  count: () => Promise<Counts | undefined>,
  operator: Operator,
): Promise<ListedRun> {
  const none = { files: null, rows: null, changes: null, ignoredFields: [], warnings: NO_WARNINGS };
  try {
    return toShown(runId, run, (await count()) ?? none, operator);
  } catch (error) {
    operator.notice(`The files of run ${runId} cannot be counted now: ${(error as Error).message}`);
    return toShown(runId, run, none, operator);
  }
}

function toShown<Files, Rows>(
  runId: string,
  run: Run,
  {
    files,
    rows,
    changes,
    ignoredFields,
    warnings,
  }: Pick<Counts, 'changes' | 'ignoredFields' | 'warnings'> & { files: Files; rows: Rows },
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
    traceId: traceIdOf(run),
  };
}

function toProgress({ files, rows }: Counts): string {
  return (
    `${files.finished + files.failed + files.skipped} of ${files.found} files, ${rows.read} rows read, ` +
    `${rows.stored} stored, ${rows.invalid} invalid, ${rows.stale} stale, ` +
    `${rows.deleted} deleted`
  );
}

async function requireRun(runId: string, operator: Operator): Promise<Run> {
  const run = await findRun(runId, operator.store, operator.deadline());
  if (!run) throw new OperatorError(`Run ${runId} does not exist.`, { hint: 'transfers runs TENANT shows all.' });
  return run;
}

function withTopic(means: OperatorMeans) {
  const { topics, transfers } = means.config;
  return { ...means, transfersTopic: topics.transfers, tenantConcurrency: transfers.tenantConcurrency };
}
