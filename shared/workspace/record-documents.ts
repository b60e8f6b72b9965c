/**
 * Records as documents. A document has the record's fields under the specification's names and, in camel case, the
 * service's own: `revision` (see `Revision`) and, for customers, the matching forms of the identifiers by which deletions and
 * operators look them up, and marks of fields that were cleared.
 */
import type { StoredDocument } from '../documents/document-store';
import { versionTime } from '../documents/document-store';
import type { Random } from '../platform/random';
import type { CustomerRecord } from '../domain/records/customer';
import type { DocumentData, DocumentValue } from '../domain/records/document';
import { customerIdIdentity, emailIdentity } from '../domain/identity';
import type { CustomerIdentifier } from '../domain/tenant';
import { isPresent } from '../domain/values/text';

/**
 * Fields of a customer document for lookups: hashes, as only equality is asked for. A shop's ids count upwards and its
 * exports are sorted, so that the identifiers themselves would all be written to one end of their index.
 */
export const MATCHING_EMAIL = 'matchingEmail';
export const MATCHING_CUSTOMER_ID = 'matchingCustomerId';

/** A field by which customers are found. */
export type MatchedField = typeof MATCHING_EMAIL | typeof MATCHING_CUSTOMER_ID;

/** What the names of marks of cleared fields begin with: `clearedPhone`. */
const CLEARED = 'cleared';

/**
 * Deletions of parts that the record did not hold, with their times (workspace/tombstones); gone with the next upsert.
 */
export const PART_DELETIONS = 'partDeletions';

/**
 * What every write of a record replaces: a text that no earlier write has, so that Firestore's update time moves even
 * when no other value does; and when the record was true, where that is not the update time (a row is as old as its
 * file, a re-keyed record as old as before).
 */
export type Revision = string | { readonly id: string; readonly asOf: Date };

/** A revision of this moment. */
export function newRevision(random: Random): string {
  return random.bytes(9).toString('base64url');
}

/** The revision of a record that was true at another time than it is written; undefined: at the same. */
export function datedRevision(id: string, asOf: Date | undefined): Revision {
  return asOf ? { id, asOf } : id;
}

/** When the record of a document was true, by its revision; undefined: when it was written. */
export function revisionTime({ revision }: DocumentData): Date | undefined {
  return revision && typeof revision === 'object' ? (revision as Exclude<Revision, string>).asOf : undefined;
}

/** When a stored record was true, to the millisecond. */
export function asOf({ data, version }: StoredDocument): Date {
  return revisionTime(data) ?? versionTime(version);
}

/** A document that nobody else holds yet. */
export type NewDocument = Record<string, DocumentValue | undefined>;

/** The document of a product or an order. */
export function toDocument(record: object, revision: Revision): NewDocument {
  return { ...(record as DocumentData), revision };
}

/**
 * The document of a customer, or the part of it that a patch writes: a field that is there but undefined is to be
 * removed.
 * @param key of a stored record that is patched: the identifier that its id is made of, and whose identity stays
 */
export function toCustomerDocument(
  customer: { CustomerId?: string | undefined; Email?: string | undefined },
  revision: Revision,
  key?: CustomerIdentifier,
): NewDocument {
  const { Email, CustomerId } = customer;
  const document: NewDocument = {};
  const data = customer as DocumentData;
  for (const field in data) {
    document[field] = data[field];
    if (data[field] === undefined) document[clearedMark(field)] = true;
  }
  document.revision = revision;
  if ('Email' in customer && key !== 'email') {
    document[MATCHING_EMAIL] = isPresent(Email) ? emailIdentity(Email) : undefined;
  }
  if ('CustomerId' in customer && key !== 'customerid') {
    document[MATCHING_CUSTOMER_ID] = isPresent(CustomerId) ? customerIdIdentity(CustomerId) : undefined;
  }
  return document;
}

/**
 * The customer of a document. A field that was cleared and not sent again is there but undefined, so that it stays
 * cleared where the record is merged with another one (D-09).
 */
export function fromCustomerDocument(data: DocumentData): CustomerRecord {
  const customer: Record<string, unknown> = { ...fromDocument(data) };
  for (const name of Object.keys(data)) {
    if (!name.startsWith(CLEARED)) continue;
    const field = name.slice(CLEARED.length);
    customer[field] ??= undefined;
  }
  return customer as unknown as CustomerRecord;
}

/** The field of a customer document that says that another one was cleared. It may outlive the field's next value. */
function clearedMark(field: string): string {
  return `${CLEARED}${field}`;
}

/** The record of a document: what has the specification's (capitalised) names. */
export function fromDocument<R>(data: DocumentData): R {
  const record: Record<string, unknown> = {};
  for (const name of Object.keys(data)) if (name < 'a') record[name] = data[name]; // capitals come first
  return record as R;
}
