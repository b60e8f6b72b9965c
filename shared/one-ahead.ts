/**
 * Prepares each item while the one before it is in use: whoever takes a prepared item works on it while the next one is
 * fetched and prepared. A failure, of `items` or of a preparation, comes after all items before it.
 */
export async function* oneAhead<T, P>(
  items: AsyncIterable<T>,
  prepare: (item: T) => Promise<P>,
): AsyncGenerator<P, void, undefined> {
  let prepared: Promise<P> | undefined;
  try {
    for await (const item of items) {
      const current = prepared;
      prepared = undefined;
      const next = prepare(item);
      next.catch(() => undefined); // whoever gets as far as this item sees its failure
      if (current) yield await current;
      prepared = next;
    }
  } catch (error) {
    if (prepared) yield await prepared;
    throw error;
  }
  if (prepared) yield await prepared;
}
