import type { Deadline } from '../../shared/platform/deadline';
import type { DocumentStore, StoredDocument } from '../../shared/documents/document-store';
import { deletionsPath } from '../../shared/documents/paths';

const MOST = 10_000;

/** The entries of a tenant's accepted deletions that are not applied yet, of each kind in the order of acceptance. */
export function pendingDeletions(
  tenantId: string,
  store: DocumentStore,
  deadline: Deadline,
): Promise<StoredDocument[]> {
  return store.list(deletionsPath(tenantId), { limit: MOST }, deadline);
}
