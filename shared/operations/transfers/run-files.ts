/** Operators' use cases about what is in a run: its files, and their bad rows. */
import { allDocuments } from '../../documents/pages';
import { runFilesPath } from '../../documents/paths';
import { ObjectGone } from '../../transfers/object-storage';
import type { BadRowReport } from '../../transfers/runs/report';
import { readReport } from '../../transfers/runs/report';
import type { FileStatus, RunFile } from '../../transfers/runs/run';
import { fromFileDocument, NO_ROWS } from '../../transfers/runs/run';
import type { SkipReason } from '../../transfers/runs/view/skipped-files';
import { skippedFilesAfter } from '../../transfers/runs/view/skipped-files';
import type { Operator } from '../operator';
import { OperatorError } from '../operator-error';
import { requireRun } from './shown-run';

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
