/** UTF-16, as spreadsheets write it: as UTF-8, and how many bytes of the file a part of that takes. */
import { DamagedFile } from './damaged-file';

/** The encoding of a file that is not UTF-8. */
export type TextEncoding = 'utf-16le' | 'utf-16be';

/**
 * Converts UTF-16 to UTF-8. Half of a pair of units becomes bytes that are no UTF-8, so that only its record is bad.
 * @throws DamagedFile at the end, when that is in the middle of a unit
 */
export async function* toUtf8(
  bytes: AsyncIterable<Buffer>,
  encoding: TextEncoding,
): AsyncGenerator<Buffer, void, undefined> {
  let rest = Buffer.alloc(0);
  for await (const piece of bytes) {
    const units = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const end = endOfWholeCharacters(units, encoding);
    rest = Buffer.from(units.subarray(end));
    if (end > 0) yield convert(units.subarray(0, end), encoding);
  }
  if (rest.length % 2 !== 0) throw new DamagedFile('The file ends in the middle of a character.');
  if (rest.length > 0) yield convert(rest, encoding);
}

/** How many bytes of the file a part of its text takes. @param text as UTF-8, from and to ends of characters */
export function fileBytesOf(text: Buffer, from: number, to: number, encoding: TextEncoding | undefined): number {
  if (encoding === undefined) return to - from;
  let bytes = 0;
  for (let index = from; index < to; index += 1) {
    const byte = text[index] ?? 0;
    if (byte >= 0xf0) bytes += 4;
    else if (byte < 0x80 || byte >= 0xc0) bytes += 2; // others continue a character
  }
  return bytes;
}

/** Leaves half a unit, and the first unit of a pair, to what comes next. */
function endOfWholeCharacters(units: Buffer, encoding: TextEncoding): number {
  const end = units.length - (units.length % 2);
  return end > 0 && isFirstOfPair(unitAt(units, end - 2, encoding)) ? end - 2 : end;
}

function convert(units: Buffer, encoding: TextEncoding): Buffer {
  const utf8 = Buffer.alloc((units.length / 2) * 3);
  let length = 0;
  for (let index = 0; index < units.length; index += 2) {
    let code = unitAt(units, index, encoding);
    if (isFirstOfPair(code) && index + 2 < units.length) {
      const second = unitAt(units, index + 2, encoding);
      if (second >= 0xdc00 && second <= 0xdfff) {
        code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
        index += 2;
      }
    }
    if (code < 0x80) utf8[length++] = code;
    else {
      if (code < 0x800) utf8[length++] = 0xc0 | (code >> 6);
      else {
        if (code < 0x10000) utf8[length++] = 0xe0 | (code >> 12);
        else {
          utf8[length++] = 0xf0 | (code >> 18);
          utf8[length++] = 0x80 | ((code >> 12) & 0x3f);
        }
        utf8[length++] = 0x80 | ((code >> 6) & 0x3f);
      }
      utf8[length++] = 0x80 | (code & 0x3f);
    }
  }
  return utf8.subarray(0, length);
}

function unitAt(units: Buffer, index: number, encoding: TextEncoding): number {
  const first = units[index] ?? 0;
  const second = units[index + 1] ?? 0;
  return encoding === 'utf-16le' ? first | (second << 8) : (first << 8) | second;
}

function isFirstOfPair(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
