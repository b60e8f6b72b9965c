/**
 * Conversion of records to documents and back. A document has the record's fields under the specification's names. The
 * service's own fields are in camel case: `revision` (see `Revision`) and, for customers, hashes of the identifiers by
 * which deletions and operators look them up, and a boolean for each field that was cleared.
 */
import type { StoredDocument } from '../documents/document-store';
import { versionTime } from '../documents/document-store';
import type { Random } from '../platform/random';
import type { CustomerRecord } from '../domain/records/customer';
import type { DocumentData, DocumentValue } from '../domain/records/document';
import { idOf } from '../documents/paths';
import type { RecordId, RecordKind } from '../domain/identity';
import { customerIdentities, customerIdIdentity, emailIdentity } from '../domain/identity';
import { isPresent } from '../domain/values/text';

/**
 * Fields of a customer document for lookups. They hold hashes, because only equality is queried. A shop's ids count
 * upwards and its exports are sorted: the identifiers themselves would all be written to one end of their index.
 */
export const MATCHING_EMAIL = 'matchingEmail';
export const MATCHING_CUSTOMER_ID = 'matchingCustomerId';

/** A field for lookups of customers. */
export type MatchedField = typeof MATCHING_EMAIL | typeof MATCHING_CUSTOMER_ID;

/** Prefix of the booleans that say which fields were cleared: `clearedPhone`. */
const CLEARED_PREFIX = 'cleared';

/**
 * The field with the deletions of parts that the record did not hold, and their times (`workspace/tombstones`). The
 * next upsert removes it.
 */
export const PART_DELETIONS = 'partDeletions';

/** The field of a tombstone with the time of the last deletion. */
export const TOMBSTONE_TIME = 'deletedAt';

/**
 * The field of a customer's tombstone with the time of the last deletion that found one: null where none has, as far as
 * is known. It is absent where nobody knows: in tombstones of a release that did not write it, or of requests alone
 * that have found nobody.
 */
export const REMOVAL_TIME = 'removedAt';

/**
 * A value that every write of a record renews. The random id changes Firestore's update time even when no other value
 * changes. `asOf` is the time at which the record was true, if that is not the update time: a row is as old as its
 * file, and a re-keyed record as old as before.
 */
export type Revision = string | { readonly id: string; readonly asOf: Date };

/** A random revision: the record is true when it is written. */
export function newRevision(random: Random): string {
  return random.bytes(9).toString('base64url');
}

/** The revision of a record that was true at `asOf`; undefined: at the time of the write. */
export function datedRevision(id: string, asOf: Date | undefined): Revision {
  return asOf ? { id, asOf } : id;
}

/** The as-of time of a document's revision. Undefined: the record was true when it was written. */
export function revisionTime({ revision }: DocumentData): Date | undefined {
  return revision && typeof revision === 'object' ? (revision as Exclude<Revision, string>).asOf : undefined;
}

/** When a stored record was true, to the millisecond. */
export function asOf({ data, version }: StoredDocument): Date {
  return revisionTime(data) ?? versionTime(version);
}

/** A document that is not shared yet, and so may still be changed. */
export type NewDocument = Record<string, DocumentValue | undefined>;

/** The document of a product or an order. */
export function toDocument(record: object, revision: Revision): NewDocument {
  return { ...(record as DocumentData), revision };
}

/**
 * The document of a customer, or the fields of it that a patch writes. A field that is present but undefined is to be
 * removed.
 */
export function toCustomerDocument(
  customer: { CustomerId?: string | undefined; Email?: string | undefined },
  revision: Revision,
): NewDocument {
  const { Email, CustomerId } = customer;
  const document: NewDocument = {};
  const data = customer as DocumentData;
  for (const field in data) {
    document[field] = data[field];
    if (data[field] === undefined) document[clearedFlag(field)] = true;
  }
  document.revision = revision;
  if ('Email' in customer) {
    document[MATCHING_EMAIL] = isPresent(Email) ? emailIdentity(Email) : undefined;
  }
  if ('CustomerId' in customer) {
    document[MATCHING_CUSTOMER_ID] = isPresent(CustomerId) ? customerIdIdentity(CustomerId) : undefined;
  }
  return document;
}

/**
 * The customer of a document. A field that was cleared and not sent again is present but undefined: it stays cleared
 * when the record is merged with another one (D-09).
 */
export function fromCustomerDocument(data: DocumentData): CustomerRecord {
  const customer: Record<string, unknown> = { ...fromDocument(data) };
  for (const name of Object.keys(data)) {
    if (!name.startsWith(CLEARED_PREFIX)) continue;
    const field = name.slice(CLEARED_PREFIX.length);
    customer[field] ??= undefined;
  }
  return customer as unknown as CustomerRecord;
}

/** The name of the boolean that says that a field was cleared. It may stay when the field has a value again. */
function clearedFlag(field: string): string {
  return `${CLEARED_PREFIX}${field}`;
}

/** The record of a document: the fields with the specification's capitalised names. */
export function fromDocument<R>(data: DocumentData): R {
  const record: Record<string, unknown> = {};
  for (const name of Object.keys(data)) if (name < 'a') record[name] = data[name]; // capitals sort first
  return record as R;
}

/** The identities by which deletions can target a stored record. */
export function storedIdentities({ path, data }: StoredDocument, kind: RecordKind): RecordId[] {
  return kind === 'customers' ? customerIdentities(fromDocument<CustomerRecord>(data)) : [idOf(path) as RecordId];
}
