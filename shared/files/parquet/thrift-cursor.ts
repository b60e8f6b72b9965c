import { DamagedFile } from '../damaged-file';

export const CORRUPT_PARQUET = 'The Parquet file is corrupt.';

/** @throws DamagedFile always */
export function failCorrupt(): never {
  throw new DamagedFile(CORRUPT_PARQUET);
}

/** Reads one field's value; `isTrue`: of a truth value, which is in its field's type. */
type FieldReader = (isTrue: boolean) => void;

/** Types of Thrift's compact protocol. A truth value is a type of its own: 1 true, 2 false. */
const TYPE = { true: 1, false: 2, byte: 3, i16: 4, i32: 5, i64: 6, double: 7, binary: 8, list: 9, set: 10, map: 11, struct: 12 } as const; // prettier-ignore

/** How deep what is skipped may be nested: nothing of Parquet is as deep. */
const MAX_DEPTH = 16;

/** Reads Thrift's compact protocol, in which Parquet keeps its metadata. @throws DamagedFile where it is corrupt */
export class ThriftCursor {
  constructor(
    readonly bytes: Buffer,
    /** The next byte. */
    public at = 0,
  ) {}

  /** Reads a structure: the fields with a reader by it, and skips the others. */
  struct(readers: Readonly<Record<number, FieldReader>>, depth = 0): void {
    let id = 0;
    for (;;) {
      const head = this.byte();
      const type = head & 15;
      if (type === 0) return;
      id = head >> 4 === 0 ? this.int() : id + (head >> 4);
      const read = readers[id];
      if (read) read(type === TYPE.true);
      else this.skip(type, depth + 1);
    }
  }

  /** Begins a list. @returns how many elements follow, each to be read by its type */
  listLength(): number {
    return this.listHead()[0];
  }

  /** A number with its sign; beyond 2^53 it is not exact, and no offset of a file either. */
  int(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  text(): string {
    return this.take(this.varint()).toString();
  }

  /** A number without a sign. */
  varint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 70; scale *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    return failCorrupt();
  }

  take(length: number): Buffer {
    if (!(length >= 0 && length <= this.bytes.length - this.at)) failCorrupt();
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  private byte(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) return failCorrupt();
    this.at += 1;
    return byte;
  }

  private listHead(): readonly [count: number, type: number] {
    const head = this.byte();
    return [head >> 4 === 15 ? this.varint() : head >> 4, head & 15];
  }

  private skip(type: number, depth: number): void {
    if (depth > MAX_DEPTH) failCorrupt();
    switch (type) {
      case TYPE.true:
      case TYPE.false:
        return;
      case TYPE.byte:
        return void this.byte();
      case TYPE.i16:
      case TYPE.i32:
      case TYPE.i64:
        return void this.varint();
      case TYPE.double:
        return void this.take(8);
      case TYPE.binary:
        return void this.take(this.varint());
      case TYPE.struct:
        this.struct({}, depth);
        return;
      case TYPE.list:
      case TYPE.set: {
        const [count, element] = this.listHead();
        for (let left = count; left > 0; left -= 1) this.skipElement(element, depth + 1);
        return;
      }
      case TYPE.map: {
        const count = this.varint();
        const types = count === 0 ? 0 : this.byte();
        for (let left = count; left > 0; left -= 1) {
          this.skipElement(types >> 4, depth + 1);
          this.skipElement(types & 15, depth + 1);
        }
        return;
      }
      default:
        failCorrupt();
    }
  }

  /** An element takes a byte at least: a few bytes are never very many of them. */
  private skipElement(type: number, depth: number): void {
    if (type === TYPE.true || type === TYPE.false) this.byte();
    else this.skip(type, depth);
  }
}
