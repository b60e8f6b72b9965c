/** Finds the files of a run. */
import type { DocumentStore, Page, StoredDocument } from '../../documents/document-store';
import { runFilesPath } from '../../documents/paths';
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
