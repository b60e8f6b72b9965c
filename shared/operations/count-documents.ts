import { Status, statusOf } from '../platform/retry';
import { RetryLater } from '../platform/retry-later';
import { pagesOf } from '../documents/pages';
import type { Operator } from './operator';

/**
 * How many documents a collection has. Where the database cannot count them in one call, they are counted page by page,
 * however long that takes.
 */
export async function countDocuments(
  collection: string,
  { store, deadline, progress }: Pick<Operator, 'store' | 'deadline' | 'progress'>,
): Promise<number> {
  try {
    return await store.count(collection, deadline());
  } catch (error) {
    // The second one: the time of a step is shorter than that of a call, and has ended first.
    if (statusOf(error) !== Status.DEADLINE_EXCEEDED && !(error instanceof RetryLater)) throw error;
  }
  let count = 0;
  for await (const page of pagesOf(store, collection, deadline)) {
    count += page.length;
    progress(`${count} ${collection.slice(collection.lastIndexOf('/') + 1)} counted`);
  }
  return count;
}
