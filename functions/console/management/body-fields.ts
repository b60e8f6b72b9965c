import { parseDateTime } from '../../../shared/domain/values/date-time';
import { isPresent } from '../../../shared/domain/values/text';
import { ValidationFailed } from '../../../shared/validation/validation-failed';
import { isObject } from '../../../shared/validation/values';

/**
 * The fields of a body that is one object, each of the type that its reader asks for. Null and a blank text count as
 * absent. What the values may be is up to the use case. All readers throw ValidationFailed.
 */
export class BodyFields {
  private readonly fields: Readonly<Record<string, unknown>>;

  /** @param names of all fields: a misspelt one must not be taken for an absent one @throws ValidationFailed */
  constructor(body: unknown, names: readonly string[]) {
    if (!isObject(body)) throw new ValidationFailed({ '': ['The request body must be a JSON object.'] });
    const unknown = Object.keys(body).find((name) => !names.includes(name));
    if (unknown !== undefined) throw refused(unknown, 'is not known');
    this.fields = body;
  }

  text(name: string): string | undefined {
    const value = this.fields[name] ?? undefined;
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || !value.isWellFormed()) throw refused(name, 'must be a text');
    return isPresent(value) ? value : undefined;
  }

  number(name: string): number | undefined {
    const value = this.fields[name] ?? undefined;
    if (value === undefined || typeof value === 'number') return value;
    throw refused(name, 'must be a number');
  }

  /** A time with its zone. */
  time(name: string): Date | undefined {
    const text = this.text(name);
    const time = text === undefined ? undefined : parseDateTime(text);
    if (text === undefined || time) return time;
    throw refused(name, 'must be a time such as 2026-03-01T10:00:00Z');
  }

  /** A list of some words. */
  words<Word extends string>(name: string, words: readonly Word[]): Word[] | undefined {
    const value = this.fields[name] ?? undefined;
    if (value === undefined) return undefined;
    const found = Array.isArray(value) ? value.map((one) => words.find((word) => word === one)) : [undefined];
    const known = found.filter((word) => word !== undefined);
    if (known.length === found.length) return known;
    throw refused(name, `must be a list of some of ${words.join(', ')}`);
  }
}

function refused(name: string, complaint: string): ValidationFailed {
  return new ValidationFailed({ [name]: [`${name} ${complaint}.`] });
}
