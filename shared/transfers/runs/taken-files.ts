/**
 * Which run reads which file: each generation of an object is read by one recurring run at a time, and to its end once
 * (D-53, D-55). A historical run and a replay read whatever there is beside them.
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
  /** When Firestore may remove it; put off while runs see the file in its bucket. */
  readonly expireAt: Date;
}

export interface TakenFilesDependencies {
  readonly store: DocumentStore;
  readonly clock: Clock;
}

/**
 * Takes files for a run, of those that it sees in the bucket: those that no run has finished, and that no other run
 * holds, which it does while it is running, for at most FILE_HOLD_SECONDS. Repeating it gives at least the same files.
 * @returns the ids of those that are the run's
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
  await keepRemembered([...taken.values()], deadline, { store, clock });
  const others = [...taken.values()].map(fromDocument).filter((file) => !file.isFinished && file.runId !== runId);
  const running = await findRunning(new Set(others.map((file) => file.runId)), deadline, store);
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
  // In conflict: another run was faster, or the write was repeated because its answer was lost.
  const disputed = free.filter((_, index) => outcomes[index] === 'conflict');
  const settled = disputed.length > 0 ? await readTaken(disputed) : new Map<string, StoredDocument>();
  const isOurs = (fileId: string) => {
    const document = settled.get(fileId) ?? taken.get(fileId);
    return document !== undefined && fromDocument(document).runId === runId;
  };
  const won = free.filter((_, index) => outcomes[index] === 'written');
  return new Set([...won, ...fileIds.filter(isOurs)]);
}

/** Whether another run has taken a file from this one, which held it for too long. */
export function isTakenOver({ data }: StoredDocument, runId: string): boolean {
  return data.runId !== runId && data.isFinished !== true;
}

/** Whether a run takes files, so that no other recurring run reads them too. */
export function takesFiles({ takesAll, replayOf }: Pick<Run, 'takesAll' | 'replayOf'>): boolean {
  return !takesAll && replayOf === undefined;
}

/** The write that notes that a run has read a file to its end. */
export function toFinishedWrite(tenantId: string, fileId: string, runId: string, now: Date) {
  const data = toDocument({ runId, isFinished: true, expireAt: takenFileExpiry(now) });
  return { set: takenFilePath(tenantId, fileId), data };
}

/**
 * Puts off when it is forgotten that files were read which are still there, long before that would happen. A note that
 * changes meanwhile is left as it is: whoever changed it has put it off.
 */
async function keepRemembered(
  taken: readonly StoredDocument[],
  deadline: Deadline,
  { store, clock }: TakenFilesDependencies,
): Promise<void> {
  const soonMs = clock.nowMs() + TAKEN_FILE_REFRESH_SECONDS * 1000;
  const expireAt = takenFileExpiry(new Date(clock.nowMs()));
  const ageing = taken.filter((document) => {
    const file = fromDocument(document);
    return file.isFinished && file.expireAt.getTime() < soonMs;
  });
  const writes = ageing.map(({ path, version }) => ({
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
