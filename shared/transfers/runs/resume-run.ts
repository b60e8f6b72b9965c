/** Publishes the steps of a run again, when their messages are lost: for example, discarded from the dead letters. */
import type { Deadline } from '../../platform/deadline';
import { pagesOf } from '../../documents/pages';
import { idOf, runFilesPath } from '../../documents/paths';
import { PLAN_PAGE_OBJECTS } from '../../limits/transfers';
import { chunksOf } from '../../platform/chunks';
import type { Traceable } from '../../events/in-trace';
import { inTrace } from '../../events/in-trace';
import { parseTraceparent } from '../../platform/trace';
import type { Run, RunFile } from './run';
import { fromFileDocument } from './run';
import type { PlanStep, ReplayStep } from './steps';
import type { LaneDependencies } from './units/lanes';
import { handOut, publishFilled } from './units/lanes';
import { isWholeUnit, unitsOf } from './units/unit';

/** Dependencies for work that belongs to a run: in its trace, if it has one. */
export function inTraceOfRun<D extends Traceable>({ traceparent }: Pick<Run, 'traceparent'>, dependencies: D): D {
  const trace = parseTraceparent(traceparent);
  return trace ? inTrace(dependencies, trace) : dependencies;
}

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
  dependencies: LaneDependencies,
): Promise<number> {
  const traced = inTraceOfRun(run, dependencies);
  const published = run.isPlanned ? await handOutPending(runId, run, deadline, traced) : 0;
  if (published > 0) return published;
  await traced.publisher.publish(traced.transfersTopic, firstStep(runId, run));
  return 1;
}

/** Hands out the files that a run still has to read. @returns how many messages were published */
export async function handOutPending(
  runId: string,
  run: Run,
  deadline: () => Deadline,
  dependencies: LaneDependencies,
): Promise<number> {
  let published = 0;
  await publishFilled(run.tenantId, runId, dependencies);
  // A unit is handed out as a whole: another one with its id would count as handed out. Files of one are on many pages.
  const inUnits: (readonly [string, Pick<RunFile, 'unitId'>])[] = [];
  for await (const page of pagesOf(dependencies.store, runFilesPath(runId), deadline)) {
    const files = page.map((document) => [idOf(document.path), fromFileDocument(document)] as const);
    const pending = files.filter(([, { status }]) => status === 'pending');
    const alone = pending.filter(([fileId, file]) => isWholeUnit(fileId, file));
    published += await handOut(run.tenantId, unitsOf(runId, run, alone), dependencies);
    for (const [fileId, file] of pending) {
      const { unitId } = file;
      if (unitId !== undefined && !isWholeUnit(fileId, file)) inUnits.push([fileId, { unitId }]);
    }
  }
  for (const units of chunksOf(unitsOf(runId, run, inUnits), PLAN_PAGE_OBJECTS)) {
    published += await handOut(run.tenantId, units, dependencies);
  }
  return published;
}
