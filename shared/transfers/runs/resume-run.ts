/** Publishes the steps of a run again, when their messages are lost: for example, discarded from the dead letters. */
import type { Deadline } from '../../platform/deadline';
import { pagesOf } from '../../documents/pages';
import { idOf, runFilesPath } from '../../documents/paths';
import type { Traceable } from '../../events/in-trace';
import { inTrace } from '../../events/in-trace';
import { parseTraceparent } from '../../platform/trace';
import type { Run } from './run';
import { fromFileDocument } from './run';
import type { FileStep, PlanStep, ReplayStep, TransferDependencies } from './steps';

/** Dependencies for work that belongs to a run: in its trace, if it has one. */
export function inTraceOfRun<D extends Traceable>({ traceparent }: Pick<Run, 'traceparent'>, dependencies: D): D {
  const trace = parseTraceparent(traceparent);
  return trace ? inTrace(dependencies, trace) : dependencies;
}

type ResumeDependencies = Pick<TransferDependencies, 'store' | 'publisher' | 'transfersTopic'>;

/** The first step of a run, from which all others follow. In a run whose files are all done, it ends the run. */
export function firstStep(runId: string, { replayOf }: Pick<Run, 'replayOf'>): PlanStep | ReplayStep {
  return replayOf === undefined
    ? { step: 'plan', runId, folder: 0, page: 0, pageToken: null }
    : { step: 'replay', runId, replayOf, after: null };
}

/**
 * Publishes the steps that a running run still has to do. Repeating it is safe: a step that is delivered twice does
 * nothing the second time.
 * @returns how many steps were published
 */
export async function resumeRun(
  runId: string,
  run: Run,
  deadline: () => Deadline,
  dependencies: ResumeDependencies,
): Promise<number> {
  const traced = inTraceOfRun(run, dependencies);
  const published = run.isPlanned ? await publishPendingFiles(runId, deadline, traced) : 0;
  if (published > 0) return published;
  await traced.publisher.publish(traced.transfersTopic, firstStep(runId, run));
  return 1;
}

/** Publishes the steps of the files that a run still has to read. @returns how many there are */
export async function publishPendingFiles(
  runId: string,
  deadline: () => Deadline,
  { store, publisher, transfersTopic }: ResumeDependencies,
): Promise<number> {
  let published = 0;
  for await (const page of pagesOf(store, runFilesPath(runId), deadline)) {
    const pending = page.filter((document) => fromFileDocument(document).status === 'pending');
    const steps = pending.map(({ path }): FileStep => ({ step: 'file', runId, fileId: idOf(path) }));
    await Promise.all(steps.map((step) => publisher.publish(transfersTopic, step)));
    published += steps.length;
  }
  return published;
}
