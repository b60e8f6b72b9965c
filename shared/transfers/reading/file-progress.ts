/**
 * How far a unit of work has come with a file. The file's document is the progress; two workers on one file do no harm,
 * because each commit is on the condition that nothing came in between.
 *
 * A second document, the lease, belongs to whoever records progress: of two slices that are under way at once one
 * depends on the lease alone (`slice-writer.ts`). A unit takes a lease that is there with its first progress, so that
 * all slices of the worker before are refused from then on.
 */
import { deadlineIn } from '../../platform/deadline';
import type { Deadline } from '../../platform/deadline';
import type { DocumentWrite, StoredDocument, Version } from '../../documents/document-store';
import { runFilePath, runFileLeasePath } from '../../documents/paths';
import { REQUEST_DEADLINE_MS } from '../../domain/limits';
import type { Tenant } from '../../domain/tenant';
import { newRevision } from '../../workspace/record-documents';
import { runPartExpiry } from '../runs/expiry';
import type { Run, RunFile } from '../runs/run';
import { fromFileDocument, toFileDocument } from '../runs/run';
import type { FileStep, TransferDependencies } from '../runs/steps';

/** What a unit of work holds on to. */
export interface StepContext {
  readonly step: FileStep;
  readonly run: Run;
  readonly tenant: Tenant;
  /** Tells this unit's own commits from another worker's. */
  readonly worker: string;
  readonly dependencies: TransferDependencies;
}

/** The file as this unit last wrote or read it. */
export interface Progress {
  readonly file: RunFile;
  /** Of the file's document. */
  readonly version: Version;
  /** Whether the document says all of it: not of slices that the writer of slices has not recorded yet. */
  readonly isRecorded: boolean;
  readonly lease: Lease;
}

export interface Lease {
  readonly isHeld: boolean;
  readonly version: Version | 'absent';
}

/** The file as it is stored, and who wrote it. */
export async function loadProgress({
  step,
  dependencies,
}: StepContext): Promise<(Progress & { readonly worker: unknown }) | undefined> {
  const path = runFilePath(step.runId, step.fileId);
  const leasePath = runFileLeasePath(step.runId, step.fileId);
  const found = await dependencies.store.getAll([path, leasePath], callDeadline(dependencies));
  const at = (wanted: string): StoredDocument | undefined => found.find((document) => document.path === wanted);
  const document = at(path);
  if (!document) return undefined;
  const lease = { isHeld: false, version: at(leasePath)?.version ?? 'absent' } as const;
  const { version, data } = document;
  return { file: fromFileDocument(document), version, isRecorded: true, lease, worker: data.worker };
}

/** The write that records the file's progress: the last one of its commit, whose version it is. */
export function toProgressWrite({ step, worker }: StepContext, file: RunFile, version: Version): DocumentWrite {
  const data = { ...toFileDocument(file), worker };
  return { set: runFilePath(step.runId, step.fileId), data, when: version };
}

/** The write that takes the lease, or keeps it. */
export function toLeaseWrite({ step, run, dependencies }: StepContext, { version }: Lease): DocumentWrite {
  const data = { revision: newRevision(dependencies.random), expireAt: runPartExpiry(run) };
  return { set: runFileLeasePath(step.runId, step.fileId), data, when: version };
}

/** Of each call that a unit makes for itself. */
export function callDeadline({ clock }: Pick<TransferDependencies, 'clock'>): Deadline {
  return deadlineIn(REQUEST_DEADLINE_MS, clock);
}
