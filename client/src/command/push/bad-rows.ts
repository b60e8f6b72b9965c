/** The file of rejected rows: as they were, with their messages beside them, ready to be mended and pushed (R-150). */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { CsvHeader } from '../../../../shared/files/csv/csv-header';
import type { FileFormat } from '../../../../shared/files/file-kind';
import { CODE } from '../../../../shared/platform/ascii';
import type { Separator } from '../../../../shared/files/csv/csv-dialect';
import type { ValidationErrors } from '../../../../shared/validation/validation-failed';
import { CommandError } from '../command-error';
import { ERRORS_FIELD } from '../input/operations';
import type { SourceRow } from '../input/source-rows';
import { describe } from '../output/format';

const NEWLINE = Buffer.from('\n');
const NO_HEADER: CsvHeader = { columns: [], separator: ',' };

/** Beside the file, under a name that nothing has yet: an earlier one may be half mended. */
export function badRowsPath(file: string, format: FileFormat): string {
  const extension = format === 'csv' ? 'csv' : 'ndjson';
  const stem = basename(file)
    .replace(/(\.(csv|ndjson|jsonl|json|avro|parquet))?(\.(gz|zip))?$/i, '')
    .replace(/\.bad(-\d+)?$/, '');
  for (let number = 1; ; number += 1) {
    const path = join(dirname(file), `${stem}.bad${number === 1 ? '' : `-${number}`}.${extension}`);
    if (!existsSync(path)) return path;
  }
}

export class BadRows {
  private descriptor: number | undefined;
  private written = 0;

  /**
   * What is there already is cut.
   * @param acknowledgedBytes what an interrupted push had acknowledged of the file: that stays
   */
  constructor(
    private readonly path: string,
    private readonly format: FileFormat,
    acknowledgedBytes = 0,
  ) {
    const isThere = existsSync(path) && statSync(path).size >= acknowledgedBytes;
    if (acknowledgedBytes === 0 || !isThere) {
      rmSync(path, { force: true });
      return;
    }
    truncateSync(path, acknowledgedBytes);
    this.descriptor = openSync(path, 'a');
    this.written = acknowledgedBytes;
  }

  /** How much of the file is written; without a byte there is no file. */
  get progress(): { readonly file: string; readonly bytes: number } {
    return { file: this.path, bytes: this.written };
  }

  /** Appends a row. @throws CommandError when the file cannot be written */
  add(row: SourceRow, messages: ValidationErrors): void {
    const { form } = row.checkpoint;
    const header = form.of === 'csv' ? { columns: form.columns, separator: form.separator ?? ',' } : NO_HEADER;
    try {
      this.descriptor ??= this.open(header);
      const lines = row.lines.filter((line) => line !== null);
      const text = this.format === 'csv' ? toCsv(lines, header, messages) : toNdjson(lines, messages);
      this.written += writeSync(this.descriptor, text);
    } catch (error) {
      throw new CommandError(`The rejected rows cannot be written to ${this.path}: ${(error as Error).message}`);
    }
  }

  /** Makes sure that a crash of the machine does not lose what was added. */
  flush(): void {
    if (this.descriptor !== undefined) fsyncSync(this.descriptor);
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
  }

  private open({ columns, separator }: CsvHeader): number {
    const descriptor = openSync(this.path, 'w', 0o600);
    if (this.format === 'csv') {
      const others = columns.filter((name) => name !== ERRORS_FIELD).map((name) => quote(name, separator));
      this.written = writeSync(descriptor, `${[ERRORS_FIELD, ...others].join(separator)}\n`);
    }
    return descriptor;
  }
}

/** The lines of a row, with a cell in front: that of the first line has the messages. */
function toCsv(lines: readonly Buffer[], { columns, separator }: CsvHeader, messages: ValidationErrors): Buffer {
  const hasCell = columns[0] === ERRORS_FIELD;
  return Buffer.concat(
    lines.flatMap((line, index) => {
      const cell = index === 0 ? quote(describe(messages), separator) : '';
      return [Buffer.from(cell + separator), hasCell ? withoutFirstCell(line, separator) : line, NEWLINE];
    }),
  );
}

function quote(text: string, separator: Separator): string {
  return /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The row from the cell after its first one on. */
function withoutFirstCell(row: Buffer, separator: Separator): Buffer {
  const end = separator.charCodeAt(0);
  let index = 0;
  for (let isQuoted = false; index < row.length && (isQuoted || row[index] !== end); index += 1) {
    if (row[index] === CODE.quote) isQuoted = !isQuoted;
  }
  return row.subarray(index + 1);
}

/**
 * An object gets a first member with the messages. Whatever is none stays as it is, and the messages are in a line
 * before it, which a push skips.
 */
function toNdjson(lines: readonly Buffer[], messages: ValidationErrors): Buffer {
  const errors = JSON.stringify({ [ERRORS_FIELD]: messages });
  // Between tokens a line break is white space, and inside a text it is no JSON.
  const isBreak = (byte: number) => byte === CODE.newline || byte === CODE.carriageReturn;
  const line = Buffer.from(Buffer.concat(lines).map((byte) => (isBreak(byte) ? CODE.space : byte)));
  const fields = parseObject(line);
  if (!fields || Object.keys(fields).every((name) => name === ERRORS_FIELD)) {
    return Buffer.concat([Buffer.from(errors), NEWLINE, line, NEWLINE]);
  }
  const earlier = Buffer.from(`{${JSON.stringify(ERRORS_FIELD)}:${JSON.stringify(fields[ERRORS_FIELD])},`);
  const hasEarlier = earlier.equals(line.subarray(0, earlier.length)); // as it was written here
  if (ERRORS_FIELD in fields && !hasEarlier) {
    return Buffer.from(`${JSON.stringify({ ...fields, [ERRORS_FIELD]: messages })}\n`);
  }
  const rest = line.subarray(hasEarlier ? earlier.length : line.indexOf('{') + 1);
  return Buffer.concat([Buffer.from(`${errors.slice(0, -1)},`), rest, NEWLINE]);
}

function parseObject(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
