import type { ApiDocument, Schema } from './document';
import { schemaNameOf } from './document';
import { code, grouped, table } from './markdown';

/** What a page says once for all fields, and so not of each. */
const SAID_ONCE = [
  / Null clears it\./,
  / Null counts as absent\./,
  / Required(: null, empty and blank count as missing)?\./,
];

/** What a field is by default is told last. */
const BY_DEFAULT = ' By default ';
const THIS_OR_ANOTHER = / This or (`\w+`) must have a value\./;

/** The fields of a record or of options, as they are sent. */
export function fieldTable(document: ApiDocument, name: string): string {
  const { properties, required } = requireObject(document, name);
  const rows = Object.entries(properties).map(([field, schema]) => {
    const [text = '', byDefault = ''] = (schema.description ?? '').split(BY_DEFAULT);
    const other = THIS_OR_ANOTHER.exec(text)?.[1];
    const meaning = [THIS_OR_ANOTHER, ...SAID_ONCE].reduce((rest, said) => rest.replace(said, ''), text);
    const need = required.includes(field) ? 'yes' : other === undefined ? '' : `this or ${other}`;
    return [code(field), typeOf(schema), boundsOf(schema), need, byDefault.replace(/\.$/, ''), meaning];
  });
  return table(['field', 'type', 'bounds', 'required', 'default', 'what it is'], rows);
}

/** The members of what is answered. */
export function memberTable(document: ApiDocument, name: string): string {
  const { properties } = requireObject(document, name);
  const rows = Object.entries(properties).map(([member, schema]) => [
    code(member),
    typeOf(schema),
    [schema.description ?? '', valuesOf(schema)].filter(Boolean).join(' '),
  ]);
  return table(['member', 'type', 'what it is'], rows);
}

/** @throws Error when the document has no such object */
function requireObject({ components }: ApiDocument, name: string) {
  const { properties, required = [] } = components.schemas[name] ?? {};
  if (!properties) throw new Error(`The document has no object ${name}.`);
  return { properties, required };
}

/** `array of strings`; null is told by the description. */
function typeOf({ $ref, type, items, anyOf, additionalProperties }: Schema): string {
  if ($ref !== undefined) return code(schemaNameOf($ref));
  if (anyOf) return typeOf(anyOf[0] ?? {});
  const [name = ''] = [type ?? []].flat();
  if (items) return `array of ${items.$ref ? typeOf(items) : `${typeOf(items)}s`}`;
  return additionalProperties ? `object of ${typeOf(additionalProperties)}` : name;
}

function boundsOf({ minimum, maximum, maxLength, maxItems, items }: Schema): string {
  if (minimum !== undefined) return `${minimum} to ${maximum}`;
  if (maxLength !== undefined) return `${grouped(maxLength)} characters`;
  if (maxItems === undefined) return '';
  const each = items?.maxLength;
  return `${grouped(maxItems)} elements${each === undefined ? '' : `, each of at most ${grouped(each)} characters`}`;
}

function valuesOf({ enum: values = [] }: Schema): string {
  const named = values.filter((value) => value !== null).map(code);
  return named.length === 0 ? '' : `One of ${named.join(', ')}.`;
}
