import type { ValidationErrors } from '../../../shared/validation/validation-failed';
import { ValidationFailed } from '../../../shared/validation/validation-failed';

/** The violations with which `validate` fails; fails the test when it does not. */
export function errorsOf(validate: () => unknown): ValidationErrors {
  return failureOf(validate).errors;
}

/** That with which `validate` fails; fails the test when it does not. */
export function failureOf(validate: () => unknown): ValidationFailed {
  try {
    validate();
  } catch (error) {
    if (error instanceof ValidationFailed) return error;
    throw error;
  }
  throw new Error('The validation was expected to fail.');
}
