/** The stored form of the service's values, which both clients share. */
import type { Version } from '../../documents/document-store';

/** A field that no document has. A read of this field alone returns a document's version without data. */
export const UNUSED_FIELD = 'unused';

/** Whether the number is stored as a 64-bit integer. Beyond the safe integers, and for -0, it is stored as a double. */
export function isStoredAsInteger(value: number): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0);
}

/** A time in the protocol's form: whole seconds, rounded down also before 1970, and the remaining nanoseconds. */
export function toTimestamp(date: Date): Version {
  const seconds = Math.floor(date.getTime() / 1000);
  return { seconds, nanos: (date.getTime() - seconds * 1000) * 1_000_000 };
}

/** A field's name as a field path of the protocol: quoted unless it is a plain identifier. */
export function toFieldPath(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name.replace(/[\\`]/g, '\\$&')}\``;
}
