/**
 * JSON Schemas (2020-12) of what answers hold. The types here compare each schema with the type that the code gives its
 * answer: a member without a schema does not compile, nor does a wrong type or a null that is not told.
 */
import type { DocumentedFormat } from './formats';

export type Schema = Readonly<Record<string, unknown>>;

/** A schema with a name of its own among the document's components. */
export class NamedSchema<T = unknown> {
  /** The type that it describes. There is no value. */
  declare readonly of: T;

  constructor(
    readonly name: string,
    readonly schema: Schema,
    /** The schema that the code validates with, which this one describes; absent: answers have it. */
    readonly source?: object,
  ) {}
}

interface Described extends Schema {
  readonly description: string;
  readonly format?: DocumentedFormat;
}

type TypeName<T> = [T] extends [string]
  ? 'string'
  : [T] extends [number]
    ? 'integer' | 'number'
    : [T] extends [boolean]
      ? 'boolean'
      : never;

/** A list or a map; elements have no description of their own. */
type Elements<T> =
  TypeName<T> extends never ? ObjectSchema<T> | NamedSchema<T> : { readonly type: TypeName<T> } & Schema;
type ListSchema<T> = { readonly type: 'array'; readonly items: Elements<T> };
type MapSchema<T> = { readonly type: 'object'; readonly additionalProperties: Elements<T> };
type ObjectSchema<T> = [T] extends [readonly (infer E)[]]
  ? ListSchema<E>
  : string extends keyof T
    ? MapSchema<T[keyof T]>
    : { readonly $ref: NamedSchema<T> };

type PlainSchema<T> = TypeName<T> extends never ? ObjectSchema<T> : { readonly type: TypeName<T> };
type NullableSchema<T> =
  TypeName<T> extends never
    ? [T] extends [readonly (infer E)[]]
      ? { readonly type: readonly ['array', 'null']; readonly items: Elements<E> }
      : { readonly anyOf: readonly [NamedSchema<T>, { readonly type: 'null' }] }
    : { readonly type: readonly [TypeName<T>, 'null'] };

/** The schema of a member of type T, with its description. */
export type MemberSchema<T> = Described &
  ([Extract<T, null>] extends [never] ? PlainSchema<T> : NullableSchema<Exclude<T, null>>);

type OptionalKeys<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];

/** Names the optional members of T, where there are any. */
type Optional<T> = [OptionalKeys<T>] extends [never] ? [] : [optional: Readonly<Record<OptionalKeys<T>, true>>];

/** The schema of an object of an answer. Members that are not named optional are always there. */
export function answerSchema<T extends object>(
  name: string,
  description: string,
  properties: { readonly [K in keyof T]-?: MemberSchema<Exclude<T[K], undefined>> },
  ...[optional]: Optional<T>
): NamedSchema<T> {
  const required = Object.keys(properties).filter((member) => !(optional && member in optional));
  return new NamedSchema(name, { type: 'object', description, properties, required });
}
