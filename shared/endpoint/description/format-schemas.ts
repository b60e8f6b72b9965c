/**
 * What JSON Schema can say of the formats that are the service's own: the pattern or the bounds that come nearest to
 * each. What these leave open is a rule of the body (`body-rules.ts`), so that tools which know none of the formats
 * find all of it in the document.
 */
import type { RequestFormat } from './formats';
import type { Schema } from './schema';

interface FormatPattern {
  readonly text: string;
  /** White space around it is allowed. */
  readonly isTrimmed?: true;
  /** Blank counts as missing, where the field is not required. */
  readonly mayBeBlank?: true;
}

const HOUR = '([01]\\d|2[0-3])';
const MINUTE = '[0-5]\\d';
const DATE = '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])';
const BUCKET_COMPONENT = '[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?';

const PATTERNS: Readonly<Partial<Record<string, FormatPattern>>> = {
  'email-address': { text: '[^\\s@]+@[^\\s@]+', isTrimmed: true, mayBeBlank: true },
  'language-tag': { text: '[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|\\d{3}))?', isTrimmed: true },
  'currency-code': { text: '[A-Za-z]{3}', mayBeBlank: true },
  'date-time-text': {
    text: `${DATE}([Tt ]${HOUR}:${MINUTE}(:${MINUTE}([.,]\\d{1,9})?)?([Zz]|[+-]${HOUR}(:?${MINUTE})?)?)?`,
    isTrimmed: true,
  },
  'bucket-name': { text: `${BUCKET_COMPONENT}(\\.${BUCKET_COMPONENT})*` },
} satisfies Partial<Record<RequestFormat, FormatPattern>>;

const KEYWORDS: Readonly<Partial<Record<string, Schema>>> = {
  guid: { format: 'uuid' },
  int32: { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  'bucket-name': { minLength: 3, maxLength: 222 },
} satisfies Partial<Record<RequestFormat, Schema>>;

/** The schema of a field with what JSON Schema can say of its format. */
export function withFormat(schema: Schema): Schema {
  const format = String(schema.format);
  const known = PATTERNS[format];
  const isRequired = schema.pattern !== undefined; // every pattern of the fields requires a text that is not blank
  return { ...schema, ...KEYWORDS[format], ...(known && { pattern: toPattern(known, isRequired) }) };
}

function toPattern({ text, isTrimmed, mayBeBlank }: FormatPattern, isRequired: boolean): string {
  const present = isTrimmed ? `^\\s*(${text})\\s*$` : `^(${text})$`;
  return mayBeBlank && !isRequired ? `^\\s*$|${present}` : present;
}
