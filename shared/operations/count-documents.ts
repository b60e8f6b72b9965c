import { Status, statusOf } from '../platform/retry';
import { RetryLater } from '../platform/retry-later';
import { pagesOf } from '../documents/pages';
import type { Operator } from './operator';

/**
 * The number of documents in a collection. When the database cannot count them in one call, this counts page by page,
 * however long that takes.
 */
export async function countDocuments(
  collection: string,
  { store, deadline, progress }: Pick<Operator, 'store' | 'deadline' | 'progress'>,
): Promise<number> {
  try {
    return await store.count(collection, deadline());
  } catch (error) {
    // RetryLater: a step's deadline is shorter than a call's timeout, and passed first.
    if (statusOf(error) !== Status.DEADLINE_EXCEEDED && !(error instanceof RetryLater)) throw error;
  }
  let count = 0;
  for await (const page of pagesOf(store, collection, deadline)) {
    count += page.length;
    progress(`${count} ${collection.slice(collection.lastIndexOf('/') + 1)} counted`);
  }
  return count;
}
