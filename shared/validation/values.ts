import { isPresent } from '../domain/values/text';

/**
 * Whether a field has a value: null, empty and blank count as missing (D-12). One of a wrong type is a value, and
 * wrong.
 */
export function hasValue(value: unknown): boolean {
  return typeof value === 'string' ? isPresent(value) : value !== undefined && value !== null;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
