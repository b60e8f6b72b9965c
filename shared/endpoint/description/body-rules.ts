/** What a body may break beside its schema: its bounds, and what no pattern tells of a format (`format-schemas.ts`). */
import { MAX_BODY_DEPTH, MAX_BODY_VALUES, MAX_OBJECT_MEMBERS } from '../../domain/limits';
import { BODY_PROBLEMS } from '../../http/body';
import { formatMessage } from '../../validation/messages';
import type { RequestFormat } from './formats';
import type { Rule } from './operation';
import type { Schema } from './schema';

const BOUNDS: readonly Rule[] = [
  { rule: `A body is nested at most ${MAX_BODY_DEPTH} levels deep.`, message: BODY_PROBLEMS.depth },
  {
    rule: `A body holds at most ${MAX_BODY_VALUES} values; an array or object counts twice.`,
    message: BODY_PROBLEMS.values,
  },
  { rule: `An object has at most ${MAX_OBJECT_MEMBERS} members.`, message: BODY_PROBLEMS.members },
];

const WELL_FORMED = 'A text has no half of a character of two UTF-16 units.';

/** What a pattern leaves open. */
const OPEN: Readonly<Partial<Record<RequestFormat, string>>> = {
  text: WELL_FORMED,
  'email-address': WELL_FORMED,
  'currency-code': 'A currency has an ISO 4217 code.',
  'date-time-text': 'A day exists, and is in the years 1 to 9999 in UTC.',
  'bucket-name': 'The name of a bucket is no IP address, does not begin with `goog`, and has no `google` in it.',
};

/** The rules of a body beside its schema. @param schema of the body, or of its elements */
export function bodyRules(schema: Schema): Rule[] {
  const ofFormats = Object.entries(OPEN).flatMap(([format, rule]) => {
    const field = fieldOfFormat(schema, format);
    return field === undefined ? [] : [{ rule, message: formatMessage(format, field) }];
  });
  return [...BOUNDS, ...ofFormats];
}

/** The first field of a format in a schema or below it; undefined: there is none. */
function fieldOfFormat({ properties = {}, items }: Schema, format: string): string | undefined {
  for (const [field, schema] of Object.entries(properties as Readonly<Record<string, Schema>>)) {
    const { items: elements = {} } = schema;
    if (schema.format === format || (elements as Schema).format === format) return field;
    const below = fieldOfFormat(schema, format);
    if (below !== undefined) return below;
  }
  return items === undefined ? undefined : fieldOfFormat(items as Schema, format);
}
