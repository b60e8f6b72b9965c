import type { Deadline } from '../deadline';
import type { DocumentStore, StoredDocument } from '../documents/document-store';
import { recordsPath } from '../documents/paths';
import type { CustomerLookup } from '../domain/deletion';
import { customerIdIdentity, emailIdentity } from '../domain/identity';
import { MATCHING_CUSTOMER_ID, MATCHING_EMAIL } from './record-documents';

/**
 * Stored customers with this e-mail or customer id, at most `limit`, in the order of their paths.
 * @param after the path of the last one of the page before
 */
export function lookUpCustomers(
  tenantId: string,
  { by, value }: CustomerLookup,
  limit: number,
  store: DocumentStore,
  deadline: Deadline,
  after?: string,
): Promise<StoredDocument[]> {
  const [field, identity] =
    by === 'email' ? [MATCHING_EMAIL, emailIdentity(value)] : [MATCHING_CUSTOMER_ID, customerIdIdentity(value)];
  return store.findWhere(recordsPath(tenantId, 'customers'), field, identity, limit, deadline, after);
}
