/** Decodes the answers of Firestore directly into the service's values. */
import type { StoredDocument, Version } from '../../../documents/document-store';
import { versionTime } from '../../../documents/document-store';
import type { DocumentValue } from '../../../domain/records/document';
import type { WriteStatus } from '../firestore-calls';
import type { ResourceNames } from '../resource-names';
import {
  AggregationResult,
  ArrayValue,
  BatchGetDocumentsResponse,
  BatchWriteResponse,
  BeginTransactionResponse,
  CommitResponse,
  Document,
  MapEntry,
  MapValue,
  RunAggregationQueryResponse,
  RunQueryResponse,
  Status,
  Value,
  WriteResult,
} from './field-numbers';
import { decodeTimestamp } from '../../grpc/timestamp';
import { WireReader } from '../../grpc/wire-reader';

type Fields = Record<string, DocumentValue>;

/** The document in a message of BatchGetDocuments' answer; undefined when the message holds none. */
export function decodeFound(names: ResourceNames, bytes: Buffer): StoredDocument | undefined {
  return decodeDocumentIn(BatchGetDocumentsResponse.found, names, bytes);
}

/** The path of the missing document that a message of BatchGetDocuments' answer names, if it names one. */
export function decodeMissing(names: ResourceNames, bytes: Buffer): string | undefined {
  const reader = new WireReader(bytes);
  while (reader.hasMore(reader.end)) {
    if (reader.field() === BatchGetDocumentsResponse.missing) return names.toPath(reader.text());
    reader.skip();
  }
  return undefined;
}

/** The name of the transaction in BeginTransaction's answer. */
export function decodeTransaction(bytes: Buffer): Uint8Array | undefined {
  const reader = new WireReader(bytes);
  while (reader.hasMore(reader.end)) {
    if (reader.field() === BeginTransactionResponse.transaction) return reader.raw();
    reader.skip();
  }
  return undefined;
}

/** The document in a message of RunQuery's answer; undefined when the message only reports progress. */
export function decodeQueried(names: ResourceNames, bytes: Buffer): StoredDocument | undefined {
  return decodeDocumentIn(RunQueryResponse.document, names, bytes);
}

/** The statuses of BatchWrite's answer, in the order of the writes. */
export function decodeStatuses(bytes: Buffer): WriteStatus[] {
  const statuses: WriteStatus[] = [];
  const reader = new WireReader(bytes);
  while (reader.hasMore(reader.end)) {
    if (reader.field() === BatchWriteResponse.status) statuses.push(decodeStatus(reader));
    else reader.skip();
  }
  return statuses;
}

/** The update time of the last write that has one; without such a write, the commit time. */
export function decodeCommitted(bytes: Buffer): Version {
  let updated: Version | undefined;
  let committed: Version = { seconds: 0, nanos: 0 };
  const reader = new WireReader(bytes);
  while (reader.hasMore(reader.end)) {
    switch (reader.field()) {
      case CommitResponse.writeResults:
        updated = decodeUpdated(reader) ?? updated;
        break;
      case CommitResponse.commitTime:
        committed = decodeTimestamp(reader);
        break;
      default:
        reader.skip();
    }
  }
  return updated ?? committed;
}

function decodeUpdated(reader: WireReader): Version | undefined {
  let updated: Version | undefined;
  const end = reader.message();
  while (reader.hasMore(end)) {
    if (reader.field() === WriteResult.updateTime) updated = decodeTimestamp(reader);
    else reader.skip();
  }
  return updated;
}

/** The values after an increment: the results of the transforms in Commit's only write. */
export function decodeIncremented(bytes: Buffer): number[] {
  const values: number[] = [];
  const reader = new WireReader(bytes);
  while (reader.hasMore(reader.end)) {
    if (reader.field() !== CommitResponse.writeResults) reader.skip();
    else {
      const end = reader.message();
      while (reader.hasMore(end)) {
        if (reader.field() === WriteResult.transformResults) values.push(Number(decodeValue(reader)));
        else reader.skip();
      }
    }
  }
  return values;
}

/** The count in a message of RunAggregationQuery's answer, if it holds one. */
export function decodeCount(bytes: Buffer): number | undefined {
  const results: Fields = {};
  const reader = new WireReader(bytes);
  while (reader.hasMore(reader.end)) {
    if (reader.field() === RunAggregationQueryResponse.result)
      decodeFields(reader, AggregationResult.aggregateFields, results);
    else reader.skip();
  }
  return results.count === undefined ? undefined : Number(results.count);
}

function decodeDocumentIn(field: number, names: ResourceNames, bytes: Buffer): StoredDocument | undefined {
  let document: StoredDocument | undefined;
  const reader = new WireReader(bytes);
  while (reader.hasMore(reader.end)) {
    if (reader.field() === field) document = decodeDocument(reader, names);
    else reader.skip();
  }
  return document;
}

function decodeDocument(reader: WireReader, names: ResourceNames): StoredDocument {
  let path = '';
  const data: Fields = {};
  let version: Version = { seconds: 0, nanos: 0 };
  let created = version;
  const end = reader.message();
  while (reader.hasMore(end)) {
    switch (reader.field()) {
      case Document.name:
        path = names.toPath(reader.text());
        break;
      case Document.fields:
        decodeEntry(reader, data);
        break;
      case Document.createTime:
        created = decodeTimestamp(reader);
        break;
      case Document.updateTime:
        version = decodeTimestamp(reader);
        break;
      default:
        reader.skip();
    }
  }
  return { path, data, version, created };
}

/** Adds an entry of a map to `fields`. Its name is never `__proto__`, because Firestore refuses that name. */
function decodeEntry(reader: WireReader, fields: Fields): void {
  let name = '';
  let value: DocumentValue = null;
  const end = reader.message();
  while (reader.hasMore(end)) {
    switch (reader.field()) {
      case MapEntry.key:
        name = reader.text();
        break;
      case MapEntry.value:
        value = decodeValue(reader);
        break;
      default:
        reader.skip();
    }
  }
  fields[name] = value;
}

/** Values of types that the service never writes become null. */
function decodeValue(reader: WireReader): DocumentValue {
  let value: DocumentValue = null;
  const end = reader.message();
  while (reader.hasMore(end)) {
    switch (reader.field()) {
      case Value.string:
        value = reader.text();
        break;
      case Value.boolean:
        value = reader.boolean();
        break;
      case Value.integer:
        value = reader.integer();
        break;
      case Value.double:
        value = reader.double();
        break;
      case Value.timestamp:
        value = versionTime(decodeTimestamp(reader));
        break;
      case Value.array:
        value = decodeList(reader);
        break;
      case Value.map:
        value = decodeFields(reader, MapValue.fields, {});
        break;
      default:
        reader.skip();
    }
  }
  return value;
}

function decodeList(reader: WireReader): DocumentValue[] {
  const values: DocumentValue[] = [];
  const end = reader.message();
  while (reader.hasMore(end)) {
    if (reader.field() === ArrayValue.values) values.push(decodeValue(reader));
    else reader.skip();
  }
  return values;
}

/** Reads a message whose field `field` is a map, into `fields`. */
function decodeFields(reader: WireReader, field: number, fields: Fields): Fields {
  const end = reader.message();
  while (reader.hasMore(end)) {
    if (reader.field() === field) decodeEntry(reader, fields);
    else reader.skip();
  }
  return fields;
}

function decodeStatus(reader: WireReader): WriteStatus {
  let code = 0;
  let message = '';
  const end = reader.message();
  while (reader.hasMore(end)) {
    switch (reader.field()) {
      case Status.code:
        code = reader.integer();
        break;
      case Status.message:
        message = reader.text();
        break;
      default:
        reader.skip();
    }
  }
  return { code, message };
}
