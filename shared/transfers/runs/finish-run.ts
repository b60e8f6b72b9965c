import type { Deadline, ExtendableDeadline } from '../../platform/deadline';
import { deadlineIn, extendableDeadlineIn } from '../../platform/deadline';
import type { DocumentStore, StoredDocument, Version } from '../../documents/document-store';
import { runFilesPath, runPagesPath, runPath } from '../../documents/paths';
import { allDocuments, documentsAfter } from '../../documents/pages';
import { MAX_IGNORED_FIELDS, REQUEST_DEADLINE_MS } from '../../domain/limits';
import { PAGE_READ_DOCUMENTS } from '../../limits/requests';
import type { Warnings } from '../../domain/warnings/warning';
import { addWarnings, NO_WARNINGS } from '../../domain/warnings/warning';
import { SUM_CLAIM_SECONDS } from '../../limits/transfers';
import { waitForAll } from '../../platform/async/in-parallel';
import { findServedTenant } from '../../auth/served-tenant';
import type { Tenant } from '../../domain/tenant';
import { retryConflicts } from '../../workspace/retry-conflicts';
import type { RunChanges } from './changes';
import { addChanges, areOfAllRows } from './changes';
import { alertIfJobKeepsFailing } from './ended/failing-job';
import { checkSum, logRunEnd, toEnded } from './ended/ended-run';
import { notifyTenant } from './ended/notify-tenant';
import { findRun } from './view/find-runs';
import { warningsOfFile, warningsOfPage, warningsOfRun } from './view/run-warnings';
import type { FileCounts, Run, RowCounts } from './run';
import { addRows, fromFileDocument, fromRunDocument, NO_ROWS, toRunDocument } from './run';
import type { TransferDependencies } from './steps';

type FinishDependencies = Pick<TransferDependencies, 'store' | 'publisher' | 'clock' | 'random' | 'logger'>;

/** Records that all files of a running run are known. Repeating it is safe. @throws ContentionTimeout */
export async function recordPlanned(
  runId: string,
  deadline: Deadline,
  dependencies: FinishDependencies,
): Promise<void> {
  const { store } = dependencies;
  const attempt = async () => {
    const document = await store.get(runPath(runId), deadline);
    const run = document && fromRunDocument(document);
    if (!document || run?.status !== 'running' || run.isPlanned) return [];
    const write = { set: runPath(runId), data: toRunDocument({ ...run, isPlanned: true }), when: document.version };
    return (await store.commit([write], deadline)) === 'conflict' ? [runId] : [];
  };
  await retryConflicts([runId], attempt, deadline, dependencies);
}

/** Stands for the planning step of a run, where other steps have the ids of their files. */
export const PLANNING_STEP = 'planning';

/**
 * Ends a run whose files are all known and all done; otherwise does nothing. When several last files are done at the
 * same time, one step claims the summing, and the others leave it to that step. Its message is delivered until the run
 * has ended. Repeating it is safe.
 * @param step the id of the step's file, or PLANNING_STEP: the same for each delivery of its message
 */
export async function finishRunIfDone(runId: string, step: string, dependencies: FinishDependencies): Promise<void> {
  const { store } = dependencies;
  await endRun(runId, dependencies, async ({ run, version }, deadline, contention) => {
    if (!run.isPlanned) return 'done';
    const pending = await store.findWhere(runFilesPath(runId), 'status', 'pending', { limit: 1 }, deadline());
    if (pending.length > 0) return 'done';
    const claimed = await claimSumming(runId, step, { run, version }, contention, dependencies);
    if (typeof claimed === 'string') return claimed;
    const totals = await sumRun(runId, store, deadline);
    contention.renew();
    const status = totals.files.failed === 0 && totals.rows.invalid === 0 ? 'succeeded' : 'partial';
    const ended = withSums(await toEnded(run, status, totals.failure, step, dependencies), totals);
    const write = { set: runPath(runId), data: toRunDocument(ended), when: claimed };
    if ((await store.commit([write], contention)) === 'conflict') return 'again';
    checkSum(runId, ended, dependencies.logger);
    logRunEnd(runId, ended, dependencies.logger);
    await notifyTenant(runId, ended, step, dependencies);
    return 'done';
  });
}

/**
 * Claims the summing of a run for a step.
 * @returns the version of the run's document that holds the claim; 'done': another step holds it; 'again': in conflict
 */
async function claimSumming(
  runId: string,
  step: string,
  { run, version }: StoredRun,
  contention: Deadline,
  { store, clock }: FinishDependencies,
): Promise<Version | 'done' | 'again'> {
  const nowMs = clock.nowMs();
  if (run.summing && run.summing.until.getTime() > nowMs) return run.summing.step === step ? version : 'done';
  const summing = { step, until: new Date(nowMs + SUM_CLAIM_SECONDS * 1000) };
  const write = { set: runPath(runId), data: toRunDocument({ ...run, summing }), when: version };
  const outcome = await store.commit([write], contention);
  return outcome === 'conflict' ? 'again' : outcome;
}

/**
 * Ends a running run as failed, and only then sums its files, so that one of several steps that fail at the same time
 * does both. Repeating it is safe.
 * @param step as of `finishRunIfDone`
 */
export async function failRun(
  runId: string,
  step: string,
  error: string,
  dependencies: FinishDependencies,
): Promise<void> {
  const { store } = dependencies;
  await endRun(runId, dependencies, async ({ run, version }, deadline, contention) => {
    const ended = await toEnded(run, 'failed', error, step, dependencies);
    const write = { set: runPath(runId), data: toRunDocument(ended), when: version };
    const outcome = await store.commit([write], contention);
    if (outcome === 'conflict') return 'again';
    logRunEnd(runId, ended, dependencies.logger);
    const summed = withSums(ended, await sumRun(runId, store, deadline));
    checkSum(runId, summed, dependencies.logger);
    await store.commit([{ set: runPath(runId), data: toRunDocument(summed), when: outcome }], deadline());
    await alertIfJobKeepsFailing(runId, summed, dependencies);
    await notifyTenant(runId, summed, step, dependencies);
    return 'done';
  });
}

/**
 * Ends a running run as cancelled: no step reads any more of it, and what is stored stays. Its sums are left to a step
 * (`settleEndedRun`), which notifies the tenant. Repeating it is safe.
 * @returns whether the run is cancelled now; if not, it had ended before
 */
export async function cancelRun(runId: string, deadline: Deadline, dependencies: FinishDependencies): Promise<boolean> {
  await endRun(runId, dependencies, async ({ run, version }, _deadline, contention) => {
    const ended = await toEnded(run, 'cancelled', null, PLANNING_STEP, dependencies);
    const write = { set: runPath(runId), data: toRunDocument(ended), when: version };
    if ((await dependencies.store.commit([write], contention)) === 'conflict') return 'again';
    logRunEnd(runId, ended, dependencies.logger);
    return 'done';
  });
  return (await findRun(runId, dependencies.store, deadline))?.status === 'cancelled';
}

/** Does for a planning step what is left to do of a run that has ended. Repeating it is safe. */
export async function settleEndedRun(runId: string, run: Run, dependencies: FinishDependencies): Promise<void> {
  if (run.status === 'cancelled') return sumCancelledRun(runId, dependencies);
  await notifyTenant(runId, run, PLANNING_STEP, dependencies);
}

/**
 * Sums the files of a run that was cancelled, and notifies its tenant; does nothing to any other run. Each step that
 * was under way calls it after its last commit, so that the last sums count everything. Repeating it is safe.
 */
export async function sumCancelledRun(runId: string, dependencies: FinishDependencies): Promise<void> {
  const { store } = dependencies;
  await changeRun(runId, 'cancelled', dependencies, async ({ run, version }, deadline, contention) => {
    const summed = withSums(run, await sumRun(runId, store, deadline));
    contention.renew();
    const write = { set: runPath(runId), data: toRunDocument(summed), when: version };
    if ((await store.commit([write], contention)) === 'conflict') return 'again';
    checkSum(runId, summed, dependencies.logger);
    await notifyTenant(runId, summed, PLANNING_STEP, dependencies);
    return 'done';
  });
}

/**
 * The tenant of a run. Undefined: it is gone or being erased. Then the run is ended, and its step must write nothing. A
 * run that is not stored yet is not stored by this. Repeating it is safe.
 */
export async function findRunTenant(
  runId: string,
  { tenantId }: Pick<Run, 'tenantId'>,
  deadline: Deadline,
  dependencies: FinishDependencies,
): Promise<Tenant | undefined> {
  const tenant = await findServedTenant(tenantId, dependencies.store, deadline);
  if (!tenant) await failRun(runId, PLANNING_STEP, 'The tenant of the run does not exist.', dependencies);
  return tenant;
}

interface StoredRun {
  readonly run: Run;
  readonly version: Version;
}

type Attempt = (
  stored: StoredRun,
  deadline: () => Deadline,
  contention: ExtendableDeadline,
) => Promise<'done' | 'again'>;

/** `changeRun` of a run that is running. */
function endRun(runId: string, dependencies: FinishDependencies, attempt: Attempt): Promise<void> {
  return changeRun(runId, 'running', dependencies, attempt);
}

/**
 * Optimistic retry of `attempt` on a run, while the run is in this status. Summing many files takes long, so that each
 * call of the database has a deadline of its own.
 */
async function changeRun(
  runId: string,
  status: Run['status'],
  dependencies: FinishDependencies,
  attempt: Attempt,
): Promise<void> {
  const { store, clock } = dependencies;
  const deadline = () => deadlineIn(REQUEST_DEADLINE_MS, clock);
  const contention = extendableDeadlineIn(REQUEST_DEADLINE_MS, clock);
  const tryOnce = async () => {
    const document = await store.get(runPath(runId), deadline());
    const run = document && fromRunDocument(document);
    if (!document || run?.status !== status) return [];
    return (await attempt({ run, version: document.version }, deadline, contention)) === 'again' ? [runId] : [];
  };
  await retryConflicts([runId], tryOnce, contention, dependencies);
}

export interface RunTotals {
  readonly files: FileCounts;
  readonly rows: RowCounts;
  /** Null: a release that did not count changes has read some of the rows. */
  readonly changes: RunChanges | null;
  /** Which file failed and why; null when none did. */
  readonly failure: string | null;
  readonly ignoredFields: readonly string[];
  readonly warnings: Warnings;
}

/** Sums a run's files as they are now. @param onProgress is called from time to time with the number of files read */
export async function sumRun(
  runId: string,
  store: DocumentStore,
  deadlineOfPage: () => Deadline,
  onProgress?: (files: number) => void,
): Promise<RunTotals> {
  const files = allDocuments(store, runFilesPath(runId), deadlineOfPage, onProgress);
  return sumDocuments(files, allDocuments(store, runPagesPath(runId), deadlineOfPage));
}

/** How many documents may still be read to sum runs. */
export interface SumBudget {
  left: number;
}

/** Like `sumRun`, within a budget that several runs may share. @returns undefined when it is spent */
export async function sumRunWithin(
  budget: SumBudget,
  runId: string,
  store: DocumentStore,
  deadline: Deadline,
): Promise<RunTotals | undefined> {
  const read = (collection: string) =>
    within(
      budget,
      documentsAfter(undefined, PAGE_READ_DOCUMENTS, (page) => store.list(collection, page, deadline)),
    );
  try {
    return await sumDocuments(read(runFilesPath(runId)), read(runPagesPath(runId)));
  } catch (error) {
    if (error instanceof BudgetSpent) return undefined;
    throw error;
  }
}

class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent';
}

async function* within(budget: SumBudget, documents: AsyncIterable<StoredDocument>): AsyncGenerator<StoredDocument> {
  for await (const document of documents) {
    if (budget.left <= 0) throw new BudgetSpent('The run has more files than may be counted.');
    budget.left -= 1;
    yield document;
  }
}

async function sumDocuments(
  files: AsyncIterable<StoredDocument>,
  pages: AsyncIterable<StoredDocument>,
): Promise<RunTotals> {
  const [totals, { skipped, warnings }] = await waitForAll([sumFiles(files), sumPages(pages)]);
  return {
    ...totals,
    files: { ...totals.files, found: totals.files.found + skipped, skipped },
    warnings: addWarnings(totals.warnings, warnings),
  };
}

async function sumFiles(documents: AsyncIterable<StoredDocument>): Promise<RunTotals> {
  const files = { found: 0, finished: 0, skipped: 0, failed: 0 };
  let rows = NO_ROWS;
  const changes: { -readonly [Kind in keyof RunChanges]: RunChanges[Kind] } = {};
  let failure: string | null = null;
  const ignoredFields = new Set<string>();
  let warnings = NO_WARNINGS;
  for await (const document of documents) {
    const file = fromFileDocument(document);
    warnings = addWarnings(warnings, warningsOfFile(file));
    rows = addRows(rows, file.rows);
    if (file.changes) changes[file.kind] = addChanges(changes[file.kind] ?? {}, file.changes);
    for (const field of file.ignoredFields ?? []) if (ignoredFields.size < MAX_IGNORED_FIELDS) ignoredFields.add(field);
    if (file.status === 'replaced') continue; // the generation that has replaced it counts
    files.found += 1;
    if (file.status === 'finished') files.finished += 1;
    if (file.status !== 'failed') continue;
    files.failed += 1;
    failure ??= `${file.object}: ${file.error ?? 'it could not be read'}`;
  }
  const others = files.failed > 1 ? ` (and ${files.failed - 1} other files)` : '';
  return {
    files,
    rows,
    changes: areOfAllRows(changes, rows) ? changes : null,
    failure: failure && failure + others,
    ignoredFields: [...ignoredFields],
    warnings,
  };
}

/**
 * How many objects the run does not read (their names tell no kind, or other runs read them or have read them), and
 * what it is warned of them.
 */
async function sumPages(
  pages: AsyncIterable<StoredDocument>,
): Promise<Pick<RunTotals, 'warnings'> & { skipped: number }> {
  let skipped = 0;
  let warnings = NO_WARNINGS;
  for await (const page of pages) {
    skipped += Number(page.data.skipped);
    warnings = addWarnings(warnings, warningsOfPage(page));
  }
  return { skipped, warnings };
}

function withSums(run: Run, { files, rows, changes, ignoredFields, warnings }: RunTotals): Run {
  return { ...run, files, rows, changes, ignoredFields, warnings: warningsOfRun(run, files, warnings) };
}
