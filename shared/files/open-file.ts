import { CODE, skipBlanks } from '../platform/ascii';
import { MAX_JSON_LEADING_BLANKS } from '../limits/transfers';
import { DamagedFile } from './damaged-file';
import type { FileFormat } from './file-kind';
import { LineBreaks } from './boundaries/line-breaks';
import { PeekableBytes } from './peekable-bytes';
import type { Form, Checkpoint } from './row';
import type { TextEncoding } from './text-encoding';
import { fileBytesOf, toUtf8 } from './text-encoding';

const BYTE_ORDER_MARKS: readonly (readonly [mark: Buffer, encoding: TextEncoding | undefined])[] = [
  [Buffer.from([0xef, 0xbb, 0xbf]), undefined],
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
];

/** How files begin that are no text. No valid file begins with these bytes. */
const FOREIGN_SIGNATURES: readonly (readonly [signature: Buffer, description: string])[] = [
  [Buffer.from('PK\x03\x04'), 'a ZIP archive, as spreadsheets (.xlsx) are; it must be text'],
  [Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), 'an Office document (.xls); it must be text'],
  [Buffer.from('%PDF-'), 'a PDF document; it must be text'],
  [Buffer.from('PAR1\x15'), 'a Parquet file; its name must end in .parquet'],
  [Buffer.from('Obj\x01'), 'an Avro file; its name must end in .avro'],
  [Buffer.from([0x1f, 0x8b]), 'compressed with gzip; its name must end in .gz, and two layers are the most'],
  [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'compressed with Zstandard; only gzip is read'],
  [Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]), 'compressed with xz; only gzip is read'],
  [Buffer.from('BZh91AY&SY'), 'compressed with bzip2; only gzip is read'],
];
const LONGEST_SIGNATURE = Math.max(...FOREIGN_SIGNATURES.map(([signature]) => signature.length));

export interface OpenedFile {
  /** Where its records begin. */
  readonly start: Checkpoint;
  /** What comes from there on, as UTF-8. */
  readonly text: PeekableBytes;
}

/**
 * Skips what comes before the first record, and detects the file's encoding and form there. It skips the byte-order
 * mark and, in a JSON file, white space and the array's bracket. A checkpoint further on is returned unchanged.
 * @throws DamagedFile when the first bytes are not those of text, or a JSON file begins with more than a megabyte of
 * white space
 */
export async function openFile(bytes: PeekableBytes, format: FileFormat, from: Checkpoint): Promise<OpenedFile> {
  const isAtStart = from.form.of === 'start';
  const start = isAtStart && from.offset === 0 ? await skipByteOrderMark(bytes, from) : from;
  const text = start.encoding ? new PeekableBytes(toUtf8(bytes.rest(), start.encoding)) : bytes;
  if (!isAtStart || format === 'csv') return { start, text };
  return { start: format === 'json' ? await openJson(text, start) : { ...start, form: { of: 'lines' } }, text };
}

async function skipByteOrderMark(bytes: PeekableBytes, from: Checkpoint): Promise<Checkpoint> {
  const head = await bytes.peek(LONGEST_SIGNATURE);
  const beginsWith = (signature: Buffer) => signature.equals(head.subarray(0, signature.length));
  const foreign = FOREIGN_SIGNATURES.find(([signature]) => beginsWith(signature));
  if (foreign) throw new DamagedFile(`The file is ${foreign[1]}.`);
  const [mark, encoding] = BYTE_ORDER_MARKS.find(([bytes]) => beginsWith(bytes)) ?? [];
  if (!mark) return from;
  bytes.drop(mark.length);
  return { ...from, offset: from.offset + mark.length, ...(encoding && { encoding }) };
}

/** Detects an array, or one record a line, by the first byte that is not white space. */
async function openJson(bytes: PeekableBytes, from: Checkpoint): Promise<Checkpoint> {
  const breaks = new LineBreaks(false);
  let { offset, line } = from;
  const encoding = from.encoding && { encoding: from.encoding };
  for (;;) {
    const head = await bytes.peek(1);
    const blanks = skipBlanks(head, 0);
    const isArray = head[blanks] === CODE.openArray;
    const skipped = isArray ? blanks + 1 : blanks;
    breaks.skipBlankLines(head.subarray(0, blanks), 0);
    line += breaks.skippedLines;
    offset += fileBytesOf(head, 0, skipped, from.encoding);
    bytes.drop(skipped);
    if (offset - from.offset > MAX_JSON_LEADING_BLANKS) {
      throw new DamagedFile(`The file begins with more than ${MAX_JSON_LEADING_BLANKS} bytes of white space.`);
    }
    if (isArray) return { offset, line: 1, form: { of: 'array', next: 'first' } satisfies Form, ...encoding };
    if (head.length === 0 || blanks < head.length) {
      return { offset, line, form: { of: 'lines' } satisfies Form, ...encoding };
    }
  }
}
