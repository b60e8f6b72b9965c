import type { Deadline } from '../deadline';
import { deadlineIn, extendableDeadlineIn } from '../deadline';
import type { DocumentStore } from '../documents/document-store';
import { runFilesPath, runPagesPath, runPath } from '../documents/paths';
import { allDocuments } from '../documents/pages';
import { MAX_IGNORED_FIELDS, REQUEST_DEADLINE_MS } from '../domain/limits';
import { allOver } from '../in-parallel';
import { settle } from '../records/settle';
import type { Logger } from '../logger';
import type { FileCounts, Run, RowCounts } from './run';
import { addRows, fromFileDocument, fromRunDocument, NO_ROWS, toRunDocument } from './run';
import type { TransferDependencies } from './steps';

type FinishDependencies = Pick<TransferDependencies, 'store' | 'clock' | 'random' | 'logger'>;

/** Notes that all files of a running run are known. Repeating it is safe. @throws ContentionTimeout */
export async function markPlanned(runId: string, deadline: Deadline, dependencies: FinishDependencies): Promise<void> {
  const { store } = dependencies;
  const attempt = async () => {
    const document = await store.get(runPath(runId), deadline);
    const run = document && fromRunDocument(document);
    if (!document || run?.status !== 'running' || run.isPlanned) return [];
    const write = { set: runPath(runId), data: toRunDocument({ ...run, isPlanned: true }), when: document.version };
    return (await store.commit([write], deadline)) === 'conflict' ? [runId] : [];
  };
  await settle([runId], attempt, deadline, dependencies);
}

/** Ends a run whose files are all known and all done; otherwise nothing. Repeating it is safe. */
export async function finishRunIfDone(runId: string, dependencies: FinishDependencies): Promise<void> {
  const { store } = dependencies;
  await endRun(runId, dependencies, async (run, deadline) => {
    if (!run.isPlanned) return undefined;
    const pending = await store.findWhere(runFilesPath(runId), 'status', 'pending', 1, deadline());
    if (pending.length > 0) return undefined;
    const totals = await sumRun(runId, store, deadline);
    const isClean = totals.files.failed === 0 && totals.rows.invalid === 0;
    return toEnded(run, isClean ? 'succeeded' : 'partial', totals.failure, totals, dependencies);
  });
}

/** Ends a running run as failed. Repeating it is safe. */
export async function failRun(runId: string, error: string, dependencies: FinishDependencies): Promise<void> {
  await endRun(runId, dependencies, async (run, deadline) =>
    toEnded(run, 'failed', error, await sumRun(runId, dependencies.store, deadline), dependencies),
  );
}

/**
 * Writes how a running run ends, once; `decide` says how, or undefined while it goes on. Summing many files takes long:
 * each call of the database has the whole time.
 */
async function endRun(
  runId: string,
  dependencies: FinishDependencies,
  decide: (run: Run, deadline: () => Deadline) => Promise<Run | undefined>,
): Promise<void> {
  const { store, clock } = dependencies;
  const deadline = () => deadlineIn(REQUEST_DEADLINE_MS, clock);
  const contention = extendableDeadlineIn(REQUEST_DEADLINE_MS, clock);
  const attempt = async () => {
    const document = await store.get(runPath(runId), deadline());
    const run = document && fromRunDocument(document);
    const ended = run?.status === 'running' ? await decide(run, deadline) : undefined;
    if (!document || !ended) return [];
    contention.renew();
    const write = { set: runPath(runId), data: toRunDocument(ended), when: document.version };
    if ((await store.commit([write], contention)) === 'conflict') return [runId];
    logRunEnd(ended, dependencies.logger);
    return [];
  };
  await settle([runId], attempt, contention, dependencies);
}

export interface RunTotals {
  readonly files: FileCounts;
  readonly rows: RowCounts;
  /** Which file failed and why; null when none did. */
  readonly failure: string | null;
  readonly ignoredFields: readonly string[];
}

/** What a run's files add up to, as far as they are. */
export async function sumRun(runId: string, store: DocumentStore, deadlineOfPage: () => Deadline): Promise<RunTotals> {
  const [totals, skipped] = await allOver([
    sumFiles(runId, store, deadlineOfPage),
    countSkipped(runId, store, deadlineOfPage),
  ]);
  return { ...totals, files: { ...totals.files, found: totals.files.found + skipped, skipped } };
}

async function sumFiles(runId: string, store: DocumentStore, deadlineOfPage: () => Deadline): Promise<RunTotals> {
  const files = { found: 0, finished: 0, skipped: 0, failed: 0 };
  let rows = NO_ROWS;
  let failure: string | null = null;
  const ignoredFields = new Set<string>();
  for await (const document of allDocuments(store, runFilesPath(runId), deadlineOfPage)) {
    const file = fromFileDocument(document);
    rows = addRows(rows, file.rows);
    for (const field of file.ignoredFields ?? []) if (ignoredFields.size < MAX_IGNORED_FIELDS) ignoredFields.add(field);
    if (file.status === 'replaced') continue; // the generation that took its place counts
    files.found += 1;
    if (file.status === 'finished') files.finished += 1;
    if (file.status !== 'failed') continue;
    files.failed += 1;
    failure ??= `${file.object}: ${file.error ?? 'it could not be read'}`;
  }
  const others = files.failed > 1 ? ` (and ${files.failed - 1} other files)` : '';
  return { files, rows, failure: failure && failure + others, ignoredFields: [...ignoredFields] };
}

/** Objects that the run does not read: of another form, or another run's. */
async function countSkipped(runId: string, store: DocumentStore, deadlineOfPage: () => Deadline): Promise<number> {
  let skipped = 0;
  for await (const { data } of allDocuments(store, runPagesPath(runId), deadlineOfPage))
    skipped += Number(data.skipped);
  return skipped;
}

function toEnded(
  run: Run,
  status: Run['status'],
  error: string | null,
  { files, rows, ignoredFields }: RunTotals,
  { clock }: FinishDependencies,
): Run {
  return { ...run, status, error, finishedAt: new Date(clock.nowMs()), files, rows, ignoredFields };
}

/** Tells operators how a run has ended. */
export function logRunEnd({ tenantId, jobId, status, files, rows }: Run, logger: Logger): void {
  logger.log(status === 'succeeded' ? 'INFO' : 'WARNING', 'A transfer run has ended.', {
    tenantId,
    jobId,
    status,
    filesFailed: files?.failed ?? 0,
    rowsInvalid: rows?.invalid ?? 0,
  });
}
