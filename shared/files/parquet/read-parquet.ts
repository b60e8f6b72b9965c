/**
 * Reads Parquet: the footer at the file's end, then one row group after the other, each of them whole. A
 * checkpoint is after so many records of a group.
 */
import {
  MAX_PARQUET_FOOTER_BYTES,
  MAX_PARQUET_GROUP_BYTES,
  MAX_PARQUET_GROUP_VALUES,
  PARQUET_TAIL_BYTES,
} from '../../limits/transfers';
import { EventLoopShare } from '../../platform/async/event-loop-share';
import { BadData } from '../binary/bad-data';
import { DamagedFile, requireInflatedAtMost } from '../damaged-file';
import type { StoredBytes } from '../packing/unzip';
import type { Checkpoint, DecodedRecord, Form } from '../row';
import { badRow } from '../row';
import type { ColumnReader } from './column';
import { loadColumn, PageCount } from './column';
import type { ColumnChunk, RowGroup } from './footer';
import { ENCRYPTED_PARQUET, Footer } from './footer';
import { RangeReader } from './range-reader';
import type { RecordReader } from './record-reader';
import { compileSchema, RecordState } from './record-reader';
import { CORRUPT_PARQUET, failCorrupt } from './thrift-cursor';

const MAGIC = 'PAR1';
const ENCRYPTED_MAGIC = 'PARE';
/** The length of the footer, and the magic. */
const END_BYTES = 8;
/** The format does not forbid it. No program writes it, and a small file could be read for days. */
const SHARED_PAGES = 'Row groups of the Parquet file share their pages. Write the file again, each row group with pages of its own.'; // prettier-ignore

/**
 * The records of a file from a checkpoint on, row group by row group.
 * @throws DamagedFile where nothing after the last record can be read, and errors of reading unchanged
 */
export async function* readParquet(
  file: StoredBytes,
  from: Checkpoint,
): AsyncGenerator<Iterable<DecodedRecord>, void, undefined> {
  const footer = await readFooter(file);
  if (!footer) return;
  const reader = compileSchema(footer.schema);
  const { group: first, skip } = from.form.of === 'parquet' ? from.form : { group: 0, skip: 0 };
  let { line, offset } = from;
  let index = 0;
  let packedBytes = 0;
  const share = new EventLoopShare();
  for (const group of footer.rowGroups()) {
    if (share.isUsedUp) await share.renew();
    packedBytes += sumOf(group, (column) => column.packedBytes);
    if (packedBytes > file.size) throw new DamagedFile(SHARED_PAGES);
    if (index >= first) {
      const skipped = index === first ? skip : 0;
      requireBounded(group, index, reader);
      const count = new PageCount();
      const columns = await loadGroup(file, group, reader, count, share);
      const records = new GroupRecords(columns, group.rows, reader, count.bytes);
      yield records.decode({ line, offset, form: { of: 'parquet', group: index, skip: skipped } });
      line += group.rows - skipped;
      offset = records.offset;
    }
    index += 1;
  }
}

/** Undefined: the file is empty. */
async function readFooter(file: StoredBytes): Promise<Footer | undefined> {
  if (file.size === 0) return undefined;
  const start = Math.max(0, file.size - PARQUET_TAIL_BYTES);
  const tail = await readAt(file, start, file.size - start);
  const magic = tail.subarray(-MAGIC.length).toString('latin1');
  if (magic === ENCRYPTED_MAGIC) throw new DamagedFile(ENCRYPTED_PARQUET);
  if (tail.length < END_BYTES + MAGIC.length || magic !== MAGIC) {
    throw new DamagedFile('The file is no Parquet file, or is cut off.');
  }
  const end = tail.length - END_BYTES;
  const length = new DataView(tail.buffer, tail.byteOffset + end, 4).getUint32(0, true);
  if (length > file.size - END_BYTES) failCorrupt();
  if (length > MAX_PARQUET_FOOTER_BYTES) {
    throw new DamagedFile(
      `The footer of the Parquet file has more than ${MAX_PARQUET_FOOTER_BYTES} bytes. Write fewer row groups, or more files.`,
    );
  }
  if (length <= end) return new Footer(tail.subarray(end - length, end));
  return new Footer(await readAt(file, file.size - END_BYTES - length, length));
}

async function readAt(file: StoredBytes, start: number, length: number): Promise<Buffer> {
  const reader = new RangeReader(file);
  try {
    return await reader.take(start, length);
  } finally {
    await reader.close();
  }
}

function sumOf({ columns }: RowGroup, count: (column: ColumnChunk) => number): number {
  return columns.reduce((sum, column) => sum + count(column), 0);
}

/** Refuses a row group by the footer, before any of it is read. @throws DamagedFile */
function requireBounded(group: RowGroup, index: number, { leaves }: RecordReader): void {
  if (group.columns.length !== leaves.length) failCorrupt();
  const bytes = Math.max(
    sumOf(group, (column) => column.bytes),
    sumOf(group, (column) => column.packedBytes),
  );
  const values = sumOf(group, (column) => column.values);
  if (bytes <= MAX_PARQUET_GROUP_BYTES && values <= MAX_PARQUET_GROUP_VALUES) return;
  const name = `Row group ${index + 1} of the Parquet file`;
  const flaw =
    bytes > MAX_PARQUET_GROUP_BYTES
      ? `${name} has ${bytes} bytes, and may have ${MAX_PARQUET_GROUP_BYTES}.`
      : `${name} has ${values} values, and may have ${MAX_PARQUET_GROUP_VALUES}.`;
  throw new DamagedFile(`${flaw} Write smaller ones, such as of 50000 rows (row_group_size, ROW_GROUP_SIZE, parquet.block.size).`); // prettier-ignore
}

/** The columns of a row group, decompressed. What is compressed is in memory for one column at a time. */
async function loadGroup(
  file: StoredBytes,
  group: RowGroup,
  { leaves }: RecordReader,
  count: PageCount,
  share: EventLoopShare,
): Promise<ColumnReader[]> {
  const reader = new RangeReader(file);
  const columns: ColumnReader[] = [];
  try {
    for (const [index, chunk] of group.columns.entries()) {
      const packed = await reader.take(chunk.start, chunk.packedBytes);
      columns.push(await loadColumn(packed, chunk, leaves[index] ?? failCorrupt(), count, share));
    }
    return columns;
  } catch (error) {
    throw error instanceof BadData ? new DamagedFile(CORRUPT_PARQUET) : error;
  } finally {
    await reader.close();
  }
}

type GroupStart = Pick<Checkpoint, 'offset' | 'line'> & { readonly form: Extract<Form, { readonly of: 'parquet' }> };

/** The records of a row group. */
class GroupRecords {
  /**
   * What the records have taken, after the last one, and their pages at least: a place in the file, if that were plain.
   */
  offset = 0;

  constructor(
    private readonly columns: readonly ColumnReader[],
    private readonly rows: number,
    private readonly reader: RecordReader,
    private readonly pageBytes: number,
  ) {
    if (rows === 0 && !this.isAtEnd) failCorrupt();
  }

  private get isAtEnd(): boolean {
    return this.columns.every(({ isAtEnd }) => isAtEnd);
  }

  *decode(from: GroupStart): Generator<DecodedRecord, void, undefined> {
    const { group, skip } = from.form;
    const state = new RecordState(this.columns);
    let start = from.offset;
    this.offset = start;
    for (let row = 0; row < this.rows; row += 1) {
      state.start();
      if (this.columns.some(({ repetition, isAtEnd }) => repetition !== 0 || isAtEnd)) failCorrupt();
      const record = this.reader.read(state);
      const isLast = row === this.rows - 1;
      if (isLast && !this.isAtEnd) failCorrupt();
      if (row < skip) {
        start = from.offset - state.bytes;
        yield { checkpoint: from }; // so that passing over records holds the event loop no longer than reading them
        continue;
      }
      this.offset = start + (isLast ? Math.max(state.bytes, this.pageBytes) : state.bytes);
      requireInflatedAtMost(this.offset);
      const position = { line: from.line + row - skip };
      const next = isLast ? { group: group + 1, skip: 0 } : { group, skip: row + 1 };
      yield {
        row: state.problem === undefined ? { ...position, record } : badRow(position, state.problem),
        checkpoint: { offset: this.offset, line: position.line + 1, form: { of: 'parquet', ...next } },
      };
    }
  }
}
