import { MAX_VALIDATION_MESSAGES } from '../domain/limits';
import type { Violation } from './messages';
import { requiredMessage, tooLongViolation, toViolation } from './messages';
import { validatorOf } from './validators';

/** Checks a value; yields every violation, at most one "is required" for a field and then nothing else about it. */
export type SchemaCheck = (value: unknown, base: string) => Violation[];

/** A schema of objects, as far as arrays among their members matter. */
export interface ObjectSchema {
  readonly properties: Readonly<Record<string, object>>;
}

/** Violations of one value that are looked at; an answer has fewer messages. */
const MAX_ERRORS = 2 * MAX_VALIDATION_MESSAGES;

/**
 * Makes the check of a DTO schema. An array beyond its `maxItems` is not looked into: each element could be a
 * violation.
 */
export function compileSchema(schema: ObjectSchema): SchemaCheck {
  const validate = validatorOf(schema);
  const bounds = Object.entries(schema.properties).flatMap(([field, member]) =>
    'maxItems' in member ? [{ field, maxItems: member.maxItems as number }] : [],
  );
  return (value, base) => {
    const tooLong = bounds.filter(({ field, maxItems }) => lengthOf(value, field) > maxItems);
    if (tooLong.length > 0) return tooLong.map(({ field, maxItems }) => tooLongViolation(base, field, maxItems));
    if (validate(value)) return [];
    const violations = (validate.errors ?? []).slice(0, MAX_ERRORS).map((error) => toViolation(error, base));
    const missing = new Set(violations.filter(isMissing).map(({ path }) => path));
    return violations.filter((violation) => isMissing(violation) || !missing.has(violation.path));
  };
}

function lengthOf(value: unknown, field: string): number {
  const member: unknown = (value as Record<string, unknown> | null | undefined)?.[field];
  return Array.isArray(member) ? member.length : 0;
}

function isMissing({ path, message }: Violation): boolean {
  return message === requiredMessage(path.slice(path.lastIndexOf('.') + 1));
}
