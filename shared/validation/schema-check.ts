import type { ErrorObject } from 'ajv';
import { MAX_VALIDATION_MESSAGES } from '../domain/limits';
import type { Violation } from './messages';
import { requiredMessage, tooLongViolation, toViolation } from './messages';
import { validatorOf } from './validators';

export interface SchemaCheck {
  /**
   * Checks a value; yields its violations, at most one "is required" for a field and then nothing else about it.
   * @param onMore is told how many there are beyond those that are looked at.
   */
  (value: unknown, base: string, onMore?: (count: number) => void): Violation[];
  /** How many violations there are, without what they are. @param isKnown says of which fields not to count them. */
  count(value: unknown, isKnown: (field: string) => boolean): number;
}

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
export function compileSchemaCheck(schema: ObjectSchema): SchemaCheck {
  const validate = validatorOf(schema);
  const bounds = Object.entries(schema.properties).flatMap(([field, member]) =>
    'maxItems' in member ? [{ field, maxItems: member.maxItems as number }] : [],
  );
  const tooLongIn = (value: unknown) => bounds.filter(({ field, maxItems }) => lengthOf(value, field) > maxItems);
  const errorsOf = (value: unknown) => (validate(value) ? [] : (validate.errors ?? []));

  const check = (value: unknown, base: string, onMore?: (count: number) => void): Violation[] => {
    const tooLong = tooLongIn(value);
    if (tooLong.length > 0) return tooLong.map(({ field, maxItems }) => tooLongViolation(base, field, maxItems));
    const errors = errorsOf(value);
    let end = Math.min(MAX_ERRORS, errors.length);
    while (end < errors.length && errors[end]?.instancePath === errors[end - 1]?.instancePath) end += 1;
    if (end < errors.length) onMore?.(countFields(errors, end));
    const violations = errors.slice(0, end).map((error) => toViolation(error, base));
    const missing = new Set(violations.filter(isMissing).map(({ path }) => path));
    return violations.filter((violation) => isMissing(violation) || !missing.has(violation.path));
  };
  const count = (value: unknown, isKnown: (field: string) => boolean) => {
    const tooLong = tooLongIn(value);
    return tooLong.length > 0 ? tooLong.length : countFields(errorsOf(value), 0, isKnown);
  };
  return Object.assign(check, { count });
}

/** Violations from the place `start` on: those of one value come one after the other, and a blank one counts once. */
function countFields(errors: readonly ErrorObject[], start: number, isKnown?: (field: string) => boolean): number {
  let count = 0;
  let blank: string | undefined;
  for (let index = start; index < errors.length; index += 1) {
    const { keyword, instancePath, params } = errors[index] as ErrorObject;
    const field = keyword === 'required' ? (params as { missingProperty: string }).missingProperty : '';
    if (isKnown?.(field === '' ? instancePath.slice(1) : instancePath === '' ? field : '')) continue;
    if (keyword !== 'required' && instancePath === blank) continue;
    // Of a value that is blank, what else is wrong may have been counted just before.
    if (keyword === 'pattern') {
      for (let back = index - 1; back >= start && errors[back]?.instancePath === instancePath; back -= 1) count -= 1;
      blank = instancePath;
    }
    count += 1;
  }
  return count;
}

function lengthOf(value: unknown, field: string): number {
  const member: unknown = (value as Record<string, unknown> | null | undefined)?.[field];
  return Array.isArray(member) ? member.length : 0;
}

function isMissing({ path, message }: Violation): boolean {
  return message === requiredMessage(path.slice(path.lastIndexOf('.') + 1));
}
