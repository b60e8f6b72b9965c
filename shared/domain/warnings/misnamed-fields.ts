/**
 * Finds fields that are ignored and were meant as known ones: their names differ in case only, or they belong to a part
 * of the record. It looks at all fields, not only at the 20 that `ignoredFields` names.
 */
import type { WarningCode, WarningExample, Warnings } from './warning';
import { warn } from './warning';

/** A field that is ignored, by the name that was sent, and what it should be called. */
export interface MisnamedField {
  readonly code: Extract<WarningCode, 'fieldCase' | 'itemsDropped' | 'variantsDropped'>;
  readonly field: string;
  readonly expected: string;
}

/** The misnamed fields of a value, each name that is expected once. It yields often, so that the caller may pause. */
export type MisnamedFieldFinder = (value: unknown) => Generator<void, readonly MisnamedField[]>;

interface RecordSchema {
  readonly properties: Readonly<Record<string, object>>;
}

/** The elements of a list in a record. */
interface PartsSchema extends RecordSchema {
  readonly required: readonly string[];
}

/** The elements of any list: parts, or texts. */
type ElementSchema = PartsSchema | { readonly properties?: undefined };

/** The names that an object may use, and what others in lower case should be called. */
interface Names {
  readonly known: ReadonlySet<string>;
  readonly byLowerCase: ReadonlyMap<string, Omit<MisnamedField, 'field'>>;
  /** Longer names are none of these in another case. */
  readonly maxLength: number;
}

/** The lists of parts, with the warning where their fields stand beside them. */
const PARTS_DROPPED: Readonly<Partial<Record<string, MisnamedField['code']>>> = {
  OrderItems: 'itemsDropped',
  ProductVariants: 'variantsDropped',
};

/** Fields that values may have beside those of the schema, such as the times of rows. */
export interface MoreFields {
  readonly ofRecord?: readonly string[];
  readonly ofPart?: readonly string[];
}

/** Compiles the finder of a DTO schema. */
export function compileMisnamedFieldFinder(
  { properties }: RecordSchema,
  { ofRecord = [], ofPart = [] }: MoreFields = {},
): MisnamedFieldFinder {
  const own = [...Object.keys(properties), ...ofRecord];
  const lists = Object.entries(properties).flatMap(([name, { items }]: [string, { items?: ElementSchema }]) =>
    items?.properties
      ? [{ name, fields: [...Object.keys(items.properties), ...ofPart], required: items.required }]
      : [],
  );
  const partNames = new Map(lists.map(({ name, fields }) => [name, toNames(fields, caseOf(fields, `${name}.`))]));
  const names = toNames(own, [
    ...lists.flatMap(({ name, required }) => droppedParts(name, required)),
    ...lists.flatMap(({ name, fields }) => caseOf(fields.map((field) => `${name}.${field}`))),
    ...caseOf(own), // a field of the record's own comes before one of its parts
  ]);
  return function* (value) {
    const found = new Map<string, MisnamedField>();
    noteFields(value, names, '', found);
    for (const [list, ofParts] of partNames) {
      const parts = isObject(value) ? value[list] : undefined;
      if (!Array.isArray(parts)) continue;
      for (const part of parts) {
        noteFields(part, ofParts, `${list}.`, found);
        yield;
      }
    }
    return [...found.values()];
  };
}

/** The warnings with those of one element or row. @param place where it is */
export function warnOfMisnamed(
  warnings: Warnings,
  fields: readonly MisnamedField[],
  place: Pick<WarningExample, 'index' | 'line'>,
): Warnings {
  return [...new Set(fields.map(({ code }) => code))].reduce((sum, code) => {
    const ofCode = fields.filter((field) => field.code === code);
    const examples = ofCode.map(({ field, expected }) => ({ ...place, field, expected }));
    return warn(sum, code, examples);
  }, warnings);
}

function noteFields(
  value: unknown,
  { known, byLowerCase, maxLength }: Names,
  path: string,
  found: Map<string, MisnamedField>,
): void {
  if (!isObject(value)) return;
  for (const field in value) {
    if (known.has(field) || field.length > maxLength) continue;
    const meant = byLowerCase.get(field.toLowerCase());
    if (meant) found.set(`${meant.code} ${meant.expected}`, { ...meant, field: path + field });
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Meant = readonly [lowerCase: string, meant: Omit<MisnamedField, 'field'>];

function caseOf(fields: readonly string[], path = ''): Meant[] {
  return fields.map((field) => [field.toLowerCase(), { code: 'fieldCase', expected: path + field }]);
}

/** The fields that each part must have: beside the record's own they tell that parts were meant. */
function droppedParts(list: string, required: readonly string[]): Meant[] {
  const code = PARTS_DROPPED[list];
  if (!code) return [];
  return required.map((field) => [field.toLowerCase(), { code, expected: `${list}.${field}` }]);
}

function toNames(known: readonly string[], meant: readonly Meant[]): Names {
  const byLowerCase = new Map(meant);
  const maxLength = Math.max(...[...byLowerCase.keys()].map((name) => name.length));
  return { known: new Set(known), byLowerCase, maxLength };
}
