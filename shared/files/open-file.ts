import { CODE, skipBlanks } from '../ascii';
import { DamagedFile } from './damaged-file';
import type { FileFormat } from './file-kind';
import type { PeekableBytes } from './peekable-bytes';
import type { Form, ResumePoint } from './row';

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/**
 * Passes over what comes before the first record (byte-order mark; in JSON white space and the array's bracket) and
 * tells the file's form there. A place further on is returned as it is.
 * @throws DamagedFile when the file is UTF-16
 */
export async function openFile(bytes: PeekableBytes, format: FileFormat, from: ResumePoint): Promise<ResumePoint> {
  if (from.form.of !== 'start') return from;
  const start = { ...from, offset: from.offset + (from.offset === 0 ? await passByteOrderMark(bytes) : 0) };
  if (format === 'json') return openJson(bytes, start);
  return format === 'ndjson' ? { ...start, form: { of: 'lines' } } : start;
}

async function passByteOrderMark(bytes: PeekableBytes): Promise<number> {
  const head = await bytes.peek(UTF8_MARK.length);
  if (UTF16_MARKS.some((mark) => mark.equals(head.subarray(0, mark.length)))) {
    throw new DamagedFile('The file is UTF-16; it must be UTF-8.');
  }
  if (!UTF8_MARK.equals(head.subarray(0, UTF8_MARK.length))) return 0;
  bytes.drop(UTF8_MARK.length);
  return UTF8_MARK.length;
}

/** An array or one record a line, by the first byte that is not blank. */
async function openJson(bytes: PeekableBytes, from: ResumePoint): Promise<ResumePoint> {
  let { offset, line } = from;
  for (;;) {
    const head = await bytes.peek(1);
    const blanks = skipBlanks(head, 0);
    const isArray = head[blanks] === CODE.openArray;
    const passed = isArray ? blanks + 1 : blanks;
    line += countNewlines(head.subarray(0, blanks));
    offset += passed;
    bytes.drop(passed);
    if (isArray) return { offset, line: 1, form: { of: 'array', next: 'first' } satisfies Form };
    if (head.length === 0 || blanks < head.length) return { offset, line, form: { of: 'lines' } satisfies Form };
  }
}

function countNewlines(bytes: Buffer): number {
  return bytes.reduce((count, byte) => (byte === CODE.newline ? count + 1 : count), 0);
}
