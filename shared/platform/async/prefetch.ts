import { setImmediate as turn } from 'node:timers/promises';

/**
 * Fetches and prepares each item while the one before it is in use. The next one begins a turn of the event loop after
 * its predecessor is given out, so that what its user sends is on its way before the processor is busy with the next. A
 * failure, of `items` or of a preparation, comes after all items before it. When the user leaves, nothing goes on
 * behind its back.
 */
export async function* prefetch<T, P>(
  items: AsyncIterable<T>,
  prepare: (item: T) => Promise<P>,
): AsyncGenerator<P, void, undefined> {
  const source = items[Symbol.asyncIterator]();
  let isWanted = true;
  const fetch = async (): Promise<{ readonly prepared: P } | undefined> => {
    if (!isWanted) return undefined;
    const { done, value } = (await source.next()) as IteratorResult<T, undefined>;
    return done ? undefined : { prepared: await prepare(value) };
  };
  let next = fetch();
  try {
    for (let current = await next; current; current = await next) {
      next = turn().then(fetch);
      next.catch(() => undefined); // whoever gets as far as this item sees its failure
      yield current.prepared;
    }
  } finally {
    isWanted = false;
    await next.catch(() => undefined);
    await source.return?.();
  }
}
