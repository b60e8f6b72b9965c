/** The messages of body validation (Spec §7.2, D-14 to D-17, D-37). */
import type { ErrorObject } from 'ajv';

export const requiredMessage = (field: string) => `The ${field} field is required.`;

const blankPathMessage = (field: string) =>
  `The field ${field} must not have a blank path: leave the field out to read the whole bucket, or name a folder.`;

const BY_FORMAT: Readonly<Record<string, (field: string) => string>> = {
  text: (field) => `The field ${field} must be well-formed Unicode text.`,
  'email-address': (field) => `The field ${field} must be an e-mail address.`,
  'language-tag': (field) => `The field ${field} must be an IETF BCP 47 tag of the form language[-script][-region].`,
  'currency-code': (field) => `The field ${field} must be an ISO 4217 currency code.`,
  'date-time-text': (field) => `The field ${field} must be an ISO 8601 date or date-time.`,
  'bucket-name': (field) => `The field ${field} must be a valid Cloud Storage bucket name.`,
  guid: (field) => `The field ${field} must be a GUID.`,
  int32: (field) => `The field ${field} must be an integer.`,
};

/** What is said of a field that is not of a format. */
export const formatMessage = (format: string, field: string) =>
  BY_FORMAT[format]?.(field) ?? `The field ${field} is not valid.`;

const BY_TYPE: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
};

/** A broken rule: its path in the form of Spec §7.2, and its message in the words of the specification. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

/**
 * Translates an error of ajv into the words of the specification.
 * @param error made with ajv's option `verbose`.
 * @param base path of the validated value: `[3]` for an element of a batch, empty for an object that is the whole body.
 */
export function toViolation(error: ErrorObject, base: string): Violation {
  const segments = error.instancePath.split('/').slice(1);
  if (error.keyword === 'required') segments.push((error.params as { missingProperty: string }).missingProperty);
  const path = toPath(base, segments);
  const field = segments.findLast((segment) => !isIndex(segment)) ?? '';
  return { path, message: toMessage(error, field, isIndex(segments.at(-1) ?? '')) };
}

/** Describes an array with too many elements. */
export function tooLongViolation(base: string, field: string, maxItems: number): Violation {
  return {
    path: toPath(base, [field]),
    message: `The field ${field} must be an array with a maximum length of ${maxItems}.`,
  };
}

function toMessage(error: ErrorObject, field: string, isElement: boolean): string {
  const params = error.params as Record<string, unknown>;
  const schema = error.parentSchema as { minimum?: number; maximum?: number } | undefined;
  switch (error.keyword) {
    case 'required':
      return requiredMessage(field);
    case 'pattern': // every pattern of the schemas requires a text that is not blank
      return isElement ? blankPathMessage(field) : requiredMessage(field);
    case 'type':
      if (field === '') return 'The element must be an object.';
      return error.data === null && !isElement
        ? requiredMessage(field)
        : `The field ${field} must be ${BY_TYPE[firstType(params.type)] ?? 'of another type'}.`;
    case 'format':
      return formatMessage(params.format as string, field);
    case 'maxLength':
      return `The field ${field} must be a string with a maximum length of ${params.limit as number}.`;
    case 'minimum':
    case 'maximum':
      return `The field ${field} must be between ${schema?.minimum ?? 0} and ${schema?.maximum ?? 0}.`;
    default:
      throw new Error(`No message is known for the JSON Schema keyword ${error.keyword}.`);
  }
}

/** `type` is a name, or a list of a name and `null` for optional fields. */
function firstType(type: unknown): string {
  return String(Array.isArray(type) ? type[0] : type);
}

function toPath(base: string, segments: readonly string[]): string {
  return segments.reduce((path, segment) => {
    if (isIndex(segment)) return `${path}[${segment}]`;
    return path === '' ? segment : `${path}.${segment}`;
  }, base);
}

function isIndex(segment: string): boolean {
  return /^\d+$/.test(segment);
}
