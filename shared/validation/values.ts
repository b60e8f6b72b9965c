import { isPresent } from '../domain/values/text';

/** Whether a field has a value: null, empty and blank count as missing (D-12). A value of a wrong type is a value. */
export function hasValue(value: unknown): boolean {
  return typeof value === 'string' ? isPresent(value) : value !== undefined && value !== null;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
