/** The bad rows of a run as a tenant gets them: elements of a JSON list, and the lines of the streamed forms. */
import type { BadRowReport } from '../../shared/transfers/runs/report';

/** A bad row of a file (D-52). It tells where the row is and what is wrong, and repeats no rejected value. */
export interface RowErrorDto {
  readonly Object: string;
  readonly Generation: string;
  readonly Line: number;
  readonly Errors: BadRowReport['messages'];
  /** How many messages were left out; absent: none. */
  readonly OmittedErrors?: number;
}

export function toErrorDto({ object, generation, line, messages, omittedErrors }: BadRowReport): RowErrorDto {
  return {
    Object: object,
    Generation: generation,
    Line: line,
    Errors: messages,
    ...(omittedErrors !== undefined && { OmittedErrors: omittedErrors }),
  };
}

/** The errors as NDJSON: a piece is the line of one row. */
export async function* toNdjson(rows: AsyncIterable<BadRowReport>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(toErrorDto(row))}\n`;
}

const CSV_HEADER = 'object,line,path,message\r\n';

/**
 * The errors as CSV (RFC 4180): a line for each message, and one that says how many messages were left out. A piece is
 * the lines of one row. The header comes with the first row, so that a failure before it comes before all.
 */
export async function* toCsv(rows: AsyncIterable<BadRowReport>): AsyncGenerator<string> {
  let header = CSV_HEADER;
  for await (const row of rows) {
    yield header + toCsvLines(row);
    header = '';
  }
  if (header !== '') yield header;
}

function toCsvLines({ object, line, messages, omittedErrors = 0 }: BadRowReport): string {
  const errors = Object.entries(messages).flatMap(([path, texts]) => texts.map((text) => [path, text] as const));
  if (omittedErrors > 0) errors.push(['', `Messages that are left out: ${omittedErrors}.`]);
  const start = `${toCell(object)},${line}`;
  return errors.map(([path, text]) => `${start},${toCell(path)},${toCell(text)}\r\n`).join('');
}

/** What a spreadsheet takes for the beginning of a formula, also in its full width, or leaves out before one. */
const FORMULA_STARTS = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n', '\0', '\uFEFF'];

/** Quoted where CSV needs it, and where a spreadsheet may have another separator of cells than the comma. */
const QUOTED = /[",;\t\r\n]/;

/** A cell of CSV. One that a spreadsheet would run as a formula gets an apostrophe first, which makes it a text. */
function toCell(text: string): string {
  const safe = FORMULA_STARTS.includes(text.charAt(0)) ? `'${text}` : text;
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
