import { MAX_IGNORED_FIELD_LENGTH, MAX_IGNORED_FIELDS } from '../domain/limits';
import type { ObjectSchema } from './schema-check';
import { isObject } from './values';

/** The fields of an object → the fields of its list's elements; null if the field is no list of objects. */
type KnownFields = ReadonlyMap<string, KnownFields | null>;

/** Compiles a collector of the paths of unknown fields, at most 20 (D-21), such as `ProductVariants.Colour`. */
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
    const knownInElements = known.get(field);
    if (knownInElements === null) continue;
    const member = value[field];
    if (knownInElements === undefined) {
      ignored.add(`${path}${field}`.slice(0, MAX_IGNORED_FIELD_LENGTH));
    } else if (Array.isArray(member)) {
      for (const element of member) {
        if (ignored.size >= MAX_IGNORED_FIELDS) return;
        collectUnknown(element, `${field}.`, knownInElements, ignored);
      }
    }
  }
}
