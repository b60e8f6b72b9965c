import { WireType } from './wire-writer';

/**
 * Reads a Protocol Buffers message field by field:
 *
 *   while (reader.within(end)) {
 *     if (reader.field() === 1) name = reader.text();
 *     else reader.skip();
 *   }
 *
 * @throws RangeError when the bytes end inside a value.
 */
export class WireReader {
  private position = 0;
  private type = 0;

  constructor(private readonly bytes: Buffer) {}

  /** The position after the whole message. */
  get end(): number {
    return this.bytes.length;
  }

  /** Whether the message that ends at `end` has more fields. */
  hasMore(end: number): boolean {
    return this.position < end;
  }

  /** The number of the next field. Its value must be read, or skipped, next. */
  field(): number {
    const tag = this.integer();
    this.type = tag & 7;
    return tag >>> 3;
  }

  /** Enters a field that is a message. @returns the position after it. */
  message(): number {
    const length = this.integer();
    return this.positionAfter(length);
  }

  text(): string {
    const end = this.message();
    const text = this.bytes.toString('utf8', this.position, end);
    this.position = end;
    return text;
  }

  raw(): Uint8Array {
    const end = this.message();
    const bytes = this.bytes.subarray(this.position, end);
    this.position = end;
    return bytes;
  }

  /** An int32, int64 or enum. Beyond the safe integers it is the nearest number. */
  integer(): number {
    let low = 0;
    let high = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.position++];
      if (byte === undefined || shift > 63) throw new RangeError('The message ends inside a number.');
      const bits = byte & 0x7f;
      if (shift < 32) low |= bits << shift;
      if (shift > 24) high |= shift < 32 ? bits >>> (32 - shift) : bits << (shift - 32);
      if (byte < 0x80) return high * 2 ** 32 + (low >>> 0);
    }
  }

  boolean(): boolean {
    return this.integer() !== 0;
  }

  double(): number {
    const value = this.bytes.readDoubleLE(this.position);
    this.position += 8;
    return value;
  }

  /** Skips the value of a field that the service does not use. */
  skip(): void {
    switch (this.type) {
      case WireType.varint:
        this.integer();
        return;
      case WireType.fixed64:
        this.position = this.positionAfter(8);
        return;
      case WireType.fixed32:
        this.position = this.positionAfter(4);
        return;
      case WireType.lengthDelimited:
        this.position = this.message();
        return;
      default:
        throw new RangeError(`There is no wire type ${this.type}.`);
    }
  }

  /** The position after the next `length` bytes. @throws RangeError when the message is shorter. */
  private positionAfter(length: number): number {
    const end = this.position + length;
    if (length < 0 || end > this.bytes.length) throw new RangeError('The message ends inside a value.');
    return end;
  }
}
