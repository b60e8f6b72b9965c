import { setImmediate as turn } from 'node:timers/promises';

/**
 * Fetches and prepares each item while the consumer uses the one before it. The next item begins a turn of the event
 * loop after the previous one was yielded, so requests of the consumer are sent before the processor is busy with the
 * next item. A failure, of `items` or of `prepare`, is thrown after all items before it. When the consumer leaves,
 * nothing continues in the background.
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
      next.catch(() => undefined); // a consumer that gets as far as this item sees its failure
      yield current.prepared;
    }
  } finally {
    isWanted = false;
    await next.catch(() => undefined);
    await source.return?.();
  }
}
