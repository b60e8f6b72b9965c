/** The rules of an upsert that all records share. */
import type { Fields } from '../fields';

/** How one field is stored when it is sent with a value. */
export type ToStored = (field: string, value: unknown) => unknown;

/**
 * A record after an upsert: omitted fields stay, null goes back to the default or, where there is none, away (D-12).
 */
export function mergeFields(
  stored: Fields,
  sent: Fields,
  fields: readonly string[],
  { defaults = {}, toStored = (_, value) => value }: { readonly defaults?: Fields; readonly toStored?: ToStored } = {},
): Fields {
  const merged: Record<string, unknown> = { ...stored };
  for (const field of fields) {
    const value = sent[field];
    if (value === undefined) continue;
    merged[field] = value === null ? defaults[field] : toStored(field, value);
  }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
}

/** Variants or items after an upsert: those with the same key are merged, new ones come last, none goes (D-06). */
export function mergeAll(
  stored: readonly Fields[],
  sent: readonly Fields[],
  keyOf: (part: Fields) => string,
  merge: (stored: Fields, sent: Fields) => Fields,
): readonly Fields[] {
  const merged = new Map(stored.map((part) => [keyOf(part), part]));
  for (const part of sent) merged.set(keyOf(part), merge(merged.get(keyOf(part)) ?? {}, part));
  return [...merged.values()];
}

/** Identifiers other than e-mail are compared without the white space around them (D-01). */
export function sameId(a: unknown, b: unknown): boolean {
  return idKey(a) === idKey(b);
}

export function idKey(id: unknown): string {
  return String(id).trim();
}
