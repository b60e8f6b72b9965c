/** The wire types of Protocol Buffers, by which a field's value is encoded. */
export const WireType = { varint: 0, fixed64: 1, lengthDelimited: 2, fixed32: 5 } as const;

const FIRST_CAPACITY = 1024;
const MAX_VARINT_BYTES = 10;
/** The largest number that a varint of one byte holds. */
const MAX_ONE_BYTE = 127;

/**
 * Writes a Protocol Buffers message in one pass, field by field, into a buffer that grows. Fields between `open` and
 * `close` form a nested message. Every field is written, also one with a default value.
 */
export class WireWriter {
  private bytes = Buffer.allocUnsafe(FIRST_CAPACITY);
  private end = 0;

  /** Bytes written so far. */
  get length(): number {
    return this.end;
  }

  /** Grows the buffer at once for a message of an expected length, instead of by doubling. */
  ensureCapacity(length: number): void {
    if (length > this.bytes.length) this.grow(length);
  }

  /** The message. The writer must not be used any more. */
  finish(): Buffer {
    return this.bytes.subarray(0, this.end);
  }

  /** Begins a field that is a message. @returns the start to pass to `close`. */
  open(field: number): number {
    this.reserve(MAX_VARINT_BYTES + 1);
    this.tag(field, WireType.lengthDelimited);
    this.end += 1; // one byte for the length, which is mostly below 128
    return this.end;
  }

  /** Ends the message that began at `start`. If its length takes more than one byte, the message is moved. */
  close(start: number): void {
    const length = this.end - start;
    if (length <= MAX_ONE_BYTE) {
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
    this.reserve(MAX_VARINT_BYTES + 1 + MAX_ONE_BYTE);
    this.tag(field, WireType.lengthDelimited);
    if (text.length <= MAX_ONE_BYTE && this.shortAscii(text)) return;
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

  /**
   * Writes a short text; false if it is not ASCII. Most texts are short names, and for them the call into native code
   * takes longer than the work.
   */
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

  /** Seven bits per byte, the low ones first. A negative number is written as its 64-bit two's complement. */
  private varint(value: number): void {
    if (value >= 0 && value <= MAX_ONE_BYTE) {
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
