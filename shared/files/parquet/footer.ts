/** The footer of a Parquet file: its schema, and where its row groups are. */
import { MAX_PARQUET_COLUMNS } from '../../limits/transfers';
import { DamagedFile } from '../damaged-file';
import { failCorrupt, STOP, ThriftCursor } from './thrift-cursor';

/** Physical types by their numbers. */
export const PHYSICAL = ['boolean', 'int32', 'int64', 'int96', 'float', 'double', 'bytes', 'fixed'] as const;
export type Physical = (typeof PHYSICAL)[number];

/** What the values of a column mean; undefined: what its physical type says. */
export type Meaning =
  | { readonly of: 'decimal' }
  | { readonly of: 'timestamp'; readonly perSecond: 1_000 | 1_000_000 | 1_000_000_000; readonly isLocal: boolean }
  | { readonly of: 'date' | 'unsigned' | 'uuid' | 'float16' | 'list' | 'map' };

/** An element of the schema, which is a tree in the order of a walk through it. */
export interface SchemaElement {
  readonly name: string;
  /** Undefined: a group. */
  readonly type: Physical | undefined;
  /** Bytes of a value of the type `fixed`. */
  readonly length: number;
  readonly repetition: 'required' | 'optional' | 'repeated';
  readonly children: number;
  readonly meaning: Meaning | undefined;
  readonly scale: number;
}

export interface RowGroup {
  readonly rows: number;
  /** In the order of the schema's leaves. */
  readonly columns: readonly ColumnChunk[];
}

export interface ColumnChunk {
  readonly codec: number;
  readonly values: number;
  readonly start: number;
  readonly packedBytes: number;
  readonly bytes: number;
}

export const ENCRYPTED_PARQUET = 'The Parquet file is encrypted. Write it without encryption.';

export const TOO_MANY_COLUMNS = `The Parquet file must have at most ${MAX_PARQUET_COLUMNS} columns.`;

/** A column in a list has two elements around it. */
const MAX_ELEMENTS = 3 * MAX_PARQUET_COLUMNS;

const REPETITIONS = ['required', 'optional', 'repeated'] as const;
const UTC = { isLocal: false } as const;

/** The older names of meanings, by their numbers. */
const CONVERTED: Readonly<Record<number, Meaning>> = {
  1: { of: 'map' },
  2: { of: 'map' },
  3: { of: 'list' },
  5: { of: 'decimal' },
  6: { of: 'date' },
  9: { of: 'timestamp', perSecond: 1_000, ...UTC },
  10: { of: 'timestamp', perSecond: 1_000_000, ...UTC },
  ...Object.fromEntries([11, 12, 13, 14].map((number) => [number, { of: 'unsigned' } as const])),
};

export class Footer {
  readonly schema: readonly SchemaElement[];
  private readonly groupsAt: number;

  /** @param bytes the metadata alone @throws DamagedFile when it cannot be read */
  constructor(private readonly bytes: Buffer) {
    const cursor = new ThriftCursor(bytes);
    const schema: SchemaElement[] = [];
    let groupsAt: number | undefined;
    cursor.struct({
      2: () => {
        for (let left = cursor.listLength(); left > 0; left -= 1) {
          if (schema.length >= MAX_ELEMENTS) throw new DamagedFile(TOO_MANY_COLUMNS);
          schema.push(readElement(cursor));
        }
      },
      4: () => {
        groupsAt = cursor.at;
        return STOP; // row groups are read one by one, and nothing after them
      },
    });
    this.schema = schema;
    this.groupsAt = groupsAt ?? failCorrupt();
  }

  /** One after the other: all of them could take many times the memory of the footer. */
  *rowGroups(): Generator<RowGroup, void, undefined> {
    const cursor = new ThriftCursor(this.bytes, this.groupsAt);
    for (let left = cursor.listLength(); left > 0; left -= 1) yield readGroup(cursor);
  }
}

function readElement(cursor: ThriftCursor): SchemaElement {
  let type: number | undefined;
  let [length, repetition, children, scale] = [0, 0, 0, 0];
  let name = '';
  let converted: Meaning | undefined;
  let meaning: Meaning | undefined;
  cursor.struct({
    1: () => (type = cursor.int()),
    2: () => (length = cursor.int()),
    3: () => (repetition = cursor.int()),
    4: () => (name = cursor.text()),
    5: () => (children = cursor.int()),
    6: () => (converted = CONVERTED[cursor.int()]),
    7: () => (scale = cursor.int()),
    10: () => (meaning = readMeaning(cursor)),
  });
  return {
    name,
    type: type === undefined || children > 0 ? undefined : (PHYSICAL[type] ?? failCorrupt()),
    length,
    repetition: REPETITIONS[repetition] ?? failCorrupt(),
    children,
    meaning: meaning ?? converted,
    scale,
  };
}

/** Undefined: one that changes nothing, such as of texts. */
function readMeaning(cursor: ThriftCursor): Meaning | undefined {
  let meaning: Meaning | undefined;
  const is = (found: Meaning | undefined) => () => {
    cursor.struct({});
    meaning = found;
  };
  cursor.struct({
    2: is({ of: 'map' }),
    3: is({ of: 'list' }),
    5: is({ of: 'decimal' }),
    6: is({ of: 'date' }),
    8: () => (meaning = readTimestamp(cursor)),
    10: () => cursor.struct({ 2: (isSigned) => (meaning = isSigned ? undefined : { of: 'unsigned' }) }),
    14: is({ of: 'uuid' }),
    15: is({ of: 'float16' }),
  });
  return meaning;
}

function readTimestamp(cursor: ThriftCursor): Meaning {
  let isLocal = true;
  let perSecond: 1_000 | 1_000_000 | 1_000_000_000 = 1_000;
  const unit = (found: typeof perSecond) => () => {
    cursor.struct({});
    perSecond = found;
  };
  cursor.struct({
    1: (isTrue) => (isLocal = !isTrue),
    2: () => cursor.struct({ 1: unit(1_000), 2: unit(1_000_000), 3: unit(1_000_000_000) }),
  });
  return { of: 'timestamp', perSecond, isLocal };
}

function readGroup(cursor: ThriftCursor): RowGroup {
  const columns: ColumnChunk[] = [];
  let rows = 0;
  cursor.struct({
    1: () => {
      for (let left = cursor.listLength(); left > 0; left -= 1) {
        if (columns.length >= MAX_PARQUET_COLUMNS) failCorrupt();
        columns.push(readChunk(cursor));
      }
    },
    3: () => (rows = cursor.int()),
  });
  if (!isCount(rows)) failCorrupt();
  return { rows, columns };
}

function readChunk(cursor: ThriftCursor): ColumnChunk {
  let chunk: ColumnChunk | undefined;
  cursor.struct({
    1: () => {
      cursor.text();
      throw new DamagedFile('The Parquet file keeps its columns in other files.');
    },
    3: () => (chunk = readChunkMetadata(cursor)),
  });
  if (!chunk) throw new DamagedFile(ENCRYPTED_PARQUET);
  return chunk;
}

function readChunkMetadata(cursor: ThriftCursor): ColumnChunk {
  let [codec, values, bytes, packedBytes, dataAt, dictionaryAt] = [0, 0, 0, 0, 0, 0];
  cursor.struct({
    4: () => (codec = cursor.int()),
    5: () => (values = cursor.int()),
    6: () => (bytes = cursor.int()),
    7: () => (packedBytes = cursor.int()),
    9: () => (dataAt = cursor.int()),
    11: () => (dictionaryAt = cursor.int()),
  });
  // Writers without a dictionary may say that it is at 0, or behind the data.
  const start = dictionaryAt > 0 && dictionaryAt < dataAt ? dictionaryAt : dataAt;
  if (![values, bytes, packedBytes, start].every(isCount)) failCorrupt();
  // Without values no page is read, and writers may say anything of where it is.
  return { codec, values, start, packedBytes: values === 0 ? 0 : packedBytes, bytes };
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
