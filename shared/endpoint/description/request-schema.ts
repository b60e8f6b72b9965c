/** The schemas of requests with descriptions: what the code validates with, and a text for each of its fields. */
import type { RequestFormat } from './formats';
import { FORMAT_WORDS } from './formats';
import type { Schema } from './schema';
import { NamedSchema } from './schema';

/** A schema that the code validates with. */
interface RequestSchema {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

type FieldOf<S extends RequestSchema> = keyof S['properties'] & string;

/** A text for each field: it does not compile without one. */
export type FieldTexts<S extends RequestSchema> = Readonly<Record<FieldOf<S>, string>>;

/** What a field has in a new record that is sent without it, in words; absent: nothing. */
export type DefaultTexts<S extends RequestSchema> = Readonly<Partial<Record<FieldOf<S>, string>>>;

/** What null does in a field that may have it. */
const NULL_WORDS = { clears: 'Null clears it.', isAbsent: 'Null counts as absent.' } as const;

/**
 * A schema that the code validates with, and what its fields mean. Their bounds in words, what null does and what they
 * are by default are told behind the text of each. Defaults are told in words alone: a client that sends the keyword
 * `default` would withdraw a consent that the caller did not mention.
 */
export function requestSchema<S extends RequestSchema>(
  name: string,
  source: S,
  description: string,
  texts: FieldTexts<S>,
  defaults?: DefaultTexts<S>,
  whatNullDoes: keyof typeof NULL_WORDS = 'clears',
): NamedSchema<object> {
  const properties = Object.entries(source.properties).map(([field, schema]) => {
    const byDefault = defaults?.[field as FieldOf<S>];
    const isRequired = source.required?.includes(field) ?? false;
    const parts = [
      texts[field as FieldOf<S>],
      formatWords(schema),
      isRequired ? requiredWords(schema) : mayBeNull(schema) && NULL_WORDS[whatNullDoes],
      byDefault && `By default ${byDefault}.`,
    ];
    return [field, { ...schema, description: parts.filter(Boolean).join(' ') }] as const;
  });
  const { required = [] } = source;
  return new NamedSchema(
    name,
    { type: 'object', description, properties: Object.fromEntries(properties), required },
    source,
  );
}

function formatWords({ format }: Schema): string {
  return FORMAT_WORDS[(format ?? 'text') as RequestFormat];
}

function requiredWords({ type }: Schema): string {
  return type === 'string' ? 'Required: null, empty and blank count as missing.' : 'Required.';
}

function mayBeNull({ type }: Schema): boolean {
  return Array.isArray(type) && type.includes('null');
}

/** Defaults as the code gives them to a new record: those that are constants. */
export function constantDefaults(record: object): Readonly<Record<string, string>> {
  const constants = Object.entries(record as Readonly<Record<string, unknown>>).filter(
    ([, value]) => value !== undefined && value !== null && !(value instanceof Date),
  );
  return Object.fromEntries(constants.map(([field, value]) => [field, `\`${JSON.stringify(value)}\``]));
}

/** What is stored of a field beside it, with the schema of each. */
export type DerivedFields = Readonly<Record<string, Readonly<Record<string, Schema>>>>;

/**
 * The schema of a record as it is read back: the fields of a request with a value, and what is derived from them.
 * @param required the fields that every record has
 * @param parts the schemas of the elements of its lists
 */
export function shownSchema<S extends RequestSchema>(
  name: string,
  source: S,
  description: string,
  texts: FieldTexts<S>,
  required: readonly string[],
  {
    derived = {},
    parts = {},
    more = {},
  }: {
    readonly derived?: DerivedFields;
    readonly parts?: Readonly<Record<string, NamedSchema>>;
    readonly more?: Readonly<Record<string, Schema>>;
  } = {},
): NamedSchema<object> {
  const properties = Object.entries(source.properties).flatMap(([field, { type, format, items }]) => {
    const own = {
      description: texts[field as FieldOf<S>],
      type: [type].flat().find((one) => one !== 'null'),
      ...(format === 'date-time-text' && { format: 'date-time' }),
      ...(items !== undefined && { items: parts[field] ?? { type: 'string' } }),
    };
    return [[field, own] as const, ...Object.entries(derived[field] ?? {})];
  });
  return new NamedSchema(name, {
    type: 'object',
    description,
    properties: { ...Object.fromEntries(properties), ...more },
    required: [...required, ...Object.keys(more)],
  });
}
