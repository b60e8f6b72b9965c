/**
 * The tombstone of an order is a part of the order's own document, and all that is left of it when the order is
 * deleted: a stub. So the precondition by which an order is written tells of a deletion, and nobody has to look for a
 * tombstone beside it. Those of customers and products are documents of their own: a customer has two
 * identities, and a product may take over the id of another one.
 */
import type { StoredDocument } from '../documents/document-store';
import type { DocumentData, DocumentValue } from '../domain/records/document';
import { documentBytes } from '../domain/records/document';
import { later } from '../domain/values/date-time';
import { MAX_TOMBSTONE_BESIDE_BYTES } from '../limits/records';
import { PART_DELETIONS, TOMBSTONE_TIME } from './record-documents';

/** The field of a document with the tombstone of its record. */
const TOMBSTONE = 'tombstone';

/** The field that only stubs have, by which they are counted. */
export const STUB = { field: 'state', value: 'deleted' } as const;

/** What a document holds. */
export interface RecordAndTombstone {
  /** Undefined: no record. */
  readonly record: DocumentData | undefined;
  /** Undefined: neither the record nor an earlier one with its identity was deleted. */
  readonly tombstone: DocumentData | undefined;
}

/** Whether a document holds no record, only the tombstone of one. */
export function isStub(data: DocumentData): boolean {
  return data[STUB.field] === STUB.value;
}

/** The documents that hold records. */
export function withoutStubs(documents: readonly StoredDocument[]): StoredDocument[] {
  return documents.filter(({ data }) => !isStub(data));
}

/** What a document holds. @param data undefined: there is no document */
export function splitDocument(data: DocumentData | undefined): RecordAndTombstone {
  if (data?.[TOMBSTONE] === undefined) return { record: data, tombstone: undefined };
  const { [TOMBSTONE]: tombstone, ...record } = data;
  return { record: isStub(data) ? undefined : record, tombstone: tombstone as DocumentData };
}

/**
 * The document that holds them; undefined: there is neither. Beside a record a long list of deleted parts, for which
 * its document may have no room, counts as a deletion of the whole record at the time of the last one.
 */
export function joinDocument({ record, tombstone }: RecordAndTombstone): DocumentData | undefined {
  if (!tombstone) return record;
  if (!record) return { [STUB.field]: STUB.value, [TOMBSTONE]: tombstone };
  const isShort = documentBytes(tombstone) <= MAX_TOMBSTONE_BESIDE_BYTES;
  return { ...record, [TOMBSTONE]: isShort ? tombstone : { [TOMBSTONE_TIME]: lastTimeIn(tombstone) } };
}

function lastTimeIn(tombstone: DocumentData): Date | undefined {
  const parts = (tombstone[PART_DELETIONS] ?? []) as readonly Readonly<Record<string, DocumentValue>>[];
  const times = [tombstone, ...parts].map((each) => each[TOMBSTONE_TIME] as Date | undefined);
  return times.reduce(later, undefined);
}
