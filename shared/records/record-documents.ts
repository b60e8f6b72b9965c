/**
 * Records as documents. A document has the record's fields under the specification's names and, in camel case, the
 * service's own: `stamp` (changed by every write, so that Firestore's update time moves even when no value does),
 * `asOf` (when the record was true, where that is not the update time: a re-keyed record is as old as before) and, for
 * customers, the matching forms of the identifiers by which deletions and operators look them up.
 */
import type { StoredDocument } from '../documents/document-store';
import { versionTime } from '../documents/document-store';
import type { Random } from '../random';
import type { DocumentData, DocumentValue } from '../domain/document';
import type { CustomerIdentifier } from '../domain/tenant';
import { isPresent, toMatchingEmail, toMatchingId } from '../domain/text';

/** Fields of a customer document for lookups. */
export const MATCHING_EMAIL = 'matchingEmail';
export const MATCHING_CUSTOMER_ID = 'matchingCustomerId';

export const AS_OF = 'asOf';

/**
 * Deletions of parts that the record did not hold, with their times (records/tombstones); gone with the next upsert.
 */
export const BURIED_PARTS = 'buriedParts';

/** When a stored record was true, to the millisecond. */
export function asOf({ data, version }: StoredDocument): Date {
  return (data[AS_OF] as Date | undefined) ?? versionTime(version);
}

/** A value that no earlier write has. */
export function newStamp(random: Random): string {
  return random.bytes(9).toString('base64url');
}

/** A document that nobody else holds yet. */
export type NewDocument = Record<string, DocumentValue | undefined>;

/** The document of a product or an order. */
export function toDocument(record: object, stamp: string): NewDocument {
  return { ...(record as DocumentData), stamp };
}

/**
 * The document of a customer, or the part of it that a patch writes: a field that is there but undefined is to be
 * removed.
 * @param key of a stored record that is patched: the identifier that its id is made of, and whose matching form stays
 */
export function toCustomerDocument(
  customer: { CustomerId?: string | undefined; Email?: string | undefined },
  stamp: string,
  key?: CustomerIdentifier,
): NewDocument {
  const { Email, CustomerId } = customer;
  const document: NewDocument = {};
  const data = customer as DocumentData;
  for (const field in data) document[field] = data[field];
  document.stamp = stamp;
  if ('Email' in customer && key !== 'email') {
    document[MATCHING_EMAIL] = isPresent(Email) ? toMatchingEmail(Email) : undefined;
  }
  if ('CustomerId' in customer && key !== 'customerid') {
    document[MATCHING_CUSTOMER_ID] = isPresent(CustomerId) ? toMatchingId(CustomerId) : undefined;
  }
  return document;
}

/** The record of a document: what has the specification's (capitalised) names. */
export function fromDocument<R>(data: DocumentData): R {
  const record: Record<string, unknown> = {};
  for (const name of Object.keys(data)) if (name < 'a') record[name] = data[name]; // capitals come first
  return record as R;
}
