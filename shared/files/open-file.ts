import { CODE, skipBlanks } from '../platform/ascii';
import { MAX_JSON_LEADING_BLANKS } from '../limits/transfers';
import { DamagedFile } from './damaged-file';
import type { FileFormat } from './file-kind';
import { LineBreaks } from './boundaries/line-breaks';
import type { PeekableBytes } from './peekable-bytes';
import type { Form, Checkpoint } from './row';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** How files begin that are no UTF-8 text. No valid file begins with these bytes. */
const FOREIGN_SIGNATURES: readonly (readonly [signature: Buffer, description: string])[] = [
  [Buffer.from([0xff, 0xfe]), 'UTF-16; it must be UTF-8'],
  [Buffer.from([0xfe, 0xff]), 'UTF-16; it must be UTF-8'],
  [Buffer.from('PK\x03\x04'), 'a ZIP archive, as spreadsheets (.xlsx) are; it must be text'],
  [Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), 'an Office document (.xls); it must be text'],
  [Buffer.from('%PDF-'), 'a PDF document; it must be text'],
  [Buffer.from('PAR1\x15'), 'a Parquet file; it must be text'],
  [Buffer.from('Obj\x01'), 'an Avro file; it must be text'],
  [Buffer.from([0x1f, 0x8b]), 'compressed with gzip; its name must end in .gz, and two layers are the most'],
  [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'compressed with Zstandard; only gzip is read'],
  [Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]), 'compressed with xz; only gzip is read'],
  [Buffer.from('BZh91AY&SY'), 'compressed with bzip2; only gzip is read'],
];
const LONGEST_SIGNATURE = Math.max(...FOREIGN_SIGNATURES.map(([signature]) => signature.length));

/**
 * Skips what comes before the first record, and detects the file's form there. It skips the byte-order mark and, in a
 * JSON file, white space and the array's bracket. A checkpoint further on is returned unchanged.
 * @throws DamagedFile when the first bytes are not those of UTF-8 text, or a JSON file begins with more than a megabyte
 * of white space
 */
export async function openFile(bytes: PeekableBytes, format: FileFormat, from: Checkpoint): Promise<Checkpoint> {
  if (from.form.of !== 'start') return from;
  const start = { ...from, offset: from.offset + (from.offset === 0 ? await skipByteOrderMark(bytes) : 0) };
  if (format === 'json') return openJson(bytes, start);
  return format === 'ndjson' ? { ...start, form: { of: 'lines' } } : start;
}

async function skipByteOrderMark(bytes: PeekableBytes): Promise<number> {
  const head = await bytes.peek(LONGEST_SIGNATURE);
  const beginsWith = (signature: Buffer) => signature.equals(head.subarray(0, signature.length));
  const foreign = FOREIGN_SIGNATURES.find(([signature]) => beginsWith(signature));
  if (foreign) throw new DamagedFile(`The file is ${foreign[1]}.`);
  if (!beginsWith(BYTE_ORDER_MARK)) return 0;
  bytes.drop(BYTE_ORDER_MARK.length);
  return BYTE_ORDER_MARK.length;
}

/** Detects an array, or one record a line, by the first byte that is not white space. */
async function openJson(bytes: PeekableBytes, from: Checkpoint): Promise<Checkpoint> {
  const breaks = new LineBreaks(false);
  let { offset, line } = from;
  for (;;) {
    const head = await bytes.peek(1);
    const blanks = skipBlanks(head, 0);
    const isArray = head[blanks] === CODE.openArray;
    const skipped = isArray ? blanks + 1 : blanks;
    breaks.skipBlankLines(head.subarray(0, blanks), 0);
    line += breaks.skippedLines;
    offset += skipped;
    bytes.drop(skipped);
    if (offset - from.offset > MAX_JSON_LEADING_BLANKS) {
      throw new DamagedFile(`The file begins with more than ${MAX_JSON_LEADING_BLANKS} bytes of white space.`);
    }
    if (isArray) return { offset, line: 1, form: { of: 'array', next: 'first' } satisfies Form };
    if (head.length === 0 || blanks < head.length) return { offset, line, form: { of: 'lines' } satisfies Form };
  }
}
