/** Values of the command line's options. */
import { MAX_ORGANIZATION_LENGTH } from '../domain/limits';
import { isPresent } from '../domain/values/text';
import { OperatorError } from './operator-error';

/** The name of an organization. @throws OperatorError */
export function requireOrganization(text: string): string {
  if (!isPresent(text) || text.length > MAX_ORGANIZATION_LENGTH)
    throw new OperatorError(`--organization must be a text of 1 to ${MAX_ORGANIZATION_LENGTH} characters.`);
  return text.trim();
}

/** The value of an option that has only some, in any case. @throws OperatorError */
export function requireOneOf<T extends string>(option: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((value) => value === text.trim().toLowerCase());
  if (!found) throw new OperatorError(`${option} must be one of ${allowed.join(', ')}; it is "${text}".`);
  return found;
}

/** The number that an option gives, from 1 to `most`; `otherwise` where it is not given. @throws OperatorError */
export function requireWholeNumber(option: string, otherwise: number, most: number, text: string | undefined): number {
  const number = Number(text ?? otherwise);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new OperatorError(`${option} must be a whole number, 1 to ${most}; it is "${text ?? ''}".`);
}
