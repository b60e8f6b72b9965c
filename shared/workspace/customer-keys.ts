/**
 * By which identifier all customers of a tenant are stored. While that is known, the customer with this identifier is
 * found by its key. It is a field of the flag of customers' deletions, which whoever deletes customers reads anyway, in
 * the transaction that looks for them.
 *
 * A new tenant has it. A change of an identifier removes it, in one commit with the change: what is stored from then on
 * has another key. Re-keying sets it again when every record has been looked at after the last one could have been
 * stored by the former identifiers. Without it customers are looked up by queries.
 */
import type { DocumentChange, StoredDocument } from '../documents/document-store';
import { deletionFlagPath, idOf } from '../documents/paths';
import type { RecordId } from '../domain/identity';
import { customerRecordId, keyIdentity } from '../domain/identity';
import type { CustomerRecord } from '../domain/records/customer';
import type { DocumentData } from '../domain/records/document';
import type { CustomerIdentifier, Tenant } from '../domain/tenant';
import { CUSTOMER_IDENTIFIERS } from '../domain/tenant';
import type { Random } from '../platform/random';
import { fromDocument, newRevision } from './record-documents';

const KEYED_BY = 'customersKeyedBy';
/** When an identifier was changed, by the database's time; until re-keying is complete. */
const CHANGED_AT = 'identifiersChangedAt';

/** The flag of a tenant none of whose customers was deleted: it was never raised, so there are no tombstones. */
export const NEVER_RAISED = 'neverRaised';
const NEW_FLAG: DocumentData = { state: NEVER_RAISED };

/** Whether all customers are stored by the identifier that this tenant has, by the flag of customers' deletions. */
export function areKeyedBy({ customerIdentifier }: Tenant, flag: DocumentData | undefined): boolean {
  return flag?.[KEYED_BY] === customerIdentifier;
}

/**
 * The identity by which a stored customer is keyed. Its document tells: whoever works by settings from before or after
 * a change of the tenant's identifier must name it as those do who will look for it.
 */
export function keyOfStored(
  { path, data }: Pick<StoredDocument, 'path' | 'data'>,
  { customerIdentifier }: Tenant,
): RecordId[] {
  const customer = fromDocument<CustomerRecord>(data);
  const id = idOf(path);
  const isKey = (priority: CustomerIdentifier) => customerRecordId(customer, priority) === id;
  return keyIdentity(customer, [customerIdentifier, ...CUSTOMER_IDENTIFIERS].find(isKey) ?? customerIdentifier);
}

/** When an identifier of the tenant was last changed. Undefined: re-keying was complete since. */
export function identifiersChangedAt(flag: DocumentData | undefined): Date | undefined {
  return flag?.[CHANGED_AT] as Date | undefined;
}

/** The write that goes with a tenant when it is created, or when all of its records are stored by its identifiers. */
export function keyedWrite(
  { tenantId, customerIdentifier }: Tenant,
  flag: StoredDocument | undefined,
  random: Random,
): DocumentChange {
  const { [CHANGED_AT]: _changedAt, ...data } = flag?.data ?? NEW_FLAG;
  return toWrite(tenantId, { ...data, [KEYED_BY]: customerIdentifier }, flag, random);
}

/** The write that goes with a change of an identifier. */
export function changeWrite({ tenantId }: Tenant, flag: StoredDocument | undefined, random: Random): DocumentChange {
  const { [KEYED_BY]: _keyedBy, ...data } = flag?.data ?? NEW_FLAG;
  return { ...toWrite(tenantId, data, flag, random), writtenAt: [CHANGED_AT] };
}

function toWrite(tenantId: string, data: DocumentData, flag: StoredDocument | undefined, random: Random) {
  const written = { ...data, revision: newRevision(random) };
  return { set: deletionFlagPath(tenantId, 'customers'), data: written, when: flag?.version ?? 'absent' } as const;
}
