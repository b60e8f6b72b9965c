import type { Deadline } from '../deadline';
import type { DocumentStore, Page, StoredDocument } from '../documents/document-store';
import { recordsPath } from '../documents/paths';
import type { CustomerLookup } from '../domain/deletion';
import type { RecordId } from '../domain/identity';
import { customerIdIdentity, emailIdentity } from '../domain/identity';
import { MATCHING_CUSTOMER_ID, MATCHING_EMAIL } from './record-documents';

/** Stored customers with this e-mail or customer id, a page of them. */
export function lookUpCustomers(
  tenantId: string,
  { by, value }: CustomerLookup,
  page: Page,
  store: DocumentStore,
  deadline: Deadline,
): Promise<StoredDocument[]> {
  const [field, identity] =
    by === 'email' ? [MATCHING_EMAIL, emailIdentity(value)] : [MATCHING_CUSTOMER_ID, customerIdIdentity(value)];
  return findCustomers(tenantId, field, identity, page, store, deadline);
}

/** Stored customers that a field by which they are found holds an identity of, a page of them. */
export function findCustomers(
  tenantId: string,
  field: string,
  identity: RecordId,
  page: Page,
  store: DocumentStore,
  deadline: Deadline,
): Promise<StoredDocument[]> {
  return store.findWhere(recordsPath(tenantId, 'customers'), field, identity, page, deadline);
}
