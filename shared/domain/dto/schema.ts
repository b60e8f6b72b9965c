/**
 * Building blocks of the DTO schemas. The schemas are plain JSON Schema, valid in 2020-12 and OpenAPI 3.1, and the
 * single source of the DTO types. `format` names checks for which JSON Schema has no keyword:
 *
 * | format | holds when |
 * |---|---|
 * | `text` | well-formed Unicode (no lone surrogate), which every stored text must be |
 * | `email-address` | blank or an e-mail address (D-17) |
 * | `language-tag` | language[-script][-region] (D-16) |
 * | `currency-code` | blank or an ISO 4217 code in any case (D-14) |
 * | `date-time-text` | ISO 8601 date or date-time (D-18) |
 * | `bucket-name` | a name that Cloud Storage accepts (D-57) |
 * | `guid` | a GUID in any case (D-46) |
 * | `int32` | 32-bit signed integer (D-15) |
 */
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';

/** The type that a schema describes, without the unknown fields that it also allows (D-21). */
export type Dto<S extends JSONSchema> = Known<FromSchema<S>>;

type Known<T> = T extends readonly (infer E)[]
  ? Known<E>[]
  : T extends object
    ? { [K in keyof T as string extends K ? never : K]: Known<T[K]> }
    : T;

/** Required: null, empty and white space count as missing (D-12). */
export const required = {
  text: (maxLength: number) => ({ type: 'string', format: 'text', pattern: '\\S', maxLength }) as const,
  currency: { type: 'string', format: 'currency-code', pattern: '\\S', maxLength: 3 },
  integer: { type: 'integer', format: 'int32' },
  number: { type: 'number' },
} as const;

/** Optional: may be omitted (unchanged) or null (cleared, D-12). */
export const optional = {
  text: (maxLength: number) => ({ type: ['string', 'null'], format: 'text', maxLength }) as const,
  anyText: { type: ['string', 'null'], format: 'text' },
  email: { type: ['string', 'null'], format: 'email-address', maxLength: 255 },
  language: { type: ['string', 'null'], format: 'language-tag', maxLength: 10 },
  currency: { type: ['string', 'null'], format: 'currency-code', maxLength: 3 },
  dateTime: { type: ['string', 'null'], format: 'date-time-text' },
  boolean: { type: ['boolean', 'null'] },
  integer: { type: ['integer', 'null'], format: 'int32' },
  number: { type: ['number', 'null'] },
} as const;
