import type { Deadline } from '../../platform/deadline';
import { idOf, runFilePath, runPagePath, runPath } from '../../documents/paths';
import { PLAN_PAGE_OBJECTS } from '../../limits/transfers';
import { parseFileKind } from '../../files/file-kind';
import { FILE_START } from '../../files/row';
import { runPartExpiry } from './expiry';
import { failRun, findRunTenant, finishRunIfDone, recordPlanned, PLANNING_STEP, settleEndedRun } from './finish-run';
import type { ObjectPage, StoredObject } from '../object-storage';
import { Refusal } from '../object-storage';
import type { Run, RunFile } from './run';
import { fileIdOf, fromFileDocument, fromRunDocument, NO_ROWS, toFileDocument } from './run';
import type { FileStep, PlanStep, TransferDependencies } from './steps';
import { ImpossibleStep } from './steps';
import { takeFiles, takesFiles } from './taken-files';

/**
 * Lists one page of a folder, stores a document for each file to read, publishes the files' steps, and then the step of
 * the next page. Files are published first, because after the last page has ended the planning a repeat of this step
 * publishes nothing.
 *
 * A repeat also publishes the files that its first attempt found, though the bucket may hold others now. It leaves out
 * the files that are done: otherwise the next page would wait behind every file once for each repeat.
 * @throws ImpossibleStep when there is no such run, or it does not list the folder
 */
export async function planPage(step: PlanStep, deadline: Deadline, dependencies: TransferDependencies): Promise<void> {
  const { store, publisher, transfersTopic } = dependencies;
  const { runId } = step;
  const document = await store.get(runPath(runId), deadline);
  if (!document) throw new ImpossibleStep('The run of the step does not exist.');
  const run = fromRunDocument(document);
  const prefix = run.replayOf === undefined ? run.folderPaths[step.folder] : undefined;
  if (prefix === undefined) throw new ImpossibleStep('The run of the step does not list this folder.');
  if (run.status !== 'running') return settleEndedRun(runId, run, dependencies);
  if (run.isPlanned) return finishRunIfDone(runId, PLANNING_STEP, dependencies);
  if (!(await findRunTenant(runId, run, deadline, dependencies))) return;

  const page = await listPage(run, prefix, step, dependencies);
  if (!page) return;
  const fileIds = await storePageFiles(run, step, page, deadline, dependencies);
  const files = fileIds.map((fileId): FileStep => ({ step: 'file', runId, fileId }));
  await Promise.all(files.map((file) => publisher.publish(transfersTopic, file)));

  const next = nextStep(run, step, page);
  if (next) return publisher.publish(transfersTopic, next);
  await recordPlanned(runId, deadline, dependencies);
  await finishRunIfDone(runId, PLANNING_STEP, dependencies);
}

/** Undefined: the bucket cannot be listed, and the run has failed (D-56). */
async function listPage(
  run: Run,
  prefix: string,
  { runId, pageToken }: PlanStep,
  dependencies: TransferDependencies,
): Promise<ObjectPage | undefined> {
  try {
    return await dependencies.storage.list(run.bucketName, prefix, PLAN_PAGE_OBJECTS, pageToken ?? undefined);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await failRun(runId, PLANNING_STEP, error.message, dependencies);
    return undefined;
  }
}

function nextStep(run: Run, step: PlanStep, page: ObjectPage): PlanStep | undefined {
  if (page.nextPageToken !== undefined) return { ...step, page: step.page + 1, pageToken: page.nextPageToken };
  if (step.folder + 1 >= run.folderPaths.length) return undefined;
  return { ...step, folder: step.folder + 1, page: 0, pageToken: null };
}

/**
 * Stores the page and its files.
 * @returns the ids of the files that the run reads. A repeat adds those that the first attempt found, and leaves out
 * those that are done
 */
async function storePageFiles(
  run: Run,
  { runId, folder, page: pageNumber }: PlanStep,
  page: ObjectPage,
  deadline: Deadline,
  dependencies: TransferDependencies,
): Promise<string[]> {
  const { store } = dependencies;
  const objects = page.objects.filter(({ name }) => !name.endsWith('/')); // a folder's own placeholder
  const files = new Map<string, RunFile>();
  for (const object of objects) {
    const file = toRunFile(object, run);
    if (file) files.set(fileIdOf(run.bucketName, object.name, object.generation), file);
  }
  const { tenantId } = run;
  const taken = takesFiles(run)
    ? await takeFiles([...files.keys()], { runId, tenantId }, deadline, dependencies)
    : files;
  const added = [...files].filter(([fileId]) => taken.has(fileId));
  const fileIds = added.map(([fileId]) => fileId);
  const pagePath = runPagePath(runId, `${folder}.${pageNumber}`);
  const data = { skipped: objects.length - added.length, fileIds, expireAt: runPartExpiry(run) };
  const isRepeat = (await store.commit([{ set: pagePath, data, when: 'absent' }], deadline)) === 'conflict';
  const firstAttempt = isRepeat ? await store.get(pagePath, deadline) : undefined;
  await store.writeEach(
    added.map(([fileId, file]) => ({ set: runFilePath(runId, fileId), data: toFileDocument(file), when: 'absent' })),
    deadline,
  );
  if (!isRepeat) return fileIds;
  const known = new Set([...fileIds, ...((firstAttempt?.data.fileIds ?? []) as string[])]);
  const paths = [...known].map((fileId) => runFilePath(runId, fileId));
  const stored = await store.getAll(paths, deadline);
  return stored.filter((document) => fromFileDocument(document).status === 'pending').map(({ path }) => idOf(path));
}

/** An object as a pending file of a run; undefined when its name tells no kind or format (D-50, D-51). */
export function toRunFile(object: StoredObject, run: Pick<Run, 'startedAt'>): RunFile | undefined {
  const kind = parseFileKind(object.name, object.contentEncoding);
  if (!kind) return undefined;
  return {
    object: object.name,
    generation: object.generation,
    updated: object.updated,
    size: object.size,
    kind: kind.kind,
    format: kind.format,
    gzip: kind.gzip,
    status: 'pending',
    checkpoint: FILE_START,
    done: 0,
    rows: NO_ROWS,
    error: null,
    expireAt: runPartExpiry(run),
  };
}
