/**
 * What somebody is shown of a record that rows change: the fields that differ, as far as they fit. A record may
 * have 20,000 parts, and most records of a file often differ in none: only parts that differ are written out. The
 * generators yield, so that other work can have the event loop.
 */
import type { RecordKind } from '../../domain/identity';
import { PARTS_BETWEEN_YIELDS } from '../../domain/limits';
import type { DocumentData, DocumentValue } from '../../domain/records/document';
import { areSameFields, isList } from '../../domain/records/document';
import { MAX_COMPARED_ELEMENTS, MAX_EXAMPLE_BYTES } from '../../limits/transfers';
import { fromDocument } from '../../workspace/record-documents';
import { toShownRecord } from '../../workspace/shown-records';
import type { Example } from '../runs/view/examples';

const IDENTIFIERS: Readonly<Record<RecordKind, readonly string[]>> = {
  customers: ['CustomerId', 'Email'],
  products: ['ProductId'],
  orders: ['OrderId'],
};

/** Undefined: nothing that is shown would change. */
export function* toExample(
  kind: RecordKind,
  row: Pick<Example, 'Object' | 'Line'>,
  before: DocumentData | undefined,
  after: DocumentData | undefined,
): Generator<void, Example | undefined> {
  const identifiers = IDENTIFIERS[kind].map((field) => [field, (after ?? before)?.[field]] as const);
  const sent = identifiers.filter((entry): entry is readonly [string, string] => typeof entry[1] === 'string');
  const identified = { ...row, Identifiers: Object.fromEntries(sent) };
  const reduced = yield* reducedToDifferences(before, after);
  const from = reduced.before ? (toShownRecord(kind, reduced.before) as DocumentData) : {};
  const to = reduced.after ? (toShownRecord(kind, reduced.after) as DocumentData) : {};
  const fields: Record<string, Example['Fields'][string]> = {};
  const omitted = [...reduced.longFields];
  let bytes = Buffer.byteLength(JSON.stringify(identified));
  for (const field of new Set([...Object.keys(from), ...Object.keys(to)])) {
    yield;
    if (reduced.longFields.includes(field)) continue;
    const change = toChange(from[field] ?? null, to[field] ?? null);
    if (!change) continue;
    const changeBytes = Buffer.byteLength(JSON.stringify({ [field]: change }));
    if (bytes + changeBytes > MAX_EXAMPLE_BYTES) {
      omitted.push(field);
      continue;
    }
    bytes += changeBytes;
    fields[field] = change;
  }
  if (Object.keys(fields).length === 0 && omitted.length === 0) return undefined;
  return { ...identified, Fields: fields, ...(omitted.length > 0 && { OmittedFields: omitted }) };
}

/** A record before and after, with those elements of its lists that differ. */
interface Reduced {
  readonly before: DocumentData | undefined;
  readonly after: DocumentData | undefined;
  /** Lists that differ in more elements than are compared. They are empty in both. */
  readonly longFields: readonly string[];
}

function* reducedToDifferences(
  before: DocumentData | undefined,
  after: DocumentData | undefined,
): Generator<void, Reduced> {
  const one: Record<string, DocumentValue | undefined> = before ? fromDocument(before) : {};
  const other: Record<string, DocumentValue | undefined> = after ? fromDocument(after) : {};
  const longFields: string[] = [];
  for (const field of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const [from, to] = [one[field] ?? null, other[field] ?? null];
    if (!isList(from) && !isList(to)) continue;
    const [gone, come] = yield* differingElements(isList(from) ? from : [], isList(to) ? to : []);
    const isLong = Math.max(gone.length, come.length) > MAX_COMPARED_ELEMENTS;
    if (isLong) longFields.push(field);
    if (isList(from)) one[field] = isLong ? [] : gone;
    if (isList(to)) other[field] = isLong ? [] : come;
  }
  return { before: before && one, after: after && other, longFields };
}

/** The elements of two lists without those that stay at their place, counted from the beginning or from the end. */
function* differingElements(
  from: readonly DocumentValue[],
  to: readonly DocumentValue[],
): Generator<void, readonly [gone: DocumentValue[], come: DocumentValue[]]> {
  const shorter = Math.min(from.length, to.length);
  let atEnd = 0;
  while (atEnd < shorter && isSame(from[from.length - 1 - atEnd], to[to.length - 1 - atEnd])) {
    atEnd += 1;
    if (atEnd % PARTS_BETWEEN_YIELDS === 0) yield;
  }
  const [gone, come]: [DocumentValue[], DocumentValue[]] = [[], []];
  for (let index = 0; index < Math.max(from.length, to.length) - atEnd; index += 1) {
    if (index % PARTS_BETWEEN_YIELDS === 0) yield;
    if (index < shorter - atEnd && isSame(from[index], to[index])) continue;
    if (index < from.length - atEnd) gone.push(from[index] ?? null);
    if (index < to.length - atEnd) come.push(to[index] ?? null);
  }
  return [gone, come];
}

function isSame(one: DocumentValue | undefined, other: DocumentValue | undefined): boolean {
  return areSameFields({ value: one }, { value: other });
}

/** Undefined: the value stays as it is. */
function toChange(from: DocumentValue, to: DocumentValue): Example['Fields'][string] | undefined {
  if (isSame(from, to)) return undefined;
  if (!isList(from) || !isList(to)) return { from, to };
  return { from: without(from, to), to: without(to, from) };
}

function without(values: readonly DocumentValue[], others: readonly DocumentValue[]): DocumentValue[] {
  const known = new Set(others.map((value) => JSON.stringify(value)));
  return values.filter((value) => !known.has(JSON.stringify(value)));
}
