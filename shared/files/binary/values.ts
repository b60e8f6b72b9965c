/** What values of Avro and Parquet are in the JSON forms of the API. */
import { MAX_DECIMAL_BYTES, MAX_DECIMAL_SCALE } from '../../limits/transfers';

/** A number of 64 bits that no JSON number holds becomes its digits: no field that is a number takes them. */
export function toExactNumber(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** What is no number in JSON stays text, for validation to report. */
export function toJsonNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

/** @param scale from 0 to MAX_DECIMAL_SCALE @example toDecimal(Buffer.from([0x02, 0xd5]), 2) // 7.25 */
export function toDecimal(unscaled: Uint8Array, scale: number): number | string {
  if (unscaled.length > MAX_DECIMAL_BYTES) return `a decimal of ${unscaled.length} bytes`;
  let value = 0n;
  for (const byte of unscaled) value = (value << 8n) | BigInt(byte);
  return scaled(BigInt.asIntN(8 * unscaled.length, value), scale);
}

/** @param scale from 0 to MAX_DECIMAL_SCALE @example scaled(725n, 2) // 7.25 */
export function scaled(value: bigint, scale: number): number {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const point = digits.length - scale;
  return Number(`${value < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`);
}

export function isScale(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_DECIMAL_SCALE;
}

/** Units of time in a second → the digits behind it. */
const DIGITS = { 1_000: 3, 1_000_000: 6, 1_000_000_000: 9 } as const;

/** A time as ISO 8601. Beyond the years that have one it stays its digits, for validation to report. */
export function toDateTime(value: bigint, unitsPerSecond: keyof typeof DIGITS, isLocal: boolean): string {
  const units = BigInt(unitsPerSecond);
  const fraction = ((value % units) + units) % units;
  const time = toDate((value - fraction) / units, 1_000n);
  if (!time) return String(value);
  const digits = String(fraction).padStart(DIGITS[unitsPerSecond], '0');
  return `${time.slice(0, 19)}.${digits}${isLocal ? '' : 'Z'}`;
}

/** Days since 1970 as a date. */
export function toDay(days: number): string {
  return toDate(BigInt(days), 86_400_000n)?.slice(0, 10) ?? String(days);
}

function toDate(value: bigint, milliseconds: bigint): string | undefined {
  const date = new Date(Number(value * milliseconds));
  const year = date.getUTCFullYear();
  return year >= 0 && year <= 9999 ? date.toISOString() : undefined;
}
