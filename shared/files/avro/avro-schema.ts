/** Compiles the schema of an Avro file to a reader of its records. */
import { MAX_BODY_DEPTH } from '../../domain/limits';
import { DamagedFile } from '../damaged-file';
import type { AvroCursor } from './avro-cursor';
import { CORRUPT_AVRO } from './avro-cursor';
import { isScale, toDateTime, toDay, toDecimal, toExactNumber, toJsonNumber } from '../binary/values';

/** Reads a value. Null is left out of records (D-59). */
type Reader = (cursor: AvroCursor, depth: number) => unknown;

type Schema = Readonly<Record<string, unknown>>;

const NO_SCHEMA =
  'The schema of the Avro file cannot be read. Write the file again with fastavro or a library of Apache Avro.';
const TOO_DEEP = `The records of the Avro file are nested more than ${MAX_BODY_DEPTH} levels deep. Leave out the fields that are nested deeper.`;

/** @param text the schema as JSON @throws DamagedFile when it is none of records */
export function compileAvroSchema(text: string): (cursor: AvroCursor) => unknown {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch {
    throw new DamagedFile(NO_SCHEMA);
  }
  const type = isSchema(schema) ? schema['type'] : undefined;
  if (type !== 'record')
    throw new DamagedFile('The Avro file must hold records. Write the file again with a schema of type record.');
  const read = new Compiler().compile(schema, '', 0);
  return (cursor) => read(cursor, 1);
}

class Compiler {
  private readonly named = new Map<string, Reader>();

  compile(schema: unknown, namespace: string, level: number): Reader {
    if (level > MAX_BODY_DEPTH) throw new DamagedFile(TOO_DEEP);
    if (typeof schema === 'string') return PRIMITIVES.get(schema) ?? this.byName(schema, namespace);
    if (Array.isArray(schema)) return readUnion(schema.map((one) => this.compile(one, namespace, level + 1)));
    if (!isSchema(schema)) throw new DamagedFile(NO_SCHEMA);
    switch (schema['type']) {
      case 'record':
        return this.compileRecord(schema, namespace, level);
      case 'enum':
        return this.name(schema, namespace, readEnum(schema['symbols']));
      case 'fixed':
        return this.name(schema, namespace, readFixed(schema));
      case 'array':
        return readArray(this.compile(schema['items'], namespace, level + 1));
      case 'map':
        return readMap(this.compile(schema['values'], namespace, level + 1));
      default:
        return readLogical(schema) ?? this.compile(schema['type'], namespace, level + 1);
    }
  }

  private byName(name: string, namespace: string): Reader {
    // A record may hold itself, so that its reader is looked up when it is needed.
    const known = this.named.has(fullName(name, namespace)) ? fullName(name, namespace) : name;
    if (!this.named.has(known)) throw new DamagedFile(NO_SCHEMA);
    return (cursor, depth) => this.named.get(known)?.(cursor, depth);
  }

  private name(schema: Schema, namespace: string, reader: Reader): Reader {
    this.named.set(nameOf(schema, namespace), reader);
    return reader;
  }

  private compileRecord(schema: Schema, namespace: string, level: number): Reader {
    const full = nameOf(schema, namespace);
    const inner = full.slice(0, Math.max(0, full.lastIndexOf('.')));
    let fields: readonly (readonly [name: string, read: Reader])[] = [];
    const reader: Reader = (cursor, depth) => {
      if (depth > MAX_BODY_DEPTH) throw new DamagedFile(TOO_DEEP);
      const record: Record<string, unknown> = {};
      for (const [name, read] of fields) {
        cursor.countValue();
        const value = read(cursor, depth + 1);
        if (value !== null && name !== '__proto__') record[name] = value;
      }
      return record;
    };
    this.named.set(full, reader);
    if (!Array.isArray(schema['fields'])) throw new DamagedFile(NO_SCHEMA);
    fields = schema['fields'].map((field: unknown) => {
      if (!isSchema(field) || typeof field['name'] !== 'string') throw new DamagedFile(NO_SCHEMA);
      return [field['name'], this.compile(field['type'], inner, level + 1)] as const;
    });
    return reader;
  }
}

const readLong: Reader = (cursor) => {
  const start = cursor.at;
  const value = cursor.long();
  if (Number.isSafeInteger(value)) return value;
  cursor.at = start;
  return toExactNumber(cursor.bigLong());
};

const readText: Reader = (cursor) => cursor.text();

const PRIMITIVES: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['null', () => null],
  ['boolean', (cursor) => cursor.take(1)[0] === 1],
  ['int', readLong],
  ['long', readLong],
  ['float', (cursor) => toJsonNumber(cursor.float())],
  ['double', (cursor) => toJsonNumber(cursor.double())],
  ['bytes', readText],
  ['string', readText],
]);

const LOGICAL: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['int date', (cursor) => toDay(cursor.long())],
  ...(['', 'local-'] as const).flatMap((prefix): (readonly [string, Reader])[] => [
    [`long ${prefix}timestamp-millis`, (cursor) => toDateTime(cursor.bigLong(), 1_000, prefix !== '')],
    [`long ${prefix}timestamp-micros`, (cursor) => toDateTime(cursor.bigLong(), 1_000_000, prefix !== '')],
    [`long ${prefix}timestamp-nanos`, (cursor) => toDateTime(cursor.bigLong(), 1_000_000_000, prefix !== '')],
  ]),
]);

/** Undefined: its values are those of its type. */
function readLogical({ type, logicalType, scale = 0 }: Schema): Reader | undefined {
  if (type === 'bytes' && logicalType === 'decimal' && isScale(scale)) {
    return (cursor) => toDecimal(cursor.take(cursor.count()), scale);
  }
  return LOGICAL.get(`${String(type)} ${String(logicalType)}`);
}

function readFixed({ size, logicalType, scale = 0 }: Schema): Reader {
  if (typeof size !== 'number' || !Number.isInteger(size) || size < 0) throw new DamagedFile(NO_SCHEMA);
  const isDecimal = logicalType === 'decimal' && isScale(scale);
  return (cursor) => (isDecimal ? toDecimal(cursor.take(size), scale) : cursor.take(size).toString('latin1'));
}

function readEnum(symbols: unknown): Reader {
  if (!Array.isArray(symbols)) throw new DamagedFile(NO_SCHEMA);
  return (cursor) => requireKnown(symbols[cursor.count()] as string | undefined);
}

function readUnion(readers: readonly Reader[]): Reader {
  return (cursor, depth) => requireKnown(readers[cursor.count()])(cursor, depth);
}

function readArray(read: Reader): Reader {
  return (cursor, depth) => {
    const elements: unknown[] = [];
    readBlocks(cursor, () => {
      elements.push(read(cursor, depth + 1));
    });
    return elements;
  };
}

function readMap(read: Reader): Reader {
  return (cursor, depth) => {
    const values: Record<string, unknown> = {};
    readBlocks(cursor, () => {
      const key = cursor.text();
      const value = read(cursor, depth + 1);
      if (value !== null && key !== '__proto__') values[key] = value;
    });
    return values;
  };
}

/** Reads the blocks of an array or a map, of which one of no elements is the last. */
function readBlocks(cursor: AvroCursor, readElement: () => void): void {
  for (let left = readCount(cursor); left > 0; left = readCount(cursor)) {
    for (; left > 0; left -= 1) {
      cursor.countValue();
      readElement();
    }
  }
}

/** A negative number stands before the length of the block. */
function readCount(cursor: AvroCursor): number {
  const count = cursor.long();
  if (count >= 0) return count;
  cursor.count();
  return -count;
}

function requireKnown<T>(value: T | undefined): T {
  if (value === undefined) throw new DamagedFile(CORRUPT_AVRO);
  return value;
}

function nameOf({ name, namespace }: Schema, outer: string): string {
  if (typeof name !== 'string') throw new DamagedFile(NO_SCHEMA);
  return fullName(name, typeof namespace === 'string' ? namespace : outer);
}

function fullName(name: string, namespace: string): string {
  return name.includes('.') || namespace === '' ? name : `${namespace}.${name}`;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
