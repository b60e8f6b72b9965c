/** Files of Avro, value by value: also such as no program writes. */
import { deflateRawSync } from 'node:zlib';
import { crc32 } from '../../shared/platform/crc32';

export interface AvroOptions {
  readonly codec?: string;
  readonly records?: number;
}

export const SYNC = Buffer.alloc(16, 0xee);

/** A number, zigzag. */
export function long(value: number | bigint): Buffer {
  let rest = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n));
  const bytes: number[] = [];
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

export const text = (value: string | Buffer) => Buffer.concat([long(Buffer.from(value).length), Buffer.from(value)]);

/** An array, or a map, of these. */
export const list = (...elements: Buffer[]) =>
  Buffer.concat(elements.length === 0 ? [long(0)] : [long(elements.length), ...elements, long(0)]);

export function double(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}

/** Literals alone: no program has to compress. */
function snappy(data: Buffer): Buffer {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(data));
  const length: number[] = [];
  let rest = data.length;
  for (; rest > 0x7f; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
  const literal = data.length === 0 ? [] : [61 << 2, (data.length - 1) & 0xff, (data.length - 1) >> 8];
  return Buffer.concat([Buffer.from([...length, rest, ...literal]), data, checksum]);
}

export function avroHeader(schema: unknown, codec = 'null'): Buffer {
  const json = typeof schema === 'string' ? schema : JSON.stringify(schema);
  const metadata = list(Buffer.concat([text('avro.schema'), text(json)]), Buffer.concat([text('avro.codec'), text(codec)]));
  return Buffer.concat([Buffer.from('Obj\x01'), metadata, SYNC]);
} // prettier-ignore

export function avroBlock(records: readonly Buffer[], { codec = 'null', records: said = records.length }: AvroOptions = {}) {
  const data = Buffer.concat(records);
  const packed = codec === 'deflate' ? deflateRawSync(data) : codec === 'snappy' ? snappy(data) : data;
  return Buffer.concat([long(said), long(packed.length), packed, SYNC]);
} // prettier-ignore

export function avroFile(schema: unknown, blocks: readonly (readonly Buffer[])[], codec = 'null'): Buffer {
  return Buffer.concat([avroHeader(schema, codec), ...blocks.map((records) => avroBlock(records, { codec }))]);
}
