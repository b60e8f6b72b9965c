/** Says where a value differs from what is expected. */

/** Expected values that stand for any value of a kind. */
export const TIME_OF_THIS_RUN = '<time of this run>';
export const ANY_TEXT = '<any text>';
export const ANY_WHOLE_NUMBER = '<any whole number>';
export const ANY_LIST = '<any list with elements>';

/** No run takes longer. */
const LONGEST_RUN_MS = 10 * 60_000;

/** Clocks of two machines that keep time agree as well. */
export const CLOCKS_DIFFER_MS = 2_000;

/**
 * Sentences such as `OrderItems[0].Price: expected 3, found 4`; none when both are equal. Absence differs from null.
 */
export function differences(expected: unknown, actual: unknown, path = ''): string[] {
  if (Array.isArray(expected) && Array.isArray(actual)) return arrayDifferences(expected, actual, path);
  if (isObject(expected) && isObject(actual)) {
    const fields = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...fields].flatMap((field) =>
      differences(expected[field], actual[field], path === '' ? field : `${path}.${field}`),
    );
  }
  if (matches(expected, actual)) return [];
  return [`${path === '' ? '' : `${path}: `}expected ${toText(expected)}, found ${toText(actual)}`];
}

/** The same for the fields that `expected` names; null there means that the field must not be there or be null. */
export function differencesOfNamed(expected: object, actual: object): string[] {
  const found = actual as Readonly<Record<string, unknown>>;
  return Object.entries(expected).flatMap(([field, value]) => differences(value, found[field] ?? null, field));
}

function arrayDifferences(expected: readonly unknown[], actual: readonly unknown[], path: string): string[] {
  const length = Math.max(expected.length, actual.length);
  return Array.from({ length }, (_, i) => differences(expected[i], actual[i], `${path}[${i}]`)).flat();
}

function matches(expected: unknown, actual: unknown): boolean {
  switch (expected) {
    case TIME_OF_THIS_RUN: {
      const ageMs = typeof actual === 'string' && actual.endsWith('Z') ? Date.now() - Date.parse(actual) : NaN;
      return ageMs >= -CLOCKS_DIFFER_MS && ageMs <= LONGEST_RUN_MS;
    }
    case ANY_TEXT:
      return typeof actual === 'string' && actual !== '';
    case ANY_WHOLE_NUMBER:
      return Number.isInteger(actual);
    case ANY_LIST:
      return Array.isArray(actual) && actual.length > 0;
    default:
      return Object.is(expected, actual);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const LONGEST_TEXT = 160;

function toText(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}
