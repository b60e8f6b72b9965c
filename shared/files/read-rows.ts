/**
 * Reading a tenant's file: bytes in, rows out, in constant memory, from any place that an earlier reader has reached.
 *
 * ```
 * object → inflate → skipBytes(offset) → readRows: openFile → RecordSplitter (bytes → records) → decoder (→ rows) →
 * UnreadableFileGuard → chunks
 * ```
 *
 * It leaves to others: where the bytes come from (a plain file is best read from the offset on), the validation of
 * records, and what becomes of rows.
 */
import type { RecordKind } from '../domain/identity';
import { FILE_CHUNK_BYTES, FILE_CHUNK_ROWS } from '../limits/transfers';
import { EventLoopShare } from '../platform/async/event-loop-share';
import { ArrayBoundary } from './boundaries/array-boundary';
import { CsvBoundary } from './boundaries/csv-boundary';
import { CsvDecoder } from './csv/csv-decoder';
import { DamagedFile } from './damaged-file';
import type { FileFormat } from './file-kind';
import { JsonDecoder } from './json-decoder';
import { LineAccount } from './line-account';
import { LineBoundary } from './boundaries/line-boundary';
import { openFile } from './open-file';
import { PeekableBytes } from './peekable-bytes';
import { UnreadableFileGuard } from './unreadable-file-guard';
import type { RecordDecoder } from './record-decoder';
import type { RawRecord } from './record-splitter';
import { isBlankRecord, RecordSplitter } from './record-splitter';
import { RowChunker } from './row-chunker';
import type { Checkpoint, RowChunk, DecodedRecord } from './row';
import { FILE_START } from './row';

export interface ReadOptions {
  readonly kind: RecordKind;
  readonly format: FileFormat;
  /** Where to begin; the first byte given is the one at its offset. Default: the file's start. */
  readonly from?: Checkpoint;
  /** Most rows of a chunk. Default: FILE_CHUNK_ROWS. */
  readonly maxRows?: number;
  /** A chunk ends with the record that reaches this many bytes. Default: FILE_CHUNK_BYTES. */
  readonly maxBytes?: number;
}

/**
 * Reads the inflated bytes of a file from `from` on. It yields the same rows with the same lines wherever the pieces of
 * `bytes` end, and whichever resume points it went on from. Its clean end is the end of the file; a chunk with its last
 * rows, if there are any, comes before.
 *
 * A bad row never stops it, unless nothing of the file can be read. A group of CSV rows that damage or an error cuts
 * off is not yielded. Where there are no rows, a chunk without any comes every FILE_EMPTY_CHUNK_FACTOR × `maxBytes`.
 * @throws DamagedFile, and errors of `bytes` as they are; the rows before them are yielded first
 */
export async function* readRows(
  bytes: AsyncIterable<Buffer>,
  options: ReadOptions,
): AsyncGenerator<RowChunk, void, undefined> {
  const { kind, format, from = FILE_START, maxRows = FILE_CHUNK_ROWS, maxBytes = FILE_CHUNK_BYTES } = options;
  if (from.damage !== undefined) throw new DamagedFile(from.damage);
  const source = new PeekableBytes(bytes);
  const chunker = new RowChunker(from, maxRows, maxBytes);
  const readable = new UnreadableFileGuard(from, kind, format);
  const share = new EventLoopShare();
  try {
    const start = await openFile(source, format, from);
    const { splitter, decoder } = readerAt(start, kind);
    const account = new LineAccount(start);
    const chunksOf = (steps: readonly DecodedRecord[]) => chunker.feed(readable.filter(account.addDecoded(steps)));
    const decode = (record: RawRecord) => {
      const steps = decoder.decode(record);
      if (steps.length === 0 && isBlankRecord(record)) account.addBlankRecord(record); // a piece's edge is in it, or the end
      return steps;
    };
    for await (const piece of source.rest()) {
      // No `yield*` for each record: in an async generator every one of them waits, also when it yields nothing.
      for (const record of splitter.split(piece)) {
        for (const chunk of chunksOf(decode(record))) yield chunk;
        if (share.isUsedUp) await share.renew();
      }
      const { position } = splitter;
      if (position) for (const chunk of chunksOf(decoder.advanceTo(position))) yield chunk;
    }
    for (const record of splitter.end()) yield* chunksOf(decode(record));
    yield* chunksOf(decoder.end());
    account.requireComplete(splitter.lineCounts);
    readable.requireReadable();
  } catch (error) {
    if (error instanceof DamagedFile) yield* chunker.feed(readable.release());
    yield* chunker.flush();
    throw error;
  } finally {
    await source.close();
  }
  yield* chunker.flush();
}

function readerAt(start: Checkpoint, kind: RecordKind): { splitter: RecordSplitter; decoder: RecordDecoder } {
  const { form } = start;
  switch (form.of) {
    case 'lines':
      return {
        splitter: new RecordSplitter(new LineBoundary(start.isAfterReturn), start),
        decoder: new JsonDecoder('lines'),
      };
    case 'array':
      return { splitter: new RecordSplitter(new ArrayBoundary(form.next), start), decoder: new JsonDecoder('array') };
    case 'start': // of CSV: openFile tells JSON's form
    case 'csv':
      return {
        splitter: new RecordSplitter(new CsvBoundary(start.isAfterReturn), start),
        decoder: new CsvDecoder(kind, form),
      };
  }
}
