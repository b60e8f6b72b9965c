import type { Example } from '../../transfers/runs/view/examples';
import { findExamples } from '../../transfers/runs/view/examples';
import type { Operator } from '../operator';
import type { RunCounts, ShownRun } from './shown-run';
import { countsOf, requireRun, toShown } from './shown-run';

/** The time between two checks whether a run has ended. A check is one small read. */
const WATCH_INTERVAL_MS = 1_000;
/**
 * The least time between two counts of a running run, and the least multiple of the time that a count took: a count
 * reads the documents of all files of the run.
 */
const COUNT_INTERVAL_MS = 10_000;
const COUNT_INTERVAL_FACTOR = 10;

/** A run that is watched. `examples`: records that a preview would change; null: it is none, or an old one. */
export type WatchedRun = ShownRun & { readonly examples: readonly Example[] | null };

/** Reports the progress of a run until it ends, then returns it. @throws OperatorError when there is no such run */
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
      progress(toProgress(await countsOf(runId, run, operator)));
      const endedMs = clock.nowMs();
      countAtMs = endedMs + Math.max(COUNT_INTERVAL_MS, COUNT_INTERVAL_FACTOR * (endedMs - beganMs));
    }
    await clock.sleep(WATCH_INTERVAL_MS);
  }
}

function toProgress({ files, rows }: RunCounts): string {
  return (
    `${files.finished + files.failed + files.skipped} of ${files.found} files, ${rows.read} rows read, ` +
    `${rows.stored} stored, ${rows.invalid} invalid, ${rows.stale} stale, ` +
    `${rows.deleted} deleted`
  );
}
