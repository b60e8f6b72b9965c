import { isOutOfTime } from '../platform/retry';
import { RetryLater } from '../platform/retry-later';
import type { FieldValue } from '../documents/document-store';
import { pagesByOneQuery } from '../documents/pages';
import type { Operator } from './operator';

/**
 * The number of documents in a collection. When the database cannot count them in one call, this goes through them,
 * however long that takes.
 * @param without documents that do not count: those whose field has this value
 * @throws RetryLater when they cannot be counted in one call, and all that is done has one deadline
 */
export async function countDocuments(
  collection: string,
  { store, deadline, progress }: Pick<Operator, 'store' | 'deadline' | 'progress'>,
  without?: FieldValue,
): Promise<number> {
  const first = deadline();
  try {
    const all = await store.count(collection, first);
    return without ? all - (await store.count(collection, deadline(), without)) : all;
  } catch (error) {
    // RetryLater: a step's deadline is shorter than a call's timeout, and passed first.
    if (!isOutOfTime(error) && !(error instanceof RetryLater)) throw error;
    // A request has one deadline for all that it does. Each step of a command has its own.
    if (deadline() === first) throw new RetryLater('No time is left to count.', { cause: error });
  }
  let count = 0;
  for await (const page of pagesByOneQuery(store, collection, deadline)) {
    count += page.filter(({ data }) => !without || data[without.field] !== without.value).length;
    progress(`${count} ${collection.slice(collection.lastIndexOf('/') + 1)} counted`);
  }
  return count;
}
