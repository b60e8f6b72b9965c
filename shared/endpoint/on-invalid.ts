import type { Tenant } from '../domain/tenant';
import { invalidFlag } from '../http/problems';
import { MAX_REJECTED_ELEMENTS } from '../domain/limits';
import type { BatchValidator, PartOfBatch, ValidBatch } from '../validation/batch';
import { ValidationFailed } from '../validation/validation-failed';
import type { RouteRequest } from './route';

/** What becomes of a batch with invalid elements: it is refused as a whole, or done without them. */
export type OnInvalid = 'refuse' | 'skip';

/** A batch that is valid, and what was skipped for that; undefined: nothing may be skipped. */
export type CheckedBatch<Dto> = ValidBatch<Dto> & {
  readonly skipped: Pick<PartOfBatch<Dto>, 'indexes' | 'rejected'> | undefined;
};

/** The query parameter `onInvalid`. @throws HttpProblem 400 for any value but `skip`, or its name in another case */
export function readOnInvalid(request: RouteRequest): OnInvalid {
  const value = request.exactQuery('onInvalid');
  if (value === null) return 'refuse';
  if (value === 'skip') return value;
  throw invalidFlag('onInvalid', 'skip');
}

/** @throws ValidationFailed where any element is invalid; if these are skipped, where all are */
export async function checkBatch<Dto>(
  validate: BatchValidator<Dto>,
  body: unknown,
  tenant: Tenant,
  onInvalid: OnInvalid,
): Promise<CheckedBatch<Dto>> {
  if (onInvalid === 'refuse') return { ...(await validate.inShares(body, tenant)), skipped: undefined };
  const { records, ignoredFields, ...skipped } = await validate.skippingInvalid(body, tenant);
  return { records, ignoredFields, skipped };
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
