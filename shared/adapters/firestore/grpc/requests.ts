/** Encodes the requests of Firestore directly from the service's values. */
import type { Condition, DocumentChange, FieldValue } from '../../../documents/document-store';
import type { DocumentData, DocumentValue } from '../../../domain/records/document';
import { isList } from '../../../domain/records/document';
import { WRITE_CALL_BYTES } from '../../../limits/records';
import type { Addition, DocumentQuery } from '../firestore-calls';
import { splitCollection } from '../firestore-calls';
import type { ResourceNames } from '../resource-names';
import { isStoredAsInteger, toFieldPath, toTimestamp, UNUSED_FIELD } from '../stored-values';
import {
  Aggregation,
  ArrayValue,
  BatchGetDocumentsRequest,
  BeginTransactionRequest,
  CollectionSelector,
  Cursor,
  Document,
  DocumentMask,
  FieldFilter,
  FieldReference,
  FieldTransform,
  Filter,
  Int32Value,
  MapEntry,
  MapValue,
  Order,
  Precondition,
  Projection,
  RollbackRequest,
  RunAggregationQueryRequest,
  RunQueryRequest,
  StructuredAggregationQuery,
  StructuredQuery,
  TransactionOptions,
  Value,
  Write,
  WriteRequest,
} from './field-numbers';
import { encodeTimestamp } from '../../grpc/timestamp';
import { WireWriter } from '../../grpc/wire-writer';

export function encodeBatchGet(names: ResourceNames, paths: readonly string[], transaction?: Uint8Array): Buffer {
  const out = openBatchGet(names, paths);
  if (transaction) out.raw(BatchGetDocumentsRequest.transaction, transaction);
  return out.finish();
}

/** Reads the versions of documents in a transaction, without their data. */
export function encodeGetVersions(names: ResourceNames, paths: readonly string[], transaction: Uint8Array): Buffer {
  const out = openBatchGet(names, paths);
  const mask = out.open(BatchGetDocumentsRequest.mask);
  out.text(DocumentMask.fieldPaths, UNUSED_FIELD);
  out.close(mask);
  out.raw(BatchGetDocumentsRequest.transaction, transaction);
  return out.finish();
}

function openBatchGet(names: ResourceNames, paths: readonly string[]): WireWriter {
  const out = new WireWriter();
  out.text(BatchGetDocumentsRequest.database, names.database);
  for (const path of paths) out.text(BatchGetDocumentsRequest.documents, names.ofPath(path));
  return out;
}

/** Begins a transaction for reading and writing. */
export function encodeBeginTransaction(names: ResourceNames): Buffer {
  const out = new WireWriter();
  out.text(BeginTransactionRequest.database, names.database);
  const options = out.open(BeginTransactionRequest.options);
  out.close(out.open(TransactionOptions.readWrite));
  out.close(options);
  return out.finish();
}

export function encodeRollback(names: ResourceNames, transaction: Uint8Array): Buffer {
  const out = new WireWriter();
  out.text(RollbackRequest.database, names.database);
  out.raw(RollbackRequest.transaction, transaction);
  return out.finish();
}

/**
 * The buffer that is allocated once for a call's writes: a bit more than the size of the first one for each, and at
 * most twice the size of a usual call.
 */
const ALLOCATION = { factor: 1.25, maxBytes: 2 * WRITE_CALL_BYTES } as const;

/**
 * Encodes the request of Commit, in a transaction or not, or of BatchWrite. It yields after each write, so that other
 * work can have the event loop.
 */
export function* encodingWrites(
  names: ResourceNames,
  writes: readonly DocumentChange[],
  transaction?: Uint8Array,
): Generator<void, Buffer> {
  const out = new WireWriter();
  out.text(WriteRequest.database, names.database);
  for (const [index, write] of writes.entries()) {
    const start = out.open(WriteRequest.writes);
    encodeWrite(out, names, write);
    out.close(start);
    if (index === 0) {
      const expected = Math.ceil(ALLOCATION.factor * out.length) * writes.length;
      out.ensureCapacity(Math.min(expected, ALLOCATION.maxBytes));
    }
    yield;
  }
  if (transaction) out.raw(WriteRequest.transaction, transaction);
  return out.finish();
}

/** A Commit of one write that sets `data` and adds to fields. */
export function encodeIncrement(
  names: ResourceNames,
  path: string,
  data: DocumentData,
  additions: readonly Addition[],
): Buffer {
  const out = new WireWriter();
  out.text(WriteRequest.database, names.database);
  const write = out.open(WriteRequest.writes);
  encodeWrite(out, names, { set: path, data, fields: Object.keys(data) });
  for (const [field, amount] of additions) {
    const transform = out.open(Write.updateTransforms);
    out.text(FieldTransform.fieldPath, toFieldPath(field));
    encodeValue(out, FieldTransform.increment, amount);
    out.close(transform);
  }
  out.close(write);
  return out.finish();
}

export function encodeQuery(names: ResourceNames, query: DocumentQuery, transaction?: Uint8Array): Buffer {
  const out = new WireWriter();
  out.text(RunQueryRequest.parent, names.ofPath(query.parent));
  const start = out.open(RunQueryRequest.structuredQuery);
  if (query.refsOnly) encodeNamesOnly(out);
  encodeFrom(out, query);
  if (query.where) encodeWhere(out, query.where);
  encodeOrder(out, query);
  if (query.after !== undefined) encodeCursor(out, StructuredQuery.startAt, names.ofPath(query.after), false);
  if (query.before !== undefined) encodeCursor(out, StructuredQuery.endAt, names.ofPath(query.before), true);
  if (query.limit !== undefined) {
    const limit = out.open(StructuredQuery.limit);
    out.integer(Int32Value.value, query.limit);
    out.close(limit);
  }
  out.close(start);
  if (transaction) out.raw(RunQueryRequest.transaction, transaction);
  return out.finish();
}

/** A RunAggregationQuery that answers with one result: the number of documents, or of those with this value. */
export function encodeCount(names: ResourceNames, collection: string, where?: FieldValue): Buffer {
  const from = splitCollection(collection);
  const out = new WireWriter();
  out.text(RunAggregationQueryRequest.parent, names.ofPath(from.parent));
  const start = out.open(RunAggregationQueryRequest.structuredAggregationQuery);
  const query = out.open(StructuredAggregationQuery.structuredQuery);
  encodeFrom(out, from);
  if (where) encodeWhere(out, where);
  out.close(query);
  const aggregation = out.open(StructuredAggregationQuery.aggregations);
  out.close(out.open(Aggregation.count));
  out.text(Aggregation.alias, 'count');
  out.close(aggregation);
  out.close(start);
  return out.finish();
}

function encodeWrite(out: WireWriter, names: ResourceNames, write: DocumentChange): void {
  if ('delete' in write) {
    out.text(Write.delete, names.ofPath(write.delete));
  } else {
    const update = out.open(Write.update);
    out.text(Document.name, names.ofPath(write.set));
    encodeFields(out, Document.fields, write.data);
    out.close(update);
    if (write.fields) encodeMask(out, write.fields);
    for (const field of write.writtenAt ?? []) encodeRequestTime(out, field);
  }
  if (write.when !== undefined) encodeCondition(out, write.when);
}

/** A field that the database sets to the time of the request. */
function encodeRequestTime(out: WireWriter, name: string): void {
  const transform = out.open(Write.updateTransforms);
  out.text(FieldTransform.fieldPath, toFieldPath(name));
  out.integer(FieldTransform.setToServerValue, FieldTransform.REQUEST_TIME);
  out.close(transform);
}

function encodeMask(out: WireWriter, fields: readonly string[]): void {
  const mask = out.open(Write.updateMask);
  for (const field of fields) out.text(DocumentMask.fieldPaths, toFieldPath(field));
  out.close(mask);
}

function encodeCondition(out: WireWriter, when: Condition): void {
  const condition = out.open(Write.currentDocument);
  if (typeof when === 'string') out.boolean(Precondition.exists, when === 'present');
  else encodeTimestamp(out, Precondition.updateTime, when);
  out.close(condition);
}

function encodeFields(out: WireWriter, field: number, data: DocumentData): void {
  for (const name in data) {
    const value = data[name];
    if (value === undefined) continue;
    const entry = out.open(field);
    out.text(MapEntry.key, name);
    encodeValue(out, MapEntry.value, value);
    out.close(entry);
  }
}

function encodeValue(out: WireWriter, field: number, value: DocumentValue): void {
  const start = out.open(field);
  if (typeof value === 'string') out.text(Value.string, value);
  else if (typeof value === 'boolean') out.boolean(Value.boolean, value);
  else if (typeof value === 'number') encodeNumber(out, value);
  else if (value === null) out.integer(Value.null, 0);
  else if (value instanceof Date) encodeTimestamp(out, Value.timestamp, toTimestamp(value));
  else if (isList(value)) encodeList(out, value);
  else encodeMap(out, value);
  out.close(start);
}

function encodeNumber(out: WireWriter, value: number): void {
  if (isStoredAsInteger(value)) out.integer(Value.integer, value);
  else out.double(Value.double, value);
}

function encodeList(out: WireWriter, values: readonly DocumentValue[]): void {
  const list = out.open(Value.array);
  for (const value of values) encodeValue(out, ArrayValue.values, value);
  out.close(list);
}

function encodeMap(out: WireWriter, data: DocumentData): void {
  const map = out.open(Value.map);
  encodeFields(out, MapValue.fields, data);
  out.close(map);
}

function encodeFrom(
  out: WireWriter,
  { collectionId, allDescendants }: Pick<DocumentQuery, 'collectionId' | 'allDescendants'>,
): void {
  const from = out.open(StructuredQuery.from);
  if (collectionId !== undefined) out.text(CollectionSelector.collectionId, collectionId);
  if (allDescendants) out.boolean(CollectionSelector.allDescendants, true);
  out.close(from);
}

/** The documents come with their names and without their data. */
function encodeNamesOnly(out: WireWriter): void {
  const select = out.open(StructuredQuery.select);
  encodeReference(out, Projection.fields, '__name__');
  out.close(select);
}

function encodeWhere(out: WireWriter, { field, value }: NonNullable<DocumentQuery['where']>): void {
  const where = out.open(StructuredQuery.where);
  const filter = out.open(Filter.fieldFilter);
  encodeReference(out, FieldFilter.field, toFieldPath(field));
  out.integer(FieldFilter.op, typeof value === 'string' ? FieldFilter.EQUAL : FieldFilter.IN);
  encodeValue(out, FieldFilter.value, value);
  out.close(filter);
  out.close(where);
}

function encodeOrder(out: WireWriter, { lastFirst }: Pick<DocumentQuery, 'lastFirst'>): void {
  const order = out.open(StructuredQuery.orderBy);
  encodeReference(out, Order.field, '__name__');
  out.integer(Order.direction, lastFirst ? Order.DESCENDING : Order.ASCENDING);
  out.close(order);
}

/** @param isBefore whether the position is before the document of this name, or after it */
function encodeCursor(out: WireWriter, field: number, name: string, isBefore: boolean): void {
  const cursor = out.open(field);
  const value = out.open(Cursor.values);
  out.text(Value.reference, name);
  out.close(value);
  out.boolean(Cursor.before, isBefore);
  out.close(cursor);
}

function encodeReference(out: WireWriter, field: number, fieldPath: string): void {
  const reference = out.open(field);
  out.text(FieldReference.fieldPath, fieldPath);
  out.close(reference);
}
