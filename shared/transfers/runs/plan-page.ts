import type { Deadline } from '../../platform/deadline';
import { idOf, runFilePath, runPagePath, runPath, runSkippedFilePath } from '../../documents/paths';
import type { Warnings } from '../../domain/warnings/warning';
import { NO_WARNINGS, warn } from '../../domain/warnings/warning';
import { MAX_NAMED_SKIPPED_FILES, PLAN_PAGE_OBJECTS } from '../../limits/transfers';
import type { DocumentData } from '../../domain/records/document';
import { parseFileKind } from '../../files/file-kind';
import { FILE_START } from '../../files/row';
import { runPartExpiry } from './expiry';
import { settleEndedRun } from './ended/settle-run';
import { failRun, findRunTenant, finishRunIfDone, recordPlanned } from './finish-run';
import type { ObjectPage, StoredObject } from '../object-storage';
import { findMissed } from './live/missed-uploads';
import type { UploadPage } from './live/uploads';
import { listUploads, removeUploads } from './live/uploads';
import { Refusal } from '../object-storage';
import type { Run, RunFile } from './run';
import { fileIdOf, fromFileDocument, fromRunDocument, NO_ROWS, toFileDocument } from './run';
import type { PlanStep, TransferDependencies } from './steps';
import { ImpossibleStep, PLANNING_STEP } from './steps';
import { takeFiles, takesFiles } from './taken-files';
import { handOut, publishFilled } from './units/lanes';
import { unitsOf, withUnits } from './units/unit';
import type { SkippedFile } from './view/skipped-files';
import { SKIP_WARNINGS, toSkippedFile, toSkippedFilesDocument } from './view/skipped-files';

/** What a run reads of: objects in a folder or, in a run of uploads, those that wait for it. */
type ListedPage = ObjectPage & Partial<UploadPage>;

/**
 * Lists one page of a folder, stores a document for each file to read, hands out the files, and then publishes the
 * step of the next page. Files are handed out first, because after the last page has ended the planning a repeat of
 * this step hands out nothing.
 *
 * A repeat also hands out the files that its first attempt found, though the bucket may hold others now. It leaves out
 * the files that are done.
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
  const { tenantId } = run;
  const isOver = run.status !== 'running' || run.isPlanned;
  if (isOver) await publishFilled(tenantId, runId, dependencies);
  if (run.status !== 'running') return settleEndedRun(runId, run, PLANNING_STEP, dependencies);
  if (run.isPlanned) return finishRunIfDone(runId, PLANNING_STEP, dependencies);
  if (!(await findRunTenant(runId, run, PLANNING_STEP, deadline, dependencies))) return;

  const page = await listPage(run, prefix, step, deadline, dependencies);
  if (!page) return publishFilled(tenantId, runId, dependencies);
  const { toRead, isRepeat, ...counts } = await storePageFiles(run, step, page, deadline, dependencies);
  if (isRepeat) await publishFilled(tenantId, runId, dependencies);
  await handOut(tenantId, unitsOf(runId, run, toRead), dependencies);
  if (page.uploads) await removeUploads(page.uploads, deadline, dependencies);

  const next = nextStep(run, { ...step, ...counts }, page);
  if (next) return publisher.publish(transfersTopic, next);
  await recordPlanned(runId, dependencies);
  await finishRunIfDone(runId, PLANNING_STEP, dependencies);
}

/** Undefined: the bucket cannot be listed, and the run has failed (D-56). */
async function listPage(
  run: Run,
  prefix: string,
  { runId, pageToken }: PlanStep,
  deadline: Deadline,
  dependencies: TransferDependencies,
): Promise<ListedPage | undefined> {
  try {
    if (run.ofUploads) return await listUploads(run, pageToken, deadline, dependencies);
    return await dependencies.storage.list(run.bucketName, prefix, PLAN_PAGE_OBJECTS, pageToken ?? undefined);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await failRun(runId, PLANNING_STEP, error.message, dependencies);
    return undefined;
  }
}

function nextStep(run: Run, step: PlanStep, page: ObjectPage): PlanStep | undefined {
  if (page.nextPageToken !== undefined) return { ...step, page: step.page + 1, pageToken: page.nextPageToken };
  if (run.ofUploads || step.folder + 1 >= run.folderPaths.length) return undefined; // uploads are of all folders
  return { ...step, folder: step.folder + 1, page: 0, pageToken: null };
}

interface PlannedPage {
  readonly toRead: ReadonlyMap<string, RunFile>;
  /** Whether the page was stored before. */
  readonly isRepeat: boolean;
  /** As the next step has them. */
  readonly files: number;
  readonly named: number;
}

/**
 * Stores the page and its files. What it says of skipped files is that of the first attempt.
 * @returns what the run reads. A repeat adds the files that the first attempt found, and leaves out those that are done
 */
async function storePageFiles(
  run: Run,
  step: PlanStep,
  page: ObjectPage,
  deadline: Deadline,
  dependencies: TransferDependencies,
): Promise<PlannedPage> {
  const { store } = dependencies;
  const { runId, folder, page: pageNumber, named: namedBefore = 0, files: filesBefore = 0 } = step;
  const objects = page.objects.filter(({ name }) => !name.endsWith('/')); // a folder's own placeholder
  const listed = objects.map((object) => {
    const fileId = fileIdOf(run.bucketName, object.name, object.generation);
    return { object, fileId, file: toRunFile(object, run) };
  });
  const files = new Map(listed.flatMap(({ fileId, file }) => (file ? [[fileId, file] as const] : [])));
  const { tenantId } = run;
  const taken = takesFiles(run)
    ? await takeFiles([...files.keys()], { runId, tenantId }, deadline, dependencies)
    : files;
  const added = withUnits(runId, new Map([...files].filter(([fileId]) => taken.has(fileId))), filesBefore);
  const fileIds = [...added.keys()];
  const skipped = listed
    .filter(({ fileId, file }) => !file || !taken.has(fileId))
    .map(({ object, file }) => toSkippedFile(object, file));
  const toName = skipped.slice(0, Math.max(0, MAX_NAMED_SKIPPED_FILES - namedBefore));
  const named = namedBefore + toName.length;
  const pageId = `${folder}.${pageNumber}`;
  const pagePath = runPagePath(runId, pageId);
  const expireAt = runPartExpiry(run);
  const isEmpty = !run.ofUploads && isEmptyFolder(step, page);
  const missed = await findMissed(run, [...added.values()], deadline, dependencies);
  const warnings = warningsOf(skipped, missed, isEmpty ? run.folderPaths[folder] : undefined);
  const data = { skipped: skipped.length, fileIds, named, warnings, expireAt } as unknown as DocumentData;
  const skippedFiles = { set: runSkippedFilePath(runId, pageId), data: toSkippedFilesDocument(toName, expireAt) };
  const writes = [...(toName.length > 0 ? [skippedFiles] : []), { set: pagePath, data, when: 'absent' } as const];
  const isRepeat = (await store.commit(writes, deadline)) === 'conflict';
  const firstAttempt = isRepeat ? await store.get(pagePath, deadline) : undefined;
  await store.writeEach(
    [...added].map(([fileId, file]) => ({
      set: runFilePath(runId, fileId),
      data: toFileDocument(file),
      when: 'absent',
    })),
    deadline,
  );
  if (!isRepeat) return { toRead: added, isRepeat, named, files: filesBefore + added.size };
  const foundBefore = (firstAttempt?.data.fileIds ?? []) as string[];
  const known = new Set([...fileIds, ...foundBefore]);
  const paths = [...known].map((fileId) => runFilePath(runId, fileId));
  const stored = await store.getAll(paths, deadline);
  const found = stored.map((document) => [idOf(document.path), fromFileDocument(document)] as const);
  const pending = new Map(found.filter(([, { status }]) => status === 'pending'));
  const namedThen = Number(firstAttempt?.data.named ?? 0);
  return { toRead: pending, isRepeat, named: namedThen, files: filesBefore + foundBefore.length };
}

/** Whether nothing is in the folder of a page, but for its own placeholder. */
function isEmptyFolder({ page: pageNumber }: PlanStep, { objects, nextPageToken }: ObjectPage): boolean {
  return pageNumber === 0 && nextPageToken === undefined && objects.every(({ name }) => name.endsWith('/'));
}

/** @param emptyFolder undefined: something is in the folder */
function warningsOf(
  skipped: readonly SkippedFile[],
  missed: readonly RunFile[],
  emptyFolder: string | undefined,
): Warnings {
  const ofFolder =
    emptyFolder === undefined ? NO_WARNINGS : warn(NO_WARNINGS, 'folderEmpty', [{ folder: emptyFolder }]);
  const ofSkipped = skipped.reduce((warnings, { object, reason }) => {
    const code = SKIP_WARNINGS[reason];
    return code ? warn(warnings, code, [{ object }]) : warnings;
  }, ofFolder);
  return missed.reduce((warnings, { object }) => warn(warnings, 'uploadMissed', [{ object }]), ofSkipped);
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
    ...(kind.zip && { zip: kind.zip }),
    status: 'pending',
    checkpoint: FILE_START,
    done: 0,
    rows: NO_ROWS,
    error: null,
    expireAt: runPartExpiry(run),
  };
}
