import { isUtf8 } from 'node:buffer';
import { MAX_FILE_RECORD_VALUES } from '../../limits/transfers';
import { DamagedFile } from '../damaged-file';

export const CORRUPT_AVRO = 'The Avro file is corrupt. Write the file again, and upload it.';

/** Reads binary Avro from bytes in memory. @throws DamagedFile where they end too early, or say what cannot be */
export class AvroCursor {
  /** The next byte. */
  at = 0;
  /** Why the current record is refused; it is read to its end all the same. */
  problem: string | undefined;
  private readonly view: DataView;
  private values = 0;

  constructor(private readonly bytes: Buffer) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  /** Values of the current record so far, also those that are null. */
  get recordValues(): number {
    return this.values;
  }

  startRecord(): void {
    this.values = 0;
    this.problem = undefined;
  }

  /** Counts a value, also one that is null: a few bytes can be very many of these. */
  countValue(): void {
    this.values += 1;
    if (this.values > MAX_FILE_RECORD_VALUES) {
      throw new DamagedFile(
        `A record of the Avro file has more than ${MAX_FILE_RECORD_VALUES} values. Split the record.`,
      );
    }
  }

  take(length: number): Buffer {
    if (length < 0 || length > this.bytes.length - this.at) throw new DamagedFile(CORRUPT_AVRO);
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  /** Text in UTF-8; otherwise the record is refused. */
  text(): string {
    const bytes = this.take(this.count());
    if (isUtf8(bytes)) return bytes.toString();
    this.problem ??= 'The record is not valid UTF-8.';
    return '';
  }

  float(): number {
    return this.view.getFloat32(this.skip(4), true);
  }

  double(): number {
    return this.view.getFloat64(this.skip(8), true);
  }

  /** Zigzag, of up to 64 bits. Exact as far as numbers are; `bigLong` always is. */
  long(): number {
    let low = 0;
    // 28 bits fit into an integer of 32 with its sign.
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.byte();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (low >>> 1) ^ -(low & 1);
    }
    return Number(this.restOfLong(low));
  }

  bigLong(): bigint {
    return this.restOfLong(0, 0);
  }

  /** A length, or a number of elements. */
  count(): number {
    const count = this.long();
    if (count < 0 || !Number.isSafeInteger(count)) throw new DamagedFile(CORRUPT_AVRO);
    return count;
  }

  private restOfLong(low: number, from = 28): bigint {
    let value = BigInt(low);
    for (let shift = from; shift < 70; shift += 7) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << BigInt(shift);
      if (byte < 0x80) return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
    }
    throw new DamagedFile(CORRUPT_AVRO);
  }

  private byte(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) throw new DamagedFile(CORRUPT_AVRO);
    this.at += 1;
    return byte;
  }

  private skip(length: number): number {
    this.take(length);
    return this.at - length;
  }
}
