/**
 * Records of how far a step has come with a file. Each commit of a slice writes one document, on condition that nobody
 * else has written it. It is the file's own document, but at most once a second, as often as the database takes one; in
 * between it is one of the file's leases, in turn.
 *
 * Two workers on one file do no harm: the first record of a worker writes the file's document and all of its leases, so
 * that all commits of the one before it are refused from then on. Only a commit that writes the file's document creates
 * leases: so no lease appears unseen, and none of a file that has been erased.
 */
import type { DocumentData } from '../../domain/records/document';
import type { Condition, DocumentWrite, Version } from '../../documents/document-store';
import { runFileLeasePath, runFilePath } from '../../documents/paths';
import { FILE_LEASES, FIRST_FILE_LEASES, PROGRESS_WRITE_MS } from '../../limits/transfers';
import { newRevision } from '../../workspace/record-documents';
import type { FileStatus, RunFile } from '../runs/run';
import { toFileDocument } from '../runs/run';
import type { Leases, Progress, SliceAhead, StepContext, StepOutcome } from './file-progress';
import { callDeadline, loadProgress, slicesAfter, withStoredCounted } from './file-progress';

/** A record of progress, for a commit. */
export interface ProgressRecord {
  readonly isInFile: boolean;
  /** What takes or creates leases. */
  readonly takes: readonly DocumentWrite[];
  /** What holds the progress. It comes last in the commit, which returns the version of the last. */
  readonly write: { readonly set: string; readonly data: DocumentData; readonly when: Condition };
  /** The progress from when the commit has begun: the next record goes elsewhere. */
  readonly begun: Progress;
  /** What is known once it is committed, beside the file. */
  readonly committed: (current: Progress, version: Version) => Progress;
}

type RecordContext = Pick<StepContext, 'step' | 'worker' | 'dependencies'>;

interface RecordOptions {
  /** Slices that are stored once it is committed; it names those that the file does not count. Absent: `ahead`. */
  readonly stored?: readonly SliceAhead[];
  /** Whether to create leases where there are none yet; absent: no. */
  readonly takesLeases?: boolean;
  /** Whether a commit that writes the file's document is in flight; absent: no. */
  readonly isFileInFlight?: boolean;
}

/**
 * The next record of a worker: in the file's document where that is due, in a lease otherwise.
 * @param file as recorded
 */
export function nextRecord(
  context: RecordContext,
  progress: Progress,
  file: RunFile,
  options: RecordOptions = {},
): ProgressRecord {
  const { leases, recordedMs } = progress;
  const lease = leases.areHeld ? leases.versions[leases.next] : undefined;
  const isDue = context.dependencies.clock.nowMs() - recordedMs >= PROGRESS_WRITE_MS;
  if (!lease || (isDue && !options.isFileInFlight)) return recordInFile(context, progress, file, options);
  return recordInLease(context, progress, file, lease, options);
}

/**
 * A record in the file's document. Where another worker may hold the leases, it takes them all; where they are too few,
 * it creates more.
 * @param file as recorded
 */
export function recordInFile(
  context: RecordContext,
  progress: Progress,
  file: RunFile,
  { stored = progress.ahead, takesLeases = false }: RecordOptions = {},
): ProgressRecord {
  const { step, dependencies } = context;
  const { leases, version: when } = progress;
  const held = leases.areHeld ? leases.versions.length : 0;
  const count = countOfLeases(leases, takesLeases);
  const takes = Array.from({ length: count - held }, (_, more): DocumentWrite => {
    const index = held + more;
    const data = { revision: newRevision(dependencies.random), expireAt: file.expireAt };
    const before = leases.versions[index] ?? 'absent';
    return { set: runFileLeasePath(step.runId, step.fileId, index), data, when: before };
  });
  const write = { set: runFilePath(step.runId, step.fileId), data: toRecord(context, file, stored), when };
  const begun = { ...progress, recordedMs: dependencies.clock.nowMs(), leases: { ...leases, used: 0 } };
  const committed = (current: Progress, version: Version): Progress => {
    const versions = [...current.leases.versions.slice(0, held), ...takes.map(() => version)];
    return {
      ...current,
      version,
      leases: { ...current.leases, areHeld: count > 0, versions },
      ahead: slicesAfter(file, current.ahead),
    };
  };
  return { isInFile: true, takes, write, begun, committed };
}

/** How many leases the worker has once the file's document is written: twice as many where it went round them all. */
function countOfLeases({ areHeld, versions: { length }, used }: Leases, takesLeases: boolean): number {
  if (!areHeld) return takesLeases || length > 0 ? Math.max(length, FIRST_FILE_LEASES) : 0;
  return used > length ? Math.min(2 * length, FILE_LEASES) : length;
}

function recordInLease(
  context: RecordContext,
  progress: Progress,
  file: RunFile,
  when: Version,
  { stored = progress.ahead }: RecordOptions,
): ProgressRecord {
  const { runId, fileId } = context.step;
  const { leases } = progress;
  const { next, versions, used } = leases;
  const write = { set: runFileLeasePath(runId, fileId, next), data: toRecord(context, file, stored), when };
  const begun = { ...progress, leases: { ...leases, next: (next + 1) % versions.length, used: used + 1 } };
  const committed = (current: Progress, version: Version): Progress => ({
    ...current,
    leases: { ...current.leases, versions: current.leases.versions.with(next, version) },
    ahead: slicesAfter(file, current.ahead),
  });
  return { isInFile: false, takes: [], write, begun, committed };
}

function toRecord({ worker }: RecordContext, file: RunFile, stored: readonly SliceAhead[]): DocumentData {
  const ahead = slicesAfter(file, stored) as unknown as DocumentData[];
  return { ...toFileDocument(file), worker, ...(ahead.length > 0 && { ahead }) };
}

/**
 * Records progress in the file's document, where that does not count everything yet.
 * @returns false when another worker has gone on
 */
export async function recordProgress(context: RecordContext, progress: Progress): Promise<boolean> {
  if (progress.isRecorded) return true;
  const { dependencies } = context;
  const { takes, write } = recordInFile(context, progress, progress.file);
  const outcome = await dependencies.store.commit([...takes, write], callDeadline(dependencies));
  if (outcome !== 'conflict') return true;
  return (await loadProgress(context))?.worker === context.worker; // an answer was lost, and the repeat met our progress
}

/** Records the end of a file, with other writes in the same commit. All of its slices that are stored are counted. */
export async function endFile(
  context: StepContext,
  progress: Progress,
  status: FileStatus,
  error: string | null,
  otherWrites: readonly DocumentWrite[] = [],
): Promise<StepOutcome> {
  const { dependencies } = context;
  const counted = withStoredCounted(progress);
  const { takes, write } = recordInFile(context, counted, { ...counted.file, status, error });
  const outcome = await dependencies.store.commit([...otherWrites, ...takes, write], callDeadline(dependencies));
  return outcome === 'conflict' ? 'overtaken' : 'ended';
}
