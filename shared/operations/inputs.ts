/** Rules for values that several use cases take. */
import { MAX_NAME_LENGTH, MAX_ORGANIZATION_LENGTH } from '../domain/limits';
import { isPresent } from '../domain/values/text';
import { InvalidInput } from './operator-error';

/** What a list is about. */
export interface Scope {
  /** A tenant's GUID; absent: all tenants. */
  readonly tenant?: string;
}
/** Characters that end a line or command a terminal. */
const CONTROLS = /[\p{Cc}\u2028\u2029]/u;

/** The name of an organization, trimmed. @throws InvalidInput */
export function requireOrganization(name: string): string {
  if (!isPresent(name) || name.length > MAX_ORGANIZATION_LENGTH || !name.isWellFormed())
    throw new InvalidInput('organization', `must be a text of 1 to ${MAX_ORGANIZATION_LENGTH} characters`);
  return name.trim();
}

/** The name of a tenant or a key, trimmed. @throws InvalidInput */
export function requireName(field: string, text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= MAX_NAME_LENGTH && name.isWellFormed() && !CONTROLS.test(name)) return name;
  throw new InvalidInput(field, `must be a text of 1 to ${MAX_NAME_LENGTH} characters without line breaks`);
}

/** A whole number from 1 to `most`. @throws InvalidInput otherwise, for NaN too */
export function requireWholeNumber(field: string, value: number, most: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new InvalidInput(field, `must be a whole number, 1 to ${most}`, value);
}
