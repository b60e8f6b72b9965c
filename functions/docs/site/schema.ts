/** Schemas as lists of fields, which can be opened. */
import type { Json, OpenApiDocument, Schema } from './document';
import { nameOf, plainText, resolve } from './document';
import type { Content, Html } from './html';
import { markup } from './html';
import { inline } from './markdown';

/** Formats that say nothing to a caller: their descriptions do. */
const UNSAID_FORMATS: readonly string[] = ['text'];

/** Schemas that are opened above this one: one of them within itself is only named. */
type Opened = readonly string[];

/** A parameter or field: its name, what it may be, and what it consists of. */
export function field(
  name: string,
  schema: Schema,
  isRequired: boolean,
  document: OpenApiDocument,
  opened: Opened = [],
): Html {
  const resolved = resolve(schema, document);
  return markup`<li class="field"><div class="what"><code class="field-name">${name}</code> ${what(schema, document)}${
    isRequired && markup` <span class="required">required</span>`
  }</div>${resolved.description !== undefined && markup`<p>${inline(resolved.description)}</p>`}${inner(schema, document, opened)}</li>`;
}

/** A body: what it is, and its fields. */
export function body(schema: Schema, document: OpenApiDocument, isOpen: boolean): Html {
  const resolved = resolve(schema, document);
  const described = resolved.description ?? (resolved.items && resolve(resolved.items, document).description);
  return markup`<p class="what">${what(schema, document)}</p>${
    described !== undefined && markup`<p>${inline(described)}</p>`
  }${inner(schema, document, [], isOpen)}`;
}

/** `array of Customer`, `string or null` */
export function typeOf(schema: Schema, document: OpenApiDocument): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  const { type, items, additionalProperties, anyOf, oneOf } = schema;
  const choices = anyOf ?? oneOf;
  if (choices) return choices.map((choice) => typeOf(choice, document)).join(' or ');
  const unsaid = schema.const === undefined ? 'any value' : typeof schema.const;
  const types = [type ?? unsaid].flat().map((each) => {
    if (each === 'array' && items) return `array of ${typeOf(items, document)}`;
    if (each === 'object' && typeof additionalProperties === 'object')
      return `map of ${typeOf(additionalProperties, document)}`;
    return each;
  });
  return types.join(' or ');
}

/** The type, and what else a value must be: `string, at most 100 characters`. */
function what(schema: Schema, document: OpenApiDocument): Html {
  const said = [typeOf(schema, document), ...boundsOf(resolve(schema, document))];
  return markup`<span class="type">${said.map((each, at) => markup`${at > 0 && ', '}${each}`)}</span>`;
}

function boundsOf(schema: Schema): Content[] {
  const { format, pattern, minimum, maximum, maxLength, maxItems } = schema;
  return [
    ...(format !== undefined && !UNSAID_FORMATS.includes(format) ? [format] : []),
    ...(pattern === undefined ? [] : [pattern === '\\S' ? 'not blank' : markup`matches <code>${pattern}</code>`]),
    ...(minimum === undefined ? [] : [maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`]),
    ...(maximum !== undefined && minimum === undefined ? [`at most ${maximum}`] : []),
    ...(maxLength === undefined ? [] : [`at most ${grouped(maxLength)} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${grouped(maxItems)} elements`]),
    ...(schema.const === undefined ? [] : [markup`always ${value(schema.const)}`]),
    ...(schema.enum === undefined
      ? []
      : [markup`${schema.enum.map((each, at) => markup`${at > 0 && ' or '}${value(each)}`)}`]),
    ...(schema.default === undefined ? [] : [markup`by default ${value(schema.default)}`]),
  ];
}

function value(json: Json): Html {
  return markup`<code>${plainText(json)}</code>`;
}

/** `1,000` */
function grouped(number: number): string {
  return number.toLocaleString('en-US');
}

/** The fields of what a schema consists of: of its own, of its elements, or of each choice. */
function inner(schema: Schema, document: OpenApiDocument, opened: Opened, isOpen = false): Content {
  const name = schema.$ref === undefined ? undefined : nameOf(schema.$ref);
  if (name !== undefined && opened.includes(name)) return undefined;
  const below = name === undefined ? opened : [...opened, name];
  const { properties, required = [], items, additionalProperties, anyOf, oneOf } = resolve(schema, document);
  const choices = anyOf ?? oneOf ?? (typeof additionalProperties === 'object' ? [additionalProperties] : []);
  if (items) return inner(items, document, below, isOpen);
  if (!properties) return choices.map((choice) => inner(choice, document, below, isOpen));
  const fields = Object.entries(properties);
  const title = name === undefined ? 'Fields' : `Fields of ${name}`;
  return markup`<details class="fields"${isOpen && markup` open`}><summary>${title} <span class="count">${fields.length}</span></summary><ul>${fields.map(
    ([key, property]) => field(key, property, required.includes(key), document, below),
  )}</ul></details>`;
}
