/** How the service's values are stored, whichever client sends them. */
import type { Version } from '../../documents/document-store';

/** A field that no document has: who asks for it alone gets a document's version and no data. */
export const UNUSED_FIELD = 'unused';

/** Whether Firestore's 64-bit integer holds this number. Beyond the safe integers, and for -0, only a double does. */
export function isStoredAsInteger(value: number): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0);
}

/** The time as the protocol has it: whole seconds, rounded down before 1970 too, and the nanoseconds after them. */
export function toTimestamp(date: Date): Version {
  const seconds = Math.floor(date.getTime() / 1000);
  return { seconds, nanos: (date.getTime() - seconds * 1000) * 1_000_000 };
}

/** A field's name where the protocol takes a path of fields: quoted unless it is a plain identifier. */
export function toFieldPath(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name.replace(/[\\`]/g, '\\$&')}\``;
}
