import { failCorrupt, ThriftCursor } from './thrift-cursor';

/** The bits of a number in bytes whose bits are counted from the lowest of the first one. @param width up to 32 */
export function bitsAt(bytes: Uint8Array, bit: number, width: number): number {
  if (width === 0) return 0;
  const start = Math.floor(bit / 8);
  const end = bit + width;
  if (end > bytes.length * 8) failCorrupt();
  const shift = bit % 8;
  let value = 0;
  for (let index = 0; 8 * index < shift + width; index += 1) value += (bytes[start + index] ?? 0) * 2 ** (8 * index);
  return Math.floor(value / 2 ** shift) % 2 ** width;
}

/** Numbers in runs: one repeated, or some packed side by side. So are levels, indexes and truth values. */
export class RunReader {
  private readonly cursor: ThriftCursor;
  /** Numbers that are left of the current run. */
  private left = 0;
  private value = 0;
  /** The next bit of packed numbers; undefined: the run repeats one. */
  private bit: number | undefined;

  constructor(
    bytes: Buffer,
    private readonly width: number,
  ) {
    if (width > 32) failCorrupt();
    this.cursor = new ThriftCursor(bytes);
  }

  next(): number {
    if (this.width === 0) return 0;
    while (this.left === 0) this.startRun();
    this.left -= 1;
    if (this.bit === undefined) return this.value;
    const value = bitsAt(this.cursor.bytes, this.bit, this.width);
    this.bit += this.width;
    return value;
  }

  private startRun(): void {
    const { cursor, width } = this;
    const head = cursor.varint();
    const count = Math.floor(head / 2);
    if (count === 0) failCorrupt(); // a few bytes could be any number of them
    if (head % 2 === 0) {
      this.left = count;
      this.bit = undefined;
      this.value = cursor.take(Math.ceil(width / 8)).reduceRight((value, byte) => value * 256 + byte, 0);
      return;
    }
    this.left = 8 * count;
    this.bit = 8 * cursor.at;
    // Of the last run writers may leave out what nobody reads.
    cursor.at = Math.min(cursor.at + count * width, cursor.bytes.length);
  }
}

/** Bits of levels, or of indexes, up to a largest one. @example bitWidth(5) // 3 */
export function bitWidth(largest: number): number {
  return 32 - Math.clz32(largest);
}
