/** Elements that were left out of a batch because they are invalid, and the others. */
import { MAX_REJECTED_ELEMENTS } from '../domain/limits';
import type { ElementErrors } from './validation-failed';
import { ValidationFailed } from './validation-failed';

/** Paths in its errors have no index. */
export interface RejectedElement extends ElementErrors {
  /** Its index in the batch as it was sent. */
  readonly index: number;
}

export interface RejectedElements {
  readonly count: number;
  /** The first MAX_REJECTED_ELEMENTS of them, in their order. */
  readonly first: readonly RejectedElement[];
}

/** The elements of a batch that are left, with what was left out. */
export interface PartOfBatch<Dto> {
  readonly records: readonly Dto[];
  /** The index of each record in the batch as it was sent. */
  readonly indexes: readonly number[];
  readonly rejected: RejectedElements;
}

/** The index of an element in a path such as `[3].Name`, and the rest of the path. */
const ELEMENT_PATH = /^\[(\d+)\]\.?(.*)$/s;

/**
 * The part of a batch without the elements that an error is about, whose paths have the indexes of `records`.
 * @returns undefined where the error is about no element
 */
export function withoutRefused<Dto>(
  { records, indexes, rejected }: PartOfBatch<Dto>,
  { errors }: ValidationFailed,
): PartOfBatch<Dto> | undefined {
  const refused = new Map<number, Record<string, readonly string[]>>();
  for (const [path, messages] of Object.entries(errors)) {
    const [, place, rest = ''] = ELEMENT_PATH.exec(path) ?? [];
    if (place === undefined) return undefined;
    const ofElement = refused.get(Number(place)) ?? {};
    refused.set(Number(place), { ...ofElement, [rest]: messages });
  }
  if (refused.size === 0) return undefined;
  const isLeft = (_: unknown, place: number) => !refused.has(place);
  const added = [...refused].map(([place, ofElement]) => ({ index: indexes[place] ?? place, errors: ofElement }));
  const first = [...rejected.first, ...added].sort((a, b) => a.index - b.index).slice(0, MAX_REJECTED_ELEMENTS);
  return {
    records: records.filter(isLeft),
    indexes: indexes.filter(isLeft),
    rejected: { count: rejected.count + refused.size, first },
  };
}

/** The same error with the indexes of the batch as it was sent. */
export function withSentIndexes({ errors, details }: ValidationFailed, indexes: readonly number[]): ValidationFailed {
  const toSent = (path: string) => path.replace(/^\[(\d+)\]/, (_, place: string) => `[${indexes[Number(place)]}]`);
  const sent = Object.entries(errors).map(([path, messages]) => [toSent(path), messages] as const);
  return new ValidationFailed(Object.fromEntries(sent), details);
}
