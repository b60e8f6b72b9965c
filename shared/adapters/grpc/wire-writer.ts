/** How a field's value is laid out in Protocol Buffers. */
export const WireType = { varint: 0, fixed64: 1, lengthDelimited: 2, fixed32: 5 } as const;

const FIRST_CAPACITY = 1024;
const MAX_VARINT_BYTES = 10;
/** Characters of a text that is written here, and bytes whose number takes one byte. */
const SHORT = 127;

/**
 * Writes a message of Protocol Buffers in one pass: field after field, into bytes that grow. What is written between
 * `open` and `close` is a message inside it. Every field is written, whatever its value.
 */
export class WireWriter {
  private bytes = Buffer.allocUnsafe(FIRST_CAPACITY);
  private end = 0;

  /** Bytes written so far. */
  get length(): number {
    return this.end;
  }

  /** Makes room for a message of this many bytes at once, where they are known better than by doubling. */
  ensureCapacity(length: number): void {
    if (length > this.bytes.length) this.grow(length);
  }

  /** What was written. The writer is done with. */
  finish(): Buffer {
    return this.bytes.subarray(0, this.end);
  }

  /** Begins a field that is a message. @returns what `close` takes. */
  open(field: number): number {
    this.reserve(MAX_VARINT_BYTES + 1);
    this.tag(field, WireType.lengthDelimited);
    this.end += 1; // for the length, which is mostly below 128
    return this.end;
  }

  /**
   * Ends the message that began at `start`: its length is known now, and moves it up when it takes more than a byte.
   */
  close(start: number): void {
    const length = this.end - start;
    if (length <= SHORT) {
      this.bytes[start - 1] = length;
      return;
    }
    const more = varintBytes(length) - 1;
    this.reserve(more);
    this.bytes.copyWithin(start + more, start, this.end);
    this.end = start - 1;
    this.varint(length);
    this.end += length;
  }

  text(field: number, text: string): void {
    this.reserve(MAX_VARINT_BYTES + 1 + SHORT);
    this.tag(field, WireType.lengthDelimited);
    if (text.length <= SHORT && this.shortAscii(text)) return;
    const length = Buffer.byteLength(text);
    this.reserve(MAX_VARINT_BYTES + length);
    this.varint(length);
    this.end += this.bytes.write(text, this.end);
  }

  raw(field: number, bytes: Uint8Array): void {
    this.reserve(2 * MAX_VARINT_BYTES + bytes.length);
    this.tag(field, WireType.lengthDelimited);
    this.varint(bytes.length);
    this.bytes.set(bytes, this.end);
    this.end += bytes.length;
  }

  /** An int32, int64 or enum. `value` is a safe integer. */
  integer(field: number, value: number): void {
    this.reserve(2 * MAX_VARINT_BYTES);
    this.tag(field, WireType.varint);
    this.varint(value);
  }

  boolean(field: number, value: boolean): void {
    this.integer(field, value ? 1 : 0);
  }

  double(field: number, value: number): void {
    this.reserve(MAX_VARINT_BYTES + 8);
    this.tag(field, WireType.fixed64);
    this.end = this.bytes.writeDoubleLE(value, this.end);
  }

  /** Most texts are names and short: for them the way into native code is longer than the work. */
  private shortAscii(text: string): boolean {
    const { bytes, end } = this;
    const { length } = text;
    for (let position = 0; position < length; position += 1) {
      const code = text.charCodeAt(position);
      if (code > 0x7f) return false;
      bytes[end + 1 + position] = code;
    }
    bytes[end] = length;
    this.end = end + 1 + length;
    return true;
  }

  private tag(field: number, type: number): void {
    this.varint(field * 8 + type);
  }

  /** Seven bits a byte, the low ones first; a negative number as its two's complement of 64 bits. */
  private varint(value: number): void {
    if (value >= 0 && value <= SHORT) {
      this.bytes[this.end++] = value;
      return;
    }
    let low = value >>> 0;
    let high = Math.floor(value / 2 ** 32) >>> 0;
    while (high > 0 || low > 0x7f) {
      this.bytes[this.end++] = (low & 0x7f) | 0x80;
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    this.bytes[this.end++] = low;
  }

  private reserve(size: number): void {
    if (this.end + size > this.bytes.length) this.grow(2 * (this.end + size));
  }

  private grow(capacity: number): void {
    const larger = Buffer.allocUnsafe(capacity);
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
  }
}

function varintBytes(length: number): number {
  let bytes = 1;
  for (let rest = length; rest > 0x7f; rest = Math.floor(rest / 128)) bytes += 1;
  return bytes;
}
