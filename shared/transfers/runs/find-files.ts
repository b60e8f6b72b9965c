/** Finds the files of a run. */
import type { DocumentStore, Page, StoredDocument } from '../../documents/document-store';
import { idOf, runFilesPath } from '../../documents/paths';
import { PAGE_READ_DOCUMENTS } from '../../limits/requests';
import { MAX_OBJECT_NAME_BYTES } from '../../limits/transfers';
import type { Deadline } from '../../platform/deadline';
import type { FileStatus } from './run';

/**
 * A page of a run's files, in the order of their ids. They are hashes, so that the order means nothing.
 * @param status undefined: files in any status
 */
export function findFiles(
  runId: string,
  status: FileStatus | undefined,
  page: Page,
  store: DocumentStore,
  deadline: Deadline,
): Promise<StoredDocument[]> {
  const files = runFilesPath(runId);
  return status ? store.findWhere(files, 'status', status, page, deadline) : store.list(files, page, deadline);
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
