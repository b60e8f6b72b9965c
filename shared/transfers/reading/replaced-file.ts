/** Goes on with the object that has replaced a file whose generation is gone (D-53). */
import type { DocumentWrite } from '../../documents/document-store';
import { isSameVersion } from '../../documents/document-store';
import { runFilePath } from '../../documents/paths';
import { toRunFile } from '../runs/plan-page';
import { loadReplayedRows, toLinesWrite } from '../runs/replay-documents';
import type { RunFile } from '../runs/run';
import { fileIdOf, toFileDocument } from '../runs/run';
import { takeFiles, takesFiles } from '../runs/taken-files';
import type { Progress, StepContext, StepOutcome } from './file-progress';
import { callDeadline, loadProgress } from './file-progress';
import { endFile, recordInFile } from './record-progress';

/** The replacement of a file is stored. */
interface Replacement {
  /** The progress of the replaced file. */
  readonly progress: Progress;
}

/** Ends a file that another one has replaced, once that one is stored. */
export async function handOverToReplacement(context: StepContext, progress: Progress): Promise<StepOutcome> {
  const { replacedBy } = progress.file;
  const next = replacedBy === undefined ? await findReplacement(context, progress) : { progress };
  if (typeof next === 'string') return next;
  const outcome = await endFile(context, next.progress, 'replaced', null);
  return outcome === 'ended' ? 'replaced' : outcome;
}

/** Stores the file that has replaced this one. Where there is none that this run reads, ends this file. */
async function findReplacement(context: StepContext, progress: Progress): Promise<Replacement | StepOutcome> {
  const { run, step, dependencies } = context;
  const { object, generation, replaysLines } = progress.file;
  const current = await dependencies.storage.find(run.bucketName, object);
  const file = current && toRunFile(current, run);
  if (!file || file.generation === generation)
    return endFile(context, progress, 'failed', 'The object was removed while it was read.');
  const fileId = fileIdOf(run.bucketName, object, file.generation);
  if (takesFiles(run)) {
    const holder = { runId: step.runId, tenantId: run.tenantId };
    const taken = await takeFiles([fileId], holder, callDeadline(dependencies), dependencies);
    if (!taken.has(fileId)) return endFile(context, progress, 'replaced', null); // another run reads it
  }
  const { unitId } = step;
  return noteReplacement(context, progress, fileId, { ...file, unitId, ...(replaysLines && { replaysLines }) });
}

/**
 * Stores the replacement, and its id with the replaced file in the same commit. A repeat then reads the same file,
 * though the object may have been replaced again.
 */
async function noteReplacement(
  context: StepContext,
  progress: Progress,
  fileId: string,
  replacement: RunFile,
): Promise<Replacement | 'overtaken'> {
  const { step, dependencies } = context;
  const file = { ...progress.file, replacedBy: fileId };
  const record = recordInFile(context, progress, file);
  const writes: DocumentWrite[] = [
    ...(await toReplacementLines(context, fileId, replacement)),
    { set: runFilePath(step.runId, fileId), data: toFileDocument(replacement), when: 'absent' },
    ...record.takes,
    record.write,
  ];
  const outcome = await dependencies.store.commit(writes, callDeadline(dependencies));
  if (outcome !== 'conflict') return { progress: { ...record.committed(record.begun, outcome), file } };
  const after = await loadProgress(context);
  if (after?.file.replacedBy === fileId) return { progress: after }; // an answer was lost
  const isPlanned = after && isSameVersion(after.version, progress.version); // the run's planning has stored it before
  return isPlanned ? { progress } : 'overtaken';
}

/** The write that has a replay read the same lines of the replacement; none when it reads all. */
async function toReplacementLines(
  { step, dependencies }: StepContext,
  fileId: string,
  replacement: RunFile,
): Promise<DocumentWrite[]> {
  if (!replacement.replaysLines) return [];
  const deadline = () => callDeadline(dependencies);
  const { lines } = await loadReplayedRows(step, dependencies.store, deadline);
  return [toLinesWrite({ runId: step.runId, fileId }, replacement, lines)];
}
