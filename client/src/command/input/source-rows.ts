/** Reads a file by the decoders of transfers, and keeps of each row how it stands in the file. */
import type { RecordKind } from '../../../../shared/domain/identity';
import type { ValidationErrors } from '../../../../shared/validation/validation-failed';
import type { FileFormat } from '../../../../shared/files/file-kind';
import type { StoredBytes } from '../../../../shared/files/packing/unzip';
import type { SourceRecord } from '../../../../shared/files/read-rows';
import { readRows } from '../../../../shared/files/read-rows';
import { isBlankRecord } from '../../../../shared/files/record-splitter';
import type { Checkpoint, Row } from '../../../../shared/files/row';
import { FILE_START } from '../../../../shared/files/row';

/** A row with its place in the file. It has a record, or messages why it has none. */
export interface SourceRow {
  readonly line: number;
  readonly record?: unknown;
  readonly messages?: ValidationErrors;
  /** Its lines as they are. Null: the line is too long to be kept. */
  readonly lines: readonly (Buffer | null)[];
  /** It belongs to the refused row before it, and counts with that. */
  readonly isContinuation: boolean;
  /** Where reading goes on after it. */
  readonly checkpoint: Checkpoint;
}

export interface SourceOptions {
  readonly kind: RecordKind;
  readonly format: FileFormat;
  /** Where to begin; by default at the start. The content begins there, too. */
  readonly from?: Checkpoint | undefined;
  /** Whether consecutive CSV rows of one product or order form one record. */
  readonly groupsRows: boolean;
}

const CONTINUATION = 'The row belongs to the one before it, which is refused with all its rows.';

/**
 * The rows of a file, one by one. It needs constant memory.
 * @param content inflated; of Parquet the file
 * @throws DamagedFile where nothing after the last row can be read
 */
export async function* readSource(
  content: AsyncIterable<Buffer> | StoredBytes,
  { kind, format, from = FILE_START, groupsRows }: SourceOptions,
): AsyncGenerator<SourceRow, void, undefined> {
  const lines = new RawLines(format === 'csv' && from.form.of === 'start');
  const options = { kind, format, from, groupsRows, maxRows: 1, onRecord: (record: SourceRecord) => lines.add(record) };
  let checkpoint: Checkpoint = from;
  const continuations = (before: number) => lines.takeBefore(before).map((line) => toContinuation(line, checkpoint));
  for await (const chunk of readRows(content, options)) {
    const [row] = chunk.rows;
    // Lines before a checkpoint have become rows, are held back as unreadable, or belong to a refused row.
    const before = row?.line ?? (chunk.checkpoint.unreadable ? 0 : chunk.checkpoint.line);
    yield* continuations(before);
    checkpoint = chunk.checkpoint;
    if (row) yield { ...toContent(row), ...lines.takeRow(row), checkpoint, isContinuation: false };
  }
  yield* continuations(Number.POSITIVE_INFINITY);
}

function toContent(row: Row): Pick<SourceRow, 'line' | 'record' | 'messages'> {
  const { line } = row;
  return 'messages' in row ? { line, messages: row.messages } : { line, record: row.record };
}

function toContinuation({ line, bytes }: SourceRecord, checkpoint: Checkpoint): SourceRow {
  return { line, messages: { '': [CONTINUATION] }, lines: [bytes ?? null], isContinuation: true, checkpoint };
}

/** Lines, or elements, that have been read and are of no row yet. */
class RawLines {
  private waiting: SourceRecord[] = [];

  constructor(private isHeaderNext: boolean) {}

  add(record: SourceRecord): void {
    if (isBlankRecord(record)) return;
    if (!this.isHeaderNext) this.waiting.push(record);
    this.isHeaderNext = false;
  }

  /** Takes those before a line. */
  takeBefore(line: number): readonly SourceRecord[] {
    const end = this.waiting.findIndex((record) => record.line >= line);
    return this.waiting.splice(0, end === -1 ? this.waiting.length : end);
  }

  /** Takes those of a row. Each is copied: a slice would keep the whole piece of the file in memory. */
  takeRow({ line, lastLine = line }: Row): Pick<SourceRow, 'lines'> {
    return { lines: this.takeBefore(lastLine + 1).map(({ bytes }) => (bytes ? Buffer.from(bytes) : null)) };
  }
}
