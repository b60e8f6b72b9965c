/**
 * Which run reads which file. Each generation of an object is read by one recurring run at a time, and to its end only
 * once (D-53, D-55). Historical runs, previews and replays take no files: they read whatever there is.
 */
import type { Clock } from '../../platform/clock';
import type { Deadline } from '../../platform/deadline';
import type { DocumentStore, StoredDocument } from '../../documents/document-store';
import { versionTime } from '../../documents/document-store';
import { idOf, runPath, takenFilePath } from '../../documents/paths';
import type { DocumentData } from '../../domain/records/document';
import { FILE_HOLD_SECONDS, TAKEN_FILE_REFRESH_SECONDS } from '../../limits/transfers';
import { takenFileExpiry } from './expiry';
import type { Run } from './run';
import { fromRunDocument } from './run';

interface TakenFile {
  readonly runId: string;
  readonly isFinished: boolean;
  /** When Firestore may remove the document. It is postponed while runs see the file in its bucket. */
  readonly expireAt: Date;
}

export interface TakenFilesDependencies {
  readonly store: DocumentStore;
  readonly clock: Clock;
}

/**
 * Takes those of the files for a run that no run has finished and no other run holds. A run holds a file while it is
 * running, for at most FILE_HOLD_SECONDS. A repeat gives at least the same files.
 * @returns the ids of the files that are the run's
 */
export async function takeFiles(
  fileIds: readonly string[],
  { runId, tenantId }: { readonly runId: string; readonly tenantId: string },
  deadline: Deadline,
  { store, clock }: TakenFilesDependencies,
): Promise<ReadonlySet<string>> {
  const readTaken = async (ids: readonly string[]) => {
    const paths = ids.map((fileId) => takenFilePath(tenantId, fileId));
    return new Map((await store.getAll(paths, deadline)).map((document) => [idOf(document.path), document]));
  };
  const taken = await readTaken(fileIds);
  await postponeExpiry([...taken.values()], deadline, { store, clock });
  const ofOthers = [...taken.values()].map(fromDocument).filter((file) => !file.isFinished && file.runId !== runId);
  const running = await findRunning(new Set(ofOthers.map((file) => file.runId)), deadline, store);
  const heldSince = clock.nowMs() - FILE_HOLD_SECONDS * 1000;
  const isFree = (document: StoredDocument | undefined) => {
    if (!document) return true;
    const file = fromDocument(document);
    const isHeld = running.has(file.runId) && versionTime(document.version).getTime() > heldSince;
    return file.runId !== runId && !file.isFinished && !isHeld;
  };
  const free = fileIds.filter((fileId) => isFree(taken.get(fileId)));
  const outcomes = await store.writeEach(
    free.map((fileId) => ({
      set: takenFilePath(tenantId, fileId),
      data: toDocument({ runId, isFinished: false, expireAt: takenFileExpiry(new Date(clock.nowMs())) }),
      when: taken.get(fileId)?.version ?? 'absent',
    })),
    deadline,
  );
  // A conflict: another run was faster, or the write was repeated because its answer was lost.
  const inConflict = free.filter((_, index) => outcomes[index] === 'conflict');
  const takenNow = inConflict.length > 0 ? await readTaken(inConflict) : new Map<string, StoredDocument>();
  const isOurs = (fileId: string) => {
    const document = takenNow.get(fileId) ?? taken.get(fileId);
    return document !== undefined && fromDocument(document).runId === runId;
  };
  const takenFirst = free.filter((_, index) => outcomes[index] === 'written');
  return new Set([...takenFirst, ...fileIds.filter(isOurs)]);
}

/** Whether a run has read a file to its end. */
export async function isRead(
  tenantId: string,
  fileId: string,
  store: Pick<DocumentStore, 'get'>,
  deadline: Deadline,
): Promise<boolean> {
  return (await store.get(takenFilePath(tenantId, fileId), deadline))?.data.isFinished === true;
}

/** Whether another run has taken a file from this one, which held it for too long. */
export function isTakenOver({ data }: StoredDocument, runId: string): boolean {
  return data.runId !== runId && data.isFinished !== true;
}

/** Whether a run takes files, so that no other recurring run reads them. */
export function takesFiles({ takesAll, replayOf }: Pick<Run, 'takesAll' | 'replayOf'>): boolean {
  return !takesAll && replayOf === undefined;
}

/** Whether a run that has read a file to its end says so. A replay has read only some lines, a preview stored none. */
export function finishesFiles({ replayOf, isPreview }: Pick<Run, 'replayOf' | 'isPreview'>): boolean {
  return replayOf === undefined && !isPreview;
}

/** The write that says that a run has read a file to its end. */
export function toFinishedWrite(tenantId: string, fileId: string, runId: string, now: Date) {
  const data = toDocument({ runId, isFinished: true, expireAt: takenFileExpiry(now) });
  return { set: takenFilePath(tenantId, fileId), data };
}

/**
 * Postpones the expiry of finished files that are still in their bucket, long before it is due. A document that changes
 * meanwhile is left as it is: every write postpones it.
 */
async function postponeExpiry(
  taken: readonly StoredDocument[],
  deadline: Deadline,
  { store, clock }: TakenFilesDependencies,
): Promise<void> {
  const refreshBeforeMs = clock.nowMs() + TAKEN_FILE_REFRESH_SECONDS * 1000;
  const expireAt = takenFileExpiry(new Date(clock.nowMs()));
  const expiring = taken.filter((document) => {
    const file = fromDocument(document);
    return file.isFinished && file.expireAt.getTime() < refreshBeforeMs;
  });
  const writes = expiring.map(({ path, version }) => ({
    set: path,
    data: { expireAt },
    fields: ['expireAt'],
    when: version,
  }));
  if (writes.length > 0) await store.writeEach(writes, deadline);
}

async function findRunning(
  runIds: ReadonlySet<string>,
  deadline: Deadline,
  store: DocumentStore,
): Promise<Set<string>> {
  const runs = await store.getAll([...runIds].map(runPath), deadline);
  return new Set(runs.filter((run) => fromRunDocument(run).status === 'running').map(({ path }) => idOf(path)));
}

const toDocument = (file: TakenFile): DocumentData => ({ ...file });
const fromDocument = ({ data }: StoredDocument): TakenFile => data as unknown as TakenFile;
