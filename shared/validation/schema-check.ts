import type { ErrorObject } from 'ajv';
import { MAX_VALIDATION_MESSAGES } from '../domain/limits';
import type { Violation } from './messages';
import { requiredMessage, tooLongViolation, toViolation } from './messages';
import { validatorOf } from './validators';

export interface SchemaCheck {
  /**
   * Returns the violations of a value. A field that "is required" has only this one.
   * @param base path of the value.
   * @param onOmitted is called with the number of violations beyond those that are returned.
   */
  (value: unknown, base: string, onOmitted?: (count: number) => void): Violation[];
  /** Counts the violations of a value. @param isReported whether a field's violations are reported elsewhere. */
  count(value: unknown, isReported: (field: string) => boolean): number;
}

/** The JSON Schema of an object. */
export interface ObjectSchema {
  readonly properties: Readonly<Record<string, object>>;
}

/** Errors of one value that become violations, more than an answer has. Those of one field are kept together. */
const MAX_EXAMINED_ERRORS = 2 * MAX_VALIDATION_MESSAGES;

/**
 * Compiles the check of a DTO schema. If an array exceeds its `maxItems`, this is the only violation reported: each of
 * its elements could be another one.
 */
export function compileSchemaCheck(schema: ObjectSchema): SchemaCheck {
  const validate = validatorOf(schema);
  const arrayBounds = Object.entries(schema.properties).flatMap(([field, member]) =>
    'maxItems' in member ? [{ field, maxItems: member.maxItems as number }] : [],
  );
  const tooLongIn = (value: unknown) => arrayBounds.filter(({ field, maxItems }) => lengthOf(value, field) > maxItems);
  const errorsOf = (value: unknown) => (validate(value) ? [] : (validate.errors ?? []));

  const check = (value: unknown, base: string, onOmitted?: (count: number) => void): Violation[] => {
    const tooLong = tooLongIn(value);
    if (tooLong.length > 0) return tooLong.map(({ field, maxItems }) => tooLongViolation(base, field, maxItems));
    const errors = errorsOf(value);
    let end = Math.min(MAX_EXAMINED_ERRORS, errors.length);
    while (end < errors.length && errors[end]?.instancePath === errors[end - 1]?.instancePath) end += 1;
    if (end < errors.length) onOmitted?.(countFields(errors, end));
    const violations = errors.slice(0, end).map((error) => toViolation(error, base));
    const missing = new Set(violations.filter(isMissing).map(({ path }) => path));
    return violations.filter((violation) => isMissing(violation) || !missing.has(violation.path));
  };
  const count = (value: unknown, isReported: (field: string) => boolean) => {
    const tooLong = tooLongIn(value);
    return tooLong.length > 0 ? tooLong.length : countFields(errorsOf(value), 0, isReported);
  };
  return Object.assign(check, { count });
}

/** Counts the violations from index `start` on. A blank value counts once: the errors of one value are adjacent. */
function countFields(errors: readonly ErrorObject[], start: number, isReported?: (field: string) => boolean): number {
  let count = 0;
  let blankPath: string | undefined;
  for (let index = start; index < errors.length; index += 1) {
    const { keyword, instancePath, params } = errors[index] as ErrorObject;
    const field = keyword === 'required' ? (params as { missingProperty: string }).missingProperty : '';
    if (isReported?.(field === '' ? instancePath.slice(1) : instancePath === '' ? field : '')) continue;
    if (keyword !== 'required' && instancePath === blankPath) continue;
    // Other errors of the blank value may have been counted just before: take them back.
    if (keyword === 'pattern') {
      for (
        let previous = index - 1;
        previous >= start && errors[previous]?.instancePath === instancePath;
        previous -= 1
      )
        count -= 1;
      blankPath = instancePath;
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
