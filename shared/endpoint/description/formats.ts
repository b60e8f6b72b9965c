/** What the formats of the schemas mean in words: most are the service's own, and JSON Schema knows none of those. */
import type { FORMATS } from '../../validation/formats';

export type RequestFormat = keyof typeof FORMATS;

export const FORMAT_WORDS: Readonly<Record<RequestFormat, string>> = {
  text: '',
  'email-address': 'An e-mail address: text on both sides of one `@`, and no white space.',
  'language-tag': 'An IETF BCP 47 tag of the form language[-script][-region], such as `pt-BR`, in any case.',
  'currency-code': 'An ISO 4217 code of money in use, in any case.',
  'date-time-text':
    'An ISO 8601 date or date-time, `YYYY-MM-DD[Thh:mm[:ss[.fff]][Z|±hh:mm]]`, in UTC unless it has an offset.',
  'bucket-name': 'A name that Cloud Storage accepts.',
  guid: 'A GUID in any case.',
  int32: 'A whole number of 32 bits.',
};

/** Formats of the document that JSON Schema or OpenAPI know. */
export type DocumentedFormat = 'date-time' | 'uuid' | 'int64';
