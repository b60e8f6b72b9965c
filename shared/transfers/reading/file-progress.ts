/**
 * How far a step has come with a file. The file's document holds the progress. Two workers on one file do no harm,
 * because each commit requires that nothing was written in between.
 *
 * A second document, the lease, belongs to the worker that records progress. Of two slices that are in flight one
 * depends on the lease alone (`slice-writer.ts`). A step takes an existing lease with its first progress: from then on
 * all slices of the worker before it are refused.
 */
import { deadlineIn } from '../../platform/deadline';
import type { Deadline } from '../../platform/deadline';
import type { DocumentWrite, Version } from '../../documents/document-store';
import { runFilePath, runFileLeasePath } from '../../documents/paths';
import { REQUEST_DEADLINE_MS } from '../../domain/limits';
import type { Tenant } from '../../domain/tenant';
import { newRevision } from '../../workspace/record-documents';
import { runPartExpiry } from '../runs/expiry';
import type { FileStatus, Run, RunFile } from '../runs/run';
import { fromFileDocument, toFileDocument } from '../runs/run';
import type { FileStep, TransferDependencies } from '../runs/steps';

/** What everything that one step does has in common. */
export interface StepContext {
  readonly step: FileStep;
  readonly run: Run;
  readonly tenant: Tenant;
  /** Tells the commits of this delivery of the step from those of another worker. */
  readonly worker: string;
  readonly dependencies: TransferDependencies;
}

/** The file as this step last wrote or read it. */
export interface Progress {
  readonly file: RunFile;
  /** Of the file's document. */
  readonly version: Version;
  /** False: some slices are stored that the file's document does not count yet. */
  readonly isRecorded: boolean;
  readonly lease: Lease;
}

export interface Lease {
  readonly isHeld: boolean;
  readonly version: Version | 'absent';
}

/**
 * What a step comes to: the file or the run has ended, a message hands the file over to the next step, another worker
 * has gone on with the file, or somebody has cancelled the run.
 */
export type StepOutcome = 'ended' | 'handed over' | 'overtaken' | 'cancelled';

/** The file as it is stored, and the worker that wrote it. Undefined: the run has no such file. */
export async function loadProgress({
  step,
  dependencies,
}: StepContext): Promise<(Progress & { readonly worker: unknown }) | undefined> {
  const path = runFilePath(step.runId, step.fileId);
  const leasePath = runFileLeasePath(step.runId, step.fileId);
  const found = await dependencies.store.getAll([path, leasePath], callDeadline(dependencies));
  const documents = new Map(found.map((document) => [document.path, document]));
  const document = documents.get(path);
  if (!document) return undefined;
  const lease = { isHeld: false, version: documents.get(leasePath)?.version ?? 'absent' } as const;
  const { version, data } = document;
  return { file: fromFileDocument(document), version, isRecorded: true, lease, worker: data.worker };
}

/**
 * Records progress that is not recorded yet.
 * @returns false when another worker has gone on
 */
export async function recordProgress(context: StepContext, { file, version, isRecorded }: Progress): Promise<boolean> {
  if (isRecorded) return true;
  const { dependencies } = context;
  const write = toProgressWrite(context, file, version);
  const outcome = await dependencies.store.commit([write], callDeadline(dependencies));
  if (outcome !== 'conflict') return true;
  return (await loadProgress(context))?.worker === context.worker; // an answer was lost, and the repeat met our progress
}

/** Records the end of a file, with other writes in the same commit. */
export async function endFile(
  context: StepContext,
  { file, version }: Progress,
  status: FileStatus,
  error: string | null,
  otherWrites: readonly DocumentWrite[] = [],
): Promise<StepOutcome> {
  const { dependencies } = context;
  const last = toProgressWrite(context, { ...file, status, error }, version);
  const outcome = await dependencies.store.commit([...otherWrites, last], callDeadline(dependencies));
  return outcome === 'conflict' ? 'overtaken' : 'ended';
}

/** The write that records the file's progress. It comes last in its commit, which returns the version of the last. */
export function toProgressWrite({ step, worker }: StepContext, file: RunFile, version: Version): DocumentWrite {
  const data = { ...toFileDocument(file), worker };
  return { set: runFilePath(step.runId, step.fileId), data, when: version };
}

/** The write that takes the lease, or renews it. */
export function toLeaseWrite({ step, run, dependencies }: StepContext, { version }: Lease): DocumentWrite {
  const data = { revision: newRevision(dependencies.random), expireAt: runPartExpiry(run) };
  return { set: runFileLeasePath(step.runId, step.fileId), data, when: version };
}

/** The deadline of one call that a step makes for itself. */
export function callDeadline({ clock }: Pick<TransferDependencies, 'clock'>): Deadline {
  return deadlineIn(REQUEST_DEADLINE_MS, clock);
}
