/**
 * Files of customers as tenants write them, and worse ones: line ends of all kinds, blank lines, rows and headers that
 * cannot be read, and content that is no text. Each comes with what a reader that loses nothing makes of it.
 */
import { isUtf8 } from 'node:buffer';
import type { FileFormat } from '../../../shared/files/file-kind';
import type { SeededRandom } from '../../support/seeded-random';

export interface DrawnFile {
  readonly format: FileFormat;
  readonly content: Buffer;
  readonly expected: Outcome;
}

/** What becomes of a file. */
export interface Outcome {
  /** `<line> <customer id>` or `<line> bad`, in their order; lines of an array are positions. */
  readonly rows: readonly string[];
  /** Whether it fails as a whole, or cannot be read to its end. */
  readonly isDamaged: boolean;
}

export const BAD = 'bad';

/** A text between two line ends. */
interface Line {
  readonly text: string | Buffer;
  /** Lines that it takes: a quoted cell may hold line ends. */
  readonly lines: number;
  /** The id of its customer, BAD, or undefined: it is no row. */
  readonly row: string | undefined;
}

const MOST_LINES = 14;
const NO_DAMAGE = { isDamaged: false };

/** `Émile` in Latin-1: no UTF-8. */
const inLatin1 = (text: string) => Buffer.from(text, 'latin1');

const toJson = (id: string) => `{"CustomerId":"${id}","Name":"Émile"}`;
const JUNK_IN_JSON: readonly (string | Buffer)[] = [
  'oops',
  '{"CustomerId":',
  '{"CustomerId":"x"} {}',
  'CustomerId;Name',
  inLatin1('{"CustomerId":"x","Name":"Émile"}'),
];

type Separator = ',' | ';' | '\t';
const CSV_ROWS: readonly ((id: string, separator: Separator) => Pick<Line, 'text' | 'lines'>)[] = [
  (id, separator) => ({ text: `${id}${separator}Émile`, lines: 1 }),
  (id, separator) => ({ text: `"${id}"${separator}""`, lines: 1 }),
  (id, separator) => ({ text: `${id}${separator}"say ""hello"", ;\tand go"`, lines: 1 }),
  (id, separator) => ({ text: `${id}${separator}"one\r\ntwo\nthree\rfour 😀"`, lines: 4 }),
];
const junkInCsv = (separator: Separator): readonly (string | Buffer)[] => [
  ...['x', 'x,y,z', 'x,a"b', 'x,"a"b'].map((text) => text.replaceAll(',', separator)),
  separator === ';' ? 'x,y' : 'x;y',
  inLatin1('x,Émile'),
];
const headers = (separator: Separator) =>
  ['CustomerId,Name', ' CustomerId , Name ', 'CustomerId,Colour', 'CUSTOMERID,"na,;me"'].map((text) =>
    text.replace(',', separator),
  );
/** None of them names what tells a customer. */
const HEADERS_OF_NOTHING = [
  'foo,bar',
  'CustomerNumber,name',
  'Kundennummer;Name',
  'CustomerId|Name',
  'x',
  '{"CustomerId":"x"}',
  inLatin1('É,È'),
];

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Draws a file of customers. */
export function drawFile(random: SeededRandom): DrawnFile {
  const format = oneOf<FileFormat>(random, ['ndjson', 'json', 'csv']);
  if (isDrawn(random, 0.05)) return { format, content: drawNoText(random), expected: { rows: [], isDamaged: true } };
  const drawn = format === 'csv' ? drawCsv(random) : isDrawn(random, 0.5) && format === 'json' ? drawArray(random) : drawLines(random); // prettier-ignore
  const { content, expected } = drawn;
  if (isUtf8(content) && isDrawn(random, 0.2)) return { format, content: inUtf16(random, content), expected };
  return { format, content: isDrawn(random, 0.2) ? Buffer.concat([UTF8_MARK, content]) : content, expected };
}

type Drawn = Omit<DrawnFile, 'format'>;

/** As spreadsheets write it, with its byte-order mark. */
function inUtf16(random: SeededRandom, content: Buffer): Buffer {
  const littleEndian = Buffer.from(`\ufeff${content.toString()}`, 'utf16le');
  return isDrawn(random, 0.5) ? littleEndian : littleEndian.swap16();
}

function drawLines(random: SeededRandom): Drawn {
  const lines = drawRows(random, (id) => ({ text: toJson(id), lines: 1 }), JUNK_IN_JSON);
  return { content: withLineEnds(random, lines), expected: failingAsAWhole(rowsOf(lines, 1)) };
}

function drawCsv(random: SeededRandom): Drawn {
  const separator = oneOf<Separator>(random, [',', ',', ';', '\t']);
  const drawn = drawRows(random, (id) => oneOf(random, CSV_ROWS)(id, separator), junkInCsv(separator));
  // A row of tabs is no blank line where tabs separate cells.
  const rows = separator === '\t' ? drawn.filter(({ text }) => text !== '\t ') : drawn;
  const blanks = Array.from({ length: below(random, 3) }, () => blank(random));
  const isOfNothing = isDrawn(random, 0.1);
  const header: Line = {
    text: oneOf(random, isOfNothing ? HEADERS_OF_NOTHING : headers(separator)),
    lines: 1,
    row: undefined,
  };
  const content = withLineEnds(random, [...blanks, header, ...rows]);
  const expected = failingAsAWhole(rowsOf(rows, blanks.length + 2));
  return { content, expected: isOfNothing ? { rows: [], isDamaged: true } : expected };
}

function drawArray(random: SeededRandom): Drawn {
  const elements = drawRows(random, (id) => ({ text: toJson(id), lines: 1 }), JUNK_IN_JSON.slice(0, 1)).filter(
    ({ row }) => row !== undefined,
  );
  const space = () => Buffer.from(oneOf(random, ['', ' ', '\n', '\r\n', '\r', '\t\n ']));
  const texts = elements.flatMap(({ text }, index) => [
    Buffer.from(index === 0 ? '' : ','),
    space(),
    Buffer.from(text as string),
    space(),
  ]);
  const isClosed = elements.length === 0 || isDrawn(random, 0.9);
  const end = isClosed ? [Buffer.from(']'), space()] : [];
  const { rows, isDamaged } = failingAsAWhole(rowsOf(elements, 1));
  // What was seen before the damage is let out, bad as it may be.
  const expected = isClosed ? { rows, isDamaged } : { rows: rowsOf(elements, 1), isDamaged: true };
  return { content: Buffer.concat([space(), Buffer.from('['), ...texts, ...end]), expected };
}

/** Bytes that are no text, or another one. */
function drawNoText(random: SeededRandom): Buffer {
  const noise = random.bytes(1 + below(random, 300)).map((byte) => byte | 0x80);
  return oneOf(random, [
    () => Buffer.from(`\ufeff${toJson('c1')}`, 'utf16le').subarray(0, -1),
    () => Buffer.concat([Buffer.from('PK\x03\x04'), noise]),
    () => Buffer.concat([Buffer.from('%PDF-1.7\n'), noise]),
    () => Buffer.concat([noise, Buffer.from('\n'), noise]),
  ])();
}

function drawRows(
  random: SeededRandom,
  toRow: (id: string) => Pick<Line, 'text' | 'lines'>,
  junk: readonly (string | Buffer)[],
): Line[] {
  const badness = oneOf(random, [0, 0, 0.2, 1]);
  return Array.from({ length: below(random, MOST_LINES) }, (_, number): Line => {
    if (isDrawn(random, 0.2)) return blank(random);
    if (isDrawn(random, badness)) return { text: oneOf(random, junk), lines: 1, row: BAD };
    return { ...toRow(`c${number}`), row: `c${number}` };
  });
}

function blank(random: SeededRandom): Line {
  return { text: oneOf(random, ['', ' ', '\t ']), lines: 1, row: undefined };
}

/** The lines, each with an end of any kind; the last one may have none. */
function withLineEnds(random: SeededRandom, lines: readonly Line[]): Buffer {
  const pieces: Buffer[] = [];
  let end = '';
  for (const [index, { text }] of lines.entries()) {
    // An empty line that ends in LF, after a line that ends in CR, would be the second half of its end.
    const ends = text.length === 0 && end === '\r' ? ['\r'] : ['\n', '\r', '\r\n'];
    end = index === lines.length - 1 && isDrawn(random, 0.3) ? '' : oneOf(random, ends);
    pieces.push(Buffer.from(text as string), Buffer.from(end));
  }
  return Buffer.concat(pieces);
}

function rowsOf(lines: readonly Line[], first: number): string[] {
  let next = first;
  return lines.flatMap(({ lines: count, row }) => {
    const line = next;
    next += count;
    return row === undefined ? [] : [`${line} ${row}`];
  });
}

/** A file of which no row can be read fails, without an error for each. */
function failingAsAWhole(rows: readonly string[]): Outcome {
  const isUnreadable = rows.length > 0 && rows.every(isBad);
  return isUnreadable ? { rows: [], isDamaged: true } : { rows, ...NO_DAMAGE };
}

/** Whether a row of an outcome is a bad one. */
export function isBad(row: string): boolean {
  return row.endsWith(` ${BAD}`);
}

function below(random: SeededRandom, bound: number): number {
  return Math.floor(random.fraction() * bound);
}

function isDrawn(random: SeededRandom, chance: number): boolean {
  return random.fraction() < chance;
}

function oneOf<T>(random: SeededRandom, all: readonly T[]): T {
  return all[below(random, all.length)]!;
}
