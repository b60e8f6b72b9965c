/** Finds the files of a run. */
import type { DocumentStore, Page, StoredDocument } from '../../../documents/document-store';
import { idOf, runFilesPath } from '../../../documents/paths';
import { PAGE_READ_DOCUMENTS } from '../../../limits/requests';
import { MAX_OBJECT_NAME_BYTES } from '../../../limits/transfers';
import type { Deadline } from '../../../platform/deadline';
import type { FileStatus } from '../run';

/**
 * A page of a run's files, in the order of their ids. They are hashes, so that the order means nothing.
 * @param statuses undefined: files in any status
 */
export async function findFiles(
  runId: string,
  statuses: readonly FileStatus[] | undefined,
  page: Page,
  store: DocumentStore,
  deadline: Deadline,
): Promise<StoredDocument[]> {
  const files = runFilesPath(runId);
  if (statuses === undefined) return store.list(files, page, deadline);
  return statuses.length === 0 ? [] : store.findWhere(files, 'status', statuses, page, deadline);
}

/** The ids of the generations of an object that a run reads; none when it reads no such object. */
export async function findFileIds(
  runId: string,
  object: string,
  store: DocumentStore,
  deadline: Deadline,
): Promise<string[]> {
  if (Buffer.byteLength(object) > MAX_OBJECT_NAME_BYTES) return [];
  const page = { limit: PAGE_READ_DOCUMENTS };
  const found = await store.findWhere(runFilesPath(runId), 'object', object, page, deadline);
  return found.map(({ path }) => idOf(path));
}
