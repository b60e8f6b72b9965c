import { MAX_IGNORED_FIELD_LENGTH, MAX_IGNORED_FIELDS } from '../domain/limits';
import type { ObjectSchema } from './schema-check';
import { isObject } from './values';

/** Fields by the path of their object: `''` for the value itself, `ProductVariants` for its variants. */
type KnownFields = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Makes a collector of the paths of fields that a schema does not have, at most 20 (D-21): `ProductVariants.Colour`.
 */
export function compileUnknownFields(schema: ObjectSchema): (value: unknown, ignored: Set<string>) => void {
  const known = knownFields(schema, '');
  return (value, ignored) => collectUnknown(value, '', known, ignored);
}

function knownFields(schema: ObjectSchema, path: string): Map<string, ReadonlySet<string>> {
  const known = new Map<string, ReadonlySet<string>>([[path, new Set(Object.keys(schema.properties))]]);
  for (const [field, value] of Object.entries(schema.properties)) {
    const items = (value as { items?: Partial<ObjectSchema> }).items;
    if (items?.properties) for (const entry of knownFields(items as ObjectSchema, field)) known.set(...entry);
  }
  return known;
}

function collectUnknown(value: unknown, path: string, known: KnownFields, ignored: Set<string>): void {
  if (!isObject(value) || ignored.size >= MAX_IGNORED_FIELDS) return;
  for (const field in value) {
    const member = value[field];
    if (known.get(path)?.has(field)) {
      if (known.has(field) && Array.isArray(member)) {
        for (const part of member) collectUnknown(part, field, known, ignored);
      }
    } else if (ignored.size < MAX_IGNORED_FIELDS) {
      ignored.add((path === '' ? field : `${path}.${field}`).slice(0, MAX_IGNORED_FIELD_LENGTH));
    }
  }
}
