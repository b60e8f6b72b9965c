/** Converts plain values to Firestore's protocol values, and back. Integers stay integers, dates become timestamps. */
import type { DocumentData, DocumentValue } from '../../../domain/records/document';
import { isList } from '../../../domain/records/document';
import { isStoredAsInteger, toTimestamp } from '../stored-values';
import type { ProtoFields, ProtoTimestamp, ProtoValue } from './protocol';

export function toFields(data: DocumentData): ProtoFields {
  const fields: ProtoFields = {};
  for (const name of Object.keys(data)) {
    const value = data[name];
    if (value !== undefined) fields[name] = toValue(value);
  }
  return fields;
}

export function toValue(value: DocumentValue): ProtoValue {
  switch (typeof value) {
    case 'string':
      return { stringValue: value };
    case 'boolean':
      return { booleanValue: value };
    case 'number':
      return isStoredAsInteger(value) ? { integerValue: value } : { doubleValue: value };
    case 'object':
      if (value === null) return { nullValue: 'NULL_VALUE' };
      if (value instanceof Date) return { timestampValue: toTimestamp(value) };
      if (isList(value)) return { arrayValue: { values: value.map(toValue) } };
      return { mapValue: { fields: toFields(value) } };
  }
}

export function fromFields(fields: ProtoFields | null | undefined): DocumentData {
  return Object.fromEntries(Object.entries(fields ?? {}).map(([name, value]) => [name, fromValue(value)]));
}

function fromValue(value: ProtoValue): DocumentValue {
  if (typeof value.stringValue === 'string') return value.stringValue;
  if (typeof value.booleanValue === 'boolean') return value.booleanValue;
  if (value.integerValue !== undefined && value.integerValue !== null) return Number(value.integerValue);
  if (typeof value.doubleValue === 'number') return value.doubleValue;
  if (value.timestampValue) return new Date(timestampMs(value.timestampValue));
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(fromValue);
  if (value.mapValue) return fromFields(value.mapValue.fields);
  return null;
}

function timestampMs(timestamp: ProtoTimestamp): number {
  return Number(timestamp.seconds ?? 0) * 1000 + Math.floor((timestamp.nanos ?? 0) / 1_000_000);
}
