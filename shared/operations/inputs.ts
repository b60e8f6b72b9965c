/** Rules for values that several use cases take. */
import { MAX_ORGANIZATION_LENGTH } from '../domain/limits';
import { isPresent } from '../domain/values/text';
import { InvalidInput } from './operator-error';

/** What a list is about. */
export interface Scope {
  /** A tenant's GUID; absent: all tenants. */
  readonly tenant?: string;
}

/** The name of an organization, trimmed. @throws InvalidInput */
export function requireOrganization(name: string): string {
  if (!isPresent(name) || name.length > MAX_ORGANIZATION_LENGTH)
    throw new InvalidInput('organization', `must be a text of 1 to ${MAX_ORGANIZATION_LENGTH} characters`);
  return name.trim();
}

/** A whole number from 1 to `most`. @throws InvalidInput otherwise, for NaN too */
export function requireWholeNumber(field: string, value: number, most: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new InvalidInput(field, `must be a whole number, 1 to ${most}`, value);
}
