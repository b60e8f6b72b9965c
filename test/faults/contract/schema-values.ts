/** Draws values from the JSON Schemas of requests: what a schema allows, and the same with one mistake. */
import * as fc from 'fast-check';
import type { JsonSchema } from '../../support/conformance/contract';

/** The keywords that values are drawn by. The others say nothing about a value. */
interface RequestSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, RequestSchema>>;
  readonly required?: readonly string[];
  readonly items?: RequestSchema;
  readonly maxItems?: number;
}
const DRAWN = ['$ref', 'type', 'enum', 'format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'properties', 'required', 'items', 'maxItems']; // prettier-ignore
const SILENT = ['description', 'default'];

type Json = fc.Arbitrary<unknown>;

/** Deeper and wider than a body may be. */
const nested = Array.from({ length: 40 }).reduce<unknown>((inner) => [inner], 'deep');
const wide = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`n${index}`, 0]));

/** Fields that no schema knows. */
const further: Json = fc.oneof(
  { weight: 20, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  { weight: 1, arbitrary: fc.constantFrom(nested, wide) },
);
const FURTHER_NAMES = ['Further', 'emailoptin', 'UpdatedAt', 'constructor', '', 'Customers'];

const OTHERS: Readonly<Record<string, unknown>> = { string: 'text', integer: 7, number: 0.5, boolean: true, null: null, array: [], object: {} }; // prettier-ignore

/** Texts that most patterns refuse. */
const ODD_TEXTS = ['', ' ', '\t\n', 'x', '@', 'a b@c', 'no address', 'Ünï', '2026-2-3', 'EURO', '/', '..', '🍵'];

export class SchemaValues {
  /**
   * @param schemas by their names
   * @param known values by the name of their field or parameter, which mean something to the service
   */
  constructor(
    private readonly schemas: Readonly<Record<string, JsonSchema>>,
    private readonly known: ReadonlyMap<string, readonly unknown[]>,
  ) {}

  /** A value that the schema allows. @param name of its field or parameter */
  allowed(unresolved: object, name = ''): Json {
    const schema = this.resolve(unresolved);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const kinds = typesOf(schema).map((type) => ({
      weight: type === 'null' ? 1 : 9,
      arbitrary: this.ofType(type, schema, name),
    }));
    return fc.oneof(...kinds);
  }

  /** A value that breaks the schema in one place. */
  spoiled(unresolved: object, name = ''): Json {
    const schema = this.resolve(unresolved);
    if (schema.enum) return fc.constantFrom('', 'another word', ...schema.enum.map((word) => `${String(word)} `));
    const types = typesOf(schema);
    const mistakes: Json[] = [fc.constantFrom(...othersThan(types))];
    if (types.includes('string')) mistakes.push(...textMistakes(schema));
    if (types.some(isNumeric)) mistakes.push(...numberMistakes(schema, types));
    if (types.includes('object')) mistakes.push(...this.objectMistakes(schema));
    if (types.includes('array')) mistakes.push(...this.arrayMistakes(schema, name));
    return fc.oneof(...mistakes);
  }

  private resolve(unresolved: object): RequestSchema {
    const unknown = Object.keys(unresolved).filter((keyword) => ![...DRAWN, ...SILENT].includes(keyword));
    if (unknown.length > 0) throw new Error(`No values are drawn by the keyword ${unknown.join(', ')}.`);
    const schema = unresolved as RequestSchema;
    const named = schema.$ref?.replace('#/components/schemas/', '');
    return named === undefined ? schema : this.resolve(this.schemas[named] ?? {});
  }

  private ofType(type: string, schema: RequestSchema, name: string): Json {
    switch (type) {
      case 'string':
        return this.withKnown(name, textOf(schema));
      case 'integer':
        return fc.integer({ min: schema.minimum ?? -(2 ** 53) + 1, max: schema.maximum ?? 2 ** 53 - 1 });
      case 'number':
        return fc.double({ noNaN: true, noDefaultInfinity: true });
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return fc.array(this.allowed(schema.items ?? {}, name), { maxLength: Math.min(3, schema.maxItems ?? 3) });
      case 'object':
        return this.objectOf(schema);
      default:
        throw new Error(`No values of the type ${type} are drawn.`);
    }
  }

  private objectOf({ properties = {}, required = [] }: RequestSchema): fc.Arbitrary<object> {
    const members = Object.entries(properties).map(([name, schema]) => [name, this.allowed(schema, name)]);
    const known = fc.record(Object.fromEntries(members) as Record<string, Json>, { requiredKeys: [...required] });
    const unknown = fc.dictionary(fc.constantFrom(...FURTHER_NAMES), further, { maxKeys: 1 });
    return fc.tuple(known, fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: unknown })).map(
      ([object, more]) => ({ ...object, ...more }), // prettier-ignore
    );
  }

  private withKnown(name: string, texts: Json): Json {
    const known = this.known.get(name) ?? [];
    return known.length === 0 ? texts : fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...known) }, texts);
  }

  private objectMistakes(schema: RequestSchema): Json[] {
    const { properties = {}, required = [] } = schema;
    const names = Object.keys(properties);
    const object = this.objectOf(schema);
    const spoiledMember = fc.oneof(
      ...names.map((name) =>
        fc.tuple(object, this.spoiled(properties[name] ?? {}, name)).map(([rest, bad]) => ({ ...rest, [name]: bad })),
      ),
    );
    if (required.length === 0) return [spoiledMember];
    const lacking = fc
      .tuple(object, fc.constantFrom(...required))
      .map(([whole, missing]) => Object.fromEntries(Object.entries(whole).filter(([name]) => name !== missing)));
    return [spoiledMember, lacking];
  }

  private arrayMistakes({ items = {}, maxItems }: RequestSchema, name: string): Json[] {
    const element = this.allowed(items, name);
    const some = fc.array(element, { maxLength: 2 });
    const spoiledElement = fc
      .tuple(some, this.spoiled(items, name), fc.nat(2))
      .map(([rest, bad, index]) => rest.toSpliced(index, 0, bad));
    if (maxItems === undefined) return [spoiledElement];
    const tooMany = element.map((one) => Array.from({ length: maxItems + 1 }, () => one));
    return [fc.oneof({ weight: 30, arbitrary: spoiledElement }, { weight: 1, arbitrary: tooMany })];
  }
}

const typesOf = ({ type = 'object' }: RequestSchema) => [type].flat();
const isNumeric = (type: string) => type === 'integer' || type === 'number';

/** A value of each type that is none of these. */
function othersThan(types: readonly string[]): unknown[] {
  const takesWhole = types.some(isNumeric);
  return Object.entries(OTHERS)
    .filter(([type]) => !types.includes(type) && !(type === 'integer' && takesWhole))
    .map(([, value]) => value);
}

const UUID_TEXT = fc.tuple(fc.uuid(), fc.boolean()).map(([uuid, isUpper]) => (isUpper ? uuid.toUpperCase() : uuid));

function textOf({ pattern, format, minLength = 0, maxLength }: RequestSchema): fc.Arbitrary<string> {
  if (format === 'uuid') return UUID_TEXT;
  const most = maxLength ?? 300;
  const fits = (text: string) => lengthOf(text) >= minLength && lengthOf(text) <= most;
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u')).filter(fits);
  const longest = fc.constantFrom('x', 'é', '🍵', '\u0000').map((character) => character.repeat(most));
  return fc.oneof(
    { weight: 8, arbitrary: fc.string({ unit: 'binary', maxLength: Math.min(most, 40) }) },
    { weight: 1, arbitrary: longest },
    { weight: 1, arbitrary: fc.constantFrom('', ' ', '\ud800', '../..', '__proto__', '+%').filter(fits) },
  );
}

const lengthOf = (text: string) => Array.from(text).length;

/** Matches no text. */
const NOTHING = '(?!)';

function textMistakes({ pattern, format, maxLength }: RequestSchema): Json[] {
  const regExp = new RegExp(format === 'uuid' ? NOTHING : (pattern ?? ''), 'u');
  const unmatched = ODD_TEXTS.filter((text) => !regExp.test(text));
  return [
    ...(unmatched.length > 0 ? [fc.constantFrom(...unmatched)] : []),
    ...(maxLength === undefined ? [] : [fc.constantFrom('x', '🍵').map((one) => one.repeat(maxLength + 1))]),
  ];
}

function numberMistakes({ minimum, maximum }: RequestSchema, types: readonly string[]): Json[] {
  const bad = [
    ...(minimum === undefined ? [] : [-1e300]),
    ...(maximum === undefined ? [] : [1e300]),
    ...(types.includes('number') ? [] : [1.5, 1e-9]),
  ];
  const near = [...(minimum === undefined ? [] : [minimum - 1]), ...(maximum === undefined ? [] : [maximum + 1])];
  return [near, bad].filter(({ length }) => length > 0).map((numbers) => fc.constantFrom(...numbers));
}
