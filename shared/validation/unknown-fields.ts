import { MAX_IGNORED_FIELD_LENGTH, MAX_IGNORED_FIELDS } from '../domain/limits';
import type { ObjectSchema } from './schema-check';
import { isObject } from './values';

/** The fields that an object may have; those whose value is a list of objects with what these may have. */
type KnownFields = ReadonlyMap<string, KnownFields | null>;

/**
 * Makes a collector of the paths of fields that a schema does not have, at most 20 (D-21): `ProductVariants.Colour`.
 */
export function compileUnknownFieldCollector(schema: ObjectSchema): (value: unknown, ignored: Set<string>) => void {
  const known = knownFields(schema);
  return (value, ignored) => collectUnknown(value, '', known, ignored);
}

function knownFields(schema: ObjectSchema): KnownFields {
  const known = new Map<string, KnownFields | null>();
  for (const [field, value] of Object.entries(schema.properties)) {
    const items = (value as { items?: Partial<ObjectSchema> }).items;
    known.set(field, items?.properties ? knownFields(items as ObjectSchema) : null);
  }
  return known;
}

function collectUnknown(value: unknown, path: string, known: KnownFields, ignored: Set<string>): void {
  if (!isObject(value)) return;
  for (const field in value) {
    if (ignored.size >= MAX_IGNORED_FIELDS) return;
    const parts = known.get(field);
    if (parts === null) continue;
    const member = value[field];
    if (parts === undefined) {
      ignored.add(`${path}${field}`.slice(0, MAX_IGNORED_FIELD_LENGTH));
    } else if (Array.isArray(member)) {
      for (const part of member) {
        if (ignored.size >= MAX_IGNORED_FIELDS) return;
        collectUnknown(part, `${field}.`, parts, ignored);
      }
    }
  }
}
