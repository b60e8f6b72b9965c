/** Compiles the schema of a Parquet file to a reader of its records, which puts values back into lists and objects. */
import { isUtf8 } from 'node:buffer';
import { MAX_BODY_DEPTH } from '../../domain/limits';
import { MAX_FILE_RECORD_BYTES, MAX_FILE_RECORD_VALUES, MAX_PARQUET_COLUMNS } from '../../limits/transfers';
import { DamagedFile } from '../damaged-file';
import type { ColumnReader, Leaf } from './column';
import type { SchemaElement } from './footer';
import { TOO_MANY_COLUMNS } from './footer';
import { failCorrupt } from './thrift-cursor';
import type { TextReader } from './values';
import { toValue } from './values';

/** The record that is being read. */
export class RecordState implements TextReader {
  /** Why the record is refused; it is read to its end all the same. */
  problem: string | undefined;
  /** What all records have taken so far: about as many bytes as in memory. */
  bytes = 0;
  private recordBytes = 0;
  private values = 0;

  constructor(readonly columns: readonly ColumnReader[]) {}

  start(): void {
    this.problem = undefined;
    this.recordBytes = 0;
    this.values = 0;
  }

  /** Counts a value, also a missing one: a few bytes can stand for very many of these. @throws DamagedFile */
  count(bytes: number): void {
    this.values += 1;
    this.recordBytes += bytes;
    this.bytes += VALUE_BYTES + bytes;
    if (this.values > MAX_FILE_RECORD_VALUES) {
      throw new DamagedFile(`A record of the Parquet file has more than ${MAX_FILE_RECORD_VALUES} values.`);
    }
    if (this.recordBytes > MAX_FILE_RECORD_BYTES) {
      throw new DamagedFile(`A record of the Parquet file has more than ${MAX_FILE_RECORD_BYTES} bytes.`);
    }
  }

  text(bytes: Buffer): string {
    if (isUtf8(bytes)) return bytes.toString();
    this.problem ??= 'The record is not valid UTF-8.';
    return '';
  }

  columnAt(index: number): ColumnReader {
    return this.columns[index] ?? failCorrupt();
  }
}

const VALUE_BYTES = 8;

type Reader = (state: RecordState) => unknown;

/** A part of the schema below its columns' names. */
interface Compiled {
  readonly read: Reader;
  /** Its first column. It has those up to `end`. */
  readonly first: number;
  readonly end: number;
}

interface Field extends Compiled {
  readonly name: string;
}

export interface RecordReader {
  /** In the order of the columns. */
  readonly leaves: readonly Leaf[];
  readonly read: Reader;
}

/** @throws DamagedFile when the schema is none, or has too many columns or levels */
export function compileSchema(schema: readonly SchemaElement[]): RecordReader {
  const compiler = new Compiler(schema);
  const { read } = compiler.compileRecord();
  return { leaves: compiler.leaves, read };
}

class Compiler {
  readonly leaves: Leaf[] = [];
  private next = 0;

  constructor(private readonly schema: readonly SchemaElement[]) {}

  compileRecord(): Compiled {
    return this.compileObject(this.takeElement(), 0, 0, 1);
  }

  /** A field whose value may be missing, or be a list. The levels are those of what it is in. */
  private compileField(definition: number, repetition: number, depth: number): Field {
    if (depth > MAX_BODY_DEPTH) {
      throw new DamagedFile(`The records of the Parquet file are nested more than ${MAX_BODY_DEPTH} levels deep.`);
    }
    const element = this.takeElement();
    const { name } = element;
    if (element.repetition === 'repeated') {
      const content = this.compileContent(element, definition + 1, repetition + 1, depth + 1);
      return { ...content, name, read: readList(content, definition + 1, repetition + 1) };
    }
    if (element.repetition === 'required')
      return { ...this.compileContent(element, definition, repetition, depth), name };
    const content = this.compileContent(element, definition + 1, repetition, depth);
    return element.type ? { ...content, name } : { ...content, name, read: readOptional(content, definition + 1) };
  }

  private compileContent(element: SchemaElement, definition: number, repetition: number, depth: number): Compiled {
    if (element.type) return this.compileLeaf(element, element.type, definition, repetition);
    const inner = this.schema[this.next];
    const wraps = element.children === 1 && inner?.repetition === 'repeated';
    if (wraps && element.meaning?.of === 'list') return this.compileList(element, definition, repetition, depth);
    if (wraps && element.meaning?.of === 'map' && inner.children === 2) {
      this.next += 1;
      return this.compileMap(definition + 1, repetition + 1, depth);
    }
    return this.compileObject(element, definition, repetition, depth);
  }

  private compileLeaf(
    element: SchemaElement,
    type: NonNullable<SchemaElement['type']>,
    maxDefinition: number,
    maxRepetition: number,
  ): Compiled {
    const first = this.leaves.length;
    if (first >= MAX_PARQUET_COLUMNS) throw new DamagedFile(TOO_MANY_COLUMNS);
    if (type === 'fixed' && element.length <= 0) failCorrupt();
    this.leaves.push({ type, length: element.length, maxDefinition, maxRepetition });
    const convert = toValue(element, type);
    const read: Reader = (state) => {
      const raw = state.columnAt(first).take();
      state.count(raw instanceof Uint8Array ? raw.length : 0);
      return raw === undefined ? null : convert(raw, state);
    };
    return { read, first, end: first + 1 };
  }

  private compileObject({ children }: SchemaElement, definition: number, repetition: number, depth: number): Compiled {
    const first = this.leaves.length;
    const fields: Field[] = [];
    for (let left = children; left > 0; left -= 1) fields.push(this.compileField(definition, repetition, depth + 1));
    if (this.leaves.length === first) failCorrupt(); // no column would tell whether it is there
    const read: Reader = (state) => {
      const object: Record<string, unknown> = {};
      for (const field of fields) {
        const value = field.read(state);
        if (value !== null && field.name !== '__proto__') object[field.name] = value;
      }
      return object;
    };
    return { read, first, end: this.leaves.length };
  }

  /** A group around a repeated one, whose only field is the element; older writers repeat the element itself. */
  private compileList({ name }: SchemaElement, definition: number, repetition: number, depth: number): Compiled {
    const repeated = this.takeElement();
    const isElement = repeated.type !== undefined || repeated.children !== 1 || [`${name}_tuple`, 'array'].includes(repeated.name); // prettier-ignore
    const element = isElement
      ? this.compileContent(repeated, definition + 1, repetition + 1, depth + 1)
      : this.compileField(definition + 1, repetition + 1, depth + 1);
    return { ...element, read: readList(element, definition + 1, repetition + 1) };
  }

  private compileMap(definition: number, repetition: number, depth: number): Compiled {
    const key = this.compileField(definition, repetition, depth + 1);
    const value = this.compileField(definition, repetition, depth + 1);
    const entry: Compiled = { first: key.first, end: value.end, read: (state) => [key.read(state), value.read(state)] };
    const readEntries = readList(entry, definition, repetition);
    const read: Reader = (state) => {
      const entries = readEntries(state) as [unknown, unknown][];
      return Object.fromEntries(entries.filter(([name, content]) => content !== null && name !== '__proto__'));
    };
    return { ...entry, read };
  }

  private takeElement(): SchemaElement {
    this.next += 1;
    return this.schema[this.next - 1] ?? failCorrupt();
  }
}

/** Reads a group, or null where its first column says that there is none. */
function readOptional(content: Compiled, definition: number): Reader {
  return (state) => (isThere(content, definition, state) ? content.read(state) : null);
}

function readList(element: Compiled, definition: number, repetition: number): Reader {
  return (state) => {
    const elements: unknown[] = [];
    if (!isThere(element, definition, state)) return elements;
    const first = state.columnAt(element.first);
    do {
      state.count(0);
      elements.push(element.read(state));
    } while (first.repetition === repetition);
    return elements;
  };
}

/** Otherwise takes the entries that say so. */
function isThere({ first, end }: Compiled, definition: number, state: RecordState): boolean {
  if (state.columnAt(first).definition >= definition) return true;
  for (let index = first; index < end; index += 1) state.columnAt(index).take();
  return false;
}
