/** The checks behind `format` in the DTO schemas. shared/domain/dto/schema.ts says what each format means. */
import type { Format } from 'ajv';
import { isBucketName } from '../domain/values/bucket-name';
import { canonicalCurrency } from '../domain/values/currency';
import { parseDateTime } from '../domain/values/date-time';
import { isEmail } from '../domain/values/email';
import { canonicalLanguage } from '../domain/values/language';
import { parseTenantId } from '../domain/tenant';
import { isPresent } from '../domain/values/text';

const isWellFormed = (text: string) => text.isWellFormed();
const blankOr = (isValid: (text: string) => boolean) => (text: string) => !isPresent(text) || isValid(text);

export const FORMATS = {
  text: isWellFormed,
  'email-address': blankOr((text) => isEmail(text) && isWellFormed(text)),
  'language-tag': (text: string) => canonicalLanguage(text) !== undefined,
  'currency-code': blankOr((text) => canonicalCurrency(text) !== undefined),
  'date-time-text': (text: string) => parseDateTime(text) !== undefined,
  'bucket-name': blankOr(isBucketName),
  guid: blankOr((text) => parseTenantId(text) !== undefined),
  int32: { type: 'number', validate: (value: number) => value >= -(2 ** 31) && value < 2 ** 31 },
} satisfies Readonly<Record<string, Format>>;
