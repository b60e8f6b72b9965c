/** ajv, set up for the DTO schemas: one compiled check a schema. */
import type { ValidateFunction } from 'ajv';
import Ajv from 'ajv';
import { isBucketName } from '../domain/bucket-name';
import { canonicalCurrency } from '../domain/currency';
import { parseDateTime } from '../domain/date-time';
import { isEmail } from '../domain/email';
import { canonicalLanguage } from '../domain/language';
import { parseTenantId } from '../domain/tenant';
import { isPresent } from '../domain/text';
import type { Violation } from './messages';
import { requiredMessage, toViolation } from './messages';

const ajv = new Ajv({ allErrors: true, verbose: true, strict: true, allowUnionTypes: true });

const isWellFormed = (text: string) => text.isWellFormed();
const blankOr = (holds: (text: string) => boolean) => (text: string) => !isPresent(text) || holds(text);

ajv.addFormat('text', isWellFormed);
ajv.addFormat(
  'email-address',
  blankOr((text) => isEmail(text) && isWellFormed(text)),
);
ajv.addFormat('language-tag', (text: string) => canonicalLanguage(text) !== undefined);
ajv.addFormat(
  'currency-code',
  blankOr((text) => canonicalCurrency(text) !== undefined),
);
ajv.addFormat('date-time-text', (text: string) => parseDateTime(text) !== undefined);
ajv.addFormat('bucket-name', blankOr(isBucketName));
ajv.addFormat(
  'guid',
  blankOr((text) => parseTenantId(text) !== undefined),
);
ajv.addFormat('int32', { type: 'number', validate: (value: number) => value >= -(2 ** 31) && value < 2 ** 31 });

/** Checks a value; yields every violation, at most one "is required" for a field and then nothing else about it. */
export type SchemaCheck = (value: unknown, base: string) => Violation[];

/** Compiles a schema. */
export function compileSchema(schema: object): SchemaCheck {
  const validate: ValidateFunction = ajv.compile(schema);
  return (value, base) => {
    if (validate(value)) return [];
    const violations = (validate.errors ?? []).map((error) => toViolation(error, base));
    const missing = new Set(violations.filter(isMissing).map(({ path }) => path));
    return violations.filter((violation) => isMissing(violation) || !missing.has(violation.path));
  };
}

function isMissing({ path, message }: Violation): boolean {
  return message === requiredMessage(path.slice(path.lastIndexOf('.') + 1));
}
