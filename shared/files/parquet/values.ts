/** What the values of a column are in the JSON forms of the API. */
import { isScale, scaled, toDateTime, toDay, toDecimal, toExactNumber, toJsonNumber } from '../binary/values';
import type { Physical, SchemaElement } from './footer';
import type { Raw } from './sources';

/** Makes text of bytes, or knows of the record that they are none. */
export interface TextReader {
  text(bytes: Buffer): string;
}

type Converter = (raw: Raw, texts: TextReader) => unknown;

const asBytes = (raw: Raw) => raw as Buffer;
const asBigInt = (raw: Raw) => BigInt(raw as number | bigint);

const PLAIN: Readonly<Record<Physical, Converter>> = {
  boolean: (raw) => raw,
  int32: (raw) => raw,
  int64: (raw) => toExactNumber(asBigInt(raw)),
  int96: (raw) => toDateTime(fromInt96(asBytes(raw)), 1_000_000_000, false),
  float: (raw) => toJsonNumber(raw as number),
  double: (raw) => toJsonNumber(raw as number),
  bytes: (raw, texts) => texts.text(asBytes(raw)),
  fixed: (raw) => asBytes(raw).toString('latin1'),
};

/** How the values of a column are converted. */
export function toValue({ meaning, scale, length }: SchemaElement, type: Physical): Converter {
  const isWhole = type === 'int32' || type === 'int64';
  switch (meaning?.of) {
    case 'decimal':
      if (!isScale(scale)) break;
      if (isWhole) return (raw) => scaled(asBigInt(raw), scale);
      if (type === 'bytes' || type === 'fixed') return (raw) => toDecimal(asBytes(raw), scale);
      break;
    case 'date':
      if (type === 'int32') return (raw) => toDay(raw as number);
      break;
    case 'timestamp': {
      const { perSecond, isLocal } = meaning;
      if (type === 'int64') return (raw) => toDateTime(asBigInt(raw), perSecond, isLocal);
      break;
    }
    case 'unsigned':
      if (isWhole) return (raw) => toExactNumber(BigInt.asUintN(type === 'int32' ? 32 : 64, asBigInt(raw)));
      break;
    case 'uuid':
      if (type === 'fixed' && length === 16) return (raw) => toUuid(asBytes(raw));
      break;
    case 'float16':
      if (type === 'fixed' && length === 2) return (raw) => toJsonNumber(fromFloat16(asBytes(raw)));
      break;
  }
  return PLAIN[type];
}

const JULIAN_DAY_OF_1970 = 2_440_588n;
const NANOS_OF_DAY = 86_400_000_000_000n;

/** Nanoseconds of the day, and the Julian day: as Spark and Impala write times. @returns nanoseconds since 1970 */
function fromInt96({ buffer, byteOffset }: Buffer): bigint {
  const view = new DataView(buffer, byteOffset, 12);
  return (BigInt(view.getInt32(8, true)) - JULIAN_DAY_OF_1970) * NANOS_OF_DAY + view.getBigInt64(0, true);
}

function toUuid(bytes: Buffer): string {
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function fromFloat16([low = 0, high = 0]: Buffer): number {
  const exponent = (high >> 2) & 31;
  const fraction = (((high & 3) << 8) | low) / 1024;
  const sign = high >> 7 === 0 ? 1 : -1;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? 2 ** -14 * fraction : 2 ** (exponent - 15) * (1 + fraction));
}
