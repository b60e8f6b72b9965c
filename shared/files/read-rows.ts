/**
 * Reads a tenant's file: bytes in, rows out. It needs constant memory and starts at any checkpoint.
 *
 * ```
 * inflate             gzip → content
 * skipBytes           continues at the checkpoint's offset
 * readRows
 *   openFile            skips the beginning, detects the form; UTF-16 → UTF-8
 *   RecordSplitter      bytes → records
 *   RecordDecoder       records → rows
 *   LineAccount         fails if a line was lost
 *   UnreadableFileGuard fails if no row can be read
 *   RowChunker          rows → chunks
 *   readAvro            of Avro in place of the first four; so is readParquet, which takes the file itself
 * ```
 *
 * Callers decide where the bytes come from (of a plain file, best from the offset on), validate the records, and store
 * the rows.
 */
import type { RecordKind } from '../domain/identity';
import { FILE_CHUNK_BYTES, FILE_CHUNK_ROWS } from '../limits/transfers';
import { EventLoopShare } from '../platform/async/event-loop-share';
import { ArrayBoundary } from './boundaries/array-boundary';
import { readAvro } from './avro/read-avro';
import { CsvBoundary } from './boundaries/csv-boundary';
import { CsvDecoder } from './csv/csv-decoder';
import { CsvDialect } from './csv/csv-dialect';
import { DamagedFile } from './damaged-file';
import type { FileFormat } from './file-kind';
import { JsonDecoder } from './json-decoder';
import { LineAccount } from './line-account';
import { LineBoundary } from './boundaries/line-boundary';
import { openFile } from './open-file';
import type { StoredBytes } from './packing/unzip';
import { PeekableBytes } from './peekable-bytes';
import { UnreadableFileGuard } from './unreadable-file-guard';
import type { RecordDecoder } from './record-decoder';
import type { RawRecord } from './record-splitter';
import { isBlankRecord, RecordSplitter } from './record-splitter';
import { RowChunker } from './row-chunker';
import type { Checkpoint, Row, RowChunk, DecodedRecord } from './row';
import { FILE_START } from './row';

export interface ReadOptions {
  readonly kind: RecordKind;
  readonly format: FileFormat;
  /** Where to begin. The first byte passed in is the one at its offset. Default: the start of the file. */
  readonly from?: Checkpoint;
  /** The maximum number of rows in a chunk. Default: FILE_CHUNK_ROWS. */
  readonly maxRows?: number;
  /** A chunk ends with the record that reaches this many bytes. Default: FILE_CHUNK_BYTES. */
  readonly maxBytes?: number;
  /** False: each row of a CSV file is a record of its own. Default: rows of one identifier form one. */
  readonly groupsRows?: boolean;
  /** Told of every record as it is in the file, before it is decoded; also of headers and of rows that are skipped. */
  readonly onRecord?: (record: SourceRecord) => void;
}

/** A record as it is in the file; of Avro and Parquet as JSON. */
export type SourceRecord = Pick<RawRecord, 'line' | 'bytes' | 'cells'>;

/**
 * Reads the inflated bytes of a file from `from` on; of Parquet the file, because its end says where what is. Returns
 * without an error only at the end of the file.
 *
 * - Rows and their lines do not depend on where the pieces of `bytes` end, nor on the checkpoint that reading began at.
 * - A bad row does not stop the reading, unless no row of the file can be read.
 * - A group of CSV rows that damage or an error cuts off is not yielded.
 * - Where there are no rows, an empty chunk is yielded every FILE_EMPTY_CHUNK_FACTOR × `maxBytes` bytes.
 * @throws DamagedFile, and errors of `bytes` unchanged; all rows before them are yielded first
 */
export async function* readRows(
  content: AsyncIterable<Buffer> | StoredBytes,
  options: ReadOptions,
): AsyncGenerator<RowChunk, void, undefined> {
  const { kind, format, from = FILE_START, maxRows = FILE_CHUNK_ROWS, maxBytes = FILE_CHUNK_BYTES, onRecord } = options;
  if (from.damage !== undefined) throw new DamagedFile(from.damage);
  const opened =
    Symbol.asyncIterator in content
      ? { isFile: false as const, source: new PeekableBytes(content) }
      : { isFile: true as const, file: content };
  const chunker = new RowChunker(from, maxRows, maxBytes);
  const guard = new UnreadableFileGuard(from, kind, format);
  const share = new EventLoopShare();
  try {
    if (opened.isFile || format === 'avro') {
      const blocks = opened.isFile ? await readParquetFile(opened.file, from) : readAvro(opened.source, from);
      for await (const block of blocks) {
        for (const decoded of block) {
          if (decoded.row) onRecord?.(toSourceRecord(decoded.row));
          for (const chunk of chunker.feed(guard.filter([decoded]))) yield chunk;
          if (share.isUsedUp) await share.renew();
        }
      }
      guard.requireReadable();
      yield* chunker.flush();
      return;
    }
    const { start, text } = await openFile(opened.source, format, from);
    const { splitter, decoder } = readerAt(start, options);
    const account = new LineAccount(start);
    const chunksOf = (decoded: readonly DecodedRecord[]) => chunker.feed(guard.filter(account.addDecoded(decoded)));
    const decode = (record: RawRecord) => {
      onRecord?.(record);
      const decoded = decoder.decode(record);
      // A blank line comes as a record if a piece, or the file, ends within it.
      if (decoded.length === 0 && isBlankRecord(record)) account.addBlankRecord(record);
      return decoded;
    };
    for await (const piece of text.rest()) {
      // No `yield*` for each record: in an async generator it waits each time, even when it yields nothing.
      for (const record of splitter.split(piece)) {
        for (const chunk of chunksOf(decode(record))) yield chunk;
        if (share.isUsedUp) await share.renew();
      }
      if (share.isUsedUp) await share.renew(); // a long record has many pieces
      const { position } = splitter;
      if (position) for (const chunk of chunksOf(decoder.advanceTo(position))) yield chunk;
    }
    for (const record of splitter.end()) yield* chunksOf(decode(record));
    yield* chunksOf(decoder.end());
    account.requireComplete(splitter.lineCounts);
    guard.requireReadable();
  } catch (error) {
    if (error instanceof DamagedFile) yield* chunker.feed(guard.release());
    yield* chunker.flush();
    throw error;
  } finally {
    if (!opened.isFile) await opened.source.close();
  }
  yield* chunker.flush();
}

/** Loads what reads Parquet with the first such file: nothing else needs it. */
async function readParquetFile(file: StoredBytes, from: Checkpoint): Promise<AsyncIterable<Iterable<DecodedRecord>>> {
  const { readParquet } = await import('./parquet/read-parquet');
  return readParquet(file, from);
}

/** Undefined bytes: a text in it is none. */
function toSourceRecord(row: Row): SourceRecord {
  return { line: row.line, bytes: 'record' in row ? Buffer.from(JSON.stringify(row.record)) : undefined };
}

/** Chooses the splitter and the decoder for the file's form. */
function readerAt(
  start: Checkpoint,
  { kind, groupsRows = true }: ReadOptions,
): { splitter: RecordSplitter; decoder: RecordDecoder } {
  const { form } = start;
  switch (form.of) {
    case 'lines':
      return {
        splitter: new RecordSplitter(new LineBoundary(start.isAfterReturn), start),
        decoder: new JsonDecoder('lines'),
      };
    case 'array':
      return { splitter: new RecordSplitter(new ArrayBoundary(form.next), start), decoder: new JsonDecoder('array') };
    case 'avro':
    case 'parquet':
      throw new Error('A checkpoint of a binary format cannot be one of text.');
    case 'start': // a CSV file: of JSON, openFile has detected the form
    case 'csv': {
      const dialect = new CsvDialect(form.of === 'csv' ? (form.separator ?? ',') : undefined);
      return {
        splitter: new RecordSplitter(new CsvBoundary(dialect, start.isAfterReturn), start),
        decoder: new CsvDecoder(kind, form, dialect, groupsRows),
      };
    }
  }
}
