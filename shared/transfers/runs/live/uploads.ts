/**
 * Uploads that wait for a run. What Cloud Storage tells is taken as a hint and never believed: a run asks for the
 * object itself, and reads the generation that it finds. So a forged event makes it look, and read nothing that it
 * would not read in any case.
 */
import type { Deadline } from '../../../platform/deadline';
import type { StoredDocument } from '../../../documents/document-store';
import { idOf, uploadPath, uploadsPath } from '../../../documents/paths';
import type { DocumentData } from '../../../domain/records/document';
import { UPLOADS_LOOKED_AT_AT_ONCE } from '../../../limits/live';
import { PLAN_PAGE_OBJECTS } from '../../../limits/transfers';
import { inParallel } from '../../../platform/async/in-parallel';
import { retryConflicts } from '../../../workspace/retry-conflicts';
import type { ObjectPage, StoredObject } from '../../object-storage';
import { uploadExpiry } from '../expiry';
import type { Run } from '../run';
import { fileIdOf } from '../run';
import { toPrefixes } from '../start-run';
import type { TransferDependencies } from '../steps';
import { isRead } from '../taken-files';
import type { LiveTransfer } from './live-transfers';
import { findLiveTransfer, liveTransfersOf, setLiveState } from './live-transfers';

/** An object that was uploaded, as Cloud Storage tells of it. */
export interface Upload {
  readonly bucketName: string;
  readonly object: string;
  readonly generation: string;
}

type UploadDependencies = Pick<TransferDependencies, 'store' | 'clock' | 'random'>;

/**
 * Notes an upload for each tenant with a live transfer of its bucket and folder, unless a run has read the file. Any
 * other upload is ignored. Repeating it is safe.
 */
export async function noteUpload(upload: Upload, deadline: Deadline, dependencies: UploadDependencies): Promise<void> {
  for await (const transfers of liveTransfersOf(upload.bucketName, deadline, dependencies.store)) {
    for (const transfer of transfers) {
      if (isIn(transfer.folderPaths, upload.object)) await noteFor(transfer, upload, deadline, dependencies);
    }
  }
}

async function noteFor(
  { tenantId }: LiveTransfer,
  { bucketName, object, generation }: Upload,
  deadline: Deadline,
  { store, clock, random }: UploadDependencies,
): Promise<void> {
  const fileId = fileIdOf(bucketName, object, generation);
  if (await isRead(tenantId, fileId, store, deadline)) return;
  const data: DocumentData = { bucketName, object, expireAt: uploadExpiry(new Date(clock.nowMs())) };
  await store.commit([{ set: uploadPath(tenantId, fileId), data, when: 'absent' }], deadline);
  // The state is read after the upload is stored: whoever finds it waiting has an upload that the next run finds.
  const wait = async () => {
    const transfer = await findLiveTransfer(tenantId, deadline, store);
    if (!transfer || transfer.state === 'waiting') return [];
    return (await setLiveState(transfer, { state: 'waiting' }, deadline, store)) === 'conflict' ? [tenantId] : [];
  };
  await retryConflicts([tenantId], wait, deadline, { clock, random });
}

/** Objects of a page. */
export interface UploadPage extends ObjectPage {
  /** Paths of the uploads that wait no more once the run has these objects. */
  readonly uploads: readonly string[];
}

/**
 * A page of the objects whose uploads wait for this run, as they are now. It leaves out those that are gone, and those
 * of another bucket or folder. If the tenant has registered that meanwhile they wait for the next run, else no more.
 * @throws Refusal
 */
export async function listUploads(
  { tenantId, bucketName, folderPaths }: Run,
  pageToken: string | null,
  deadline: Deadline,
  { store, storage }: Pick<TransferDependencies, 'store' | 'storage'>,
): Promise<UploadPage> {
  const page = { limit: PLAN_PAGE_OBJECTS, ...(pageToken !== null && { after: uploadPath(tenantId, pageToken) }) };
  const documents = await store.list(uploadsPath(tenantId), page, deadline);
  // After the list: whatever is in it was noted for this registration, or for one before.
  const registered = await findLiveTransfer(tenantId, deadline, store);
  const isOwn = (document: StoredDocument) => isTakenBy({ bucketName, folderPaths }, document);
  const isForNext = (document: StoredDocument) => registered !== undefined && isTakenBy(registered, document);
  const names = documents.filter(isOwn).map((document) => fromDocument(document).object);
  const objects: StoredObject[] = [];
  await inParallel(new Set(names), UPLOADS_LOOKED_AT_AT_ONCE, async (name) => {
    const object = await storage.find(bucketName, name);
    if (object) objects.push(object);
  });
  const last = documents.length === PLAN_PAGE_OBJECTS ? documents.at(-1) : undefined;
  return {
    objects: objects.sort((a, b) => (a.name < b.name ? -1 : 1)),
    uploads: documents.filter((document) => isOwn(document) || !isForNext(document)).map(({ path }) => path),
    ...(last && { nextPageToken: idOf(last.path) }),
  };
}

/** Removes uploads whose files a run has taken or left. */
export async function removeUploads(
  paths: readonly string[],
  deadline: Deadline,
  { store }: Pick<TransferDependencies, 'store'>,
): Promise<void> {
  const removals = paths.map((path) => ({ delete: path }));
  if (removals.length > 0) await store.writeEach(removals, deadline);
}

// Read without a check: nobody else writes them.
const fromDocument = ({ data }: StoredDocument) => data as unknown as Omit<Upload, 'generation'>;

function isTakenBy(
  { bucketName, folderPaths }: Pick<LiveTransfer, 'bucketName' | 'folderPaths'>,
  document: StoredDocument,
): boolean {
  const upload = fromDocument(document);
  return upload.bucketName === bucketName && isIn(folderPaths, upload.object);
}

function isIn(folderPaths: readonly string[], object: string): boolean {
  return toPrefixes(folderPaths).some((prefix) => object.startsWith(prefix));
}
