/**
 * The elements of some sources, source after source. The first elements of later sources are fetched meanwhile, so that
 * the waits for them overlap; one element of each is held. When the consumer leaves, all that has begun is ended. A
 * failure of a source is thrown after all elements before it.
 * @param atOnce the sources that are open; 1: none is opened before it is needed
 */
export async function* readAhead<Source, Item>(
  sources: AsyncIterable<Source>,
  atOnce: number,
  open: (source: Source) => AsyncIterable<Item>,
): AsyncGenerator<Item, void, undefined> {
  const later = sources[Symbol.asyncIterator]();
  const opened: { readonly items: AsyncIterator<Item>; readonly first: Promise<IteratorResult<Item>> }[] = [];
  try {
    for (;;) {
      while (opened.length < atOnce) {
        const source = await later.next();
        if (source.done) break;
        const items = open(source.value)[Symbol.asyncIterator]();
        const first = items.next();
        first.catch(() => undefined); // thrown below, when it is its turn
        opened.push({ items, first });
      }
      const [current] = opened;
      if (!current) return;
      for (let next = await current.first; !next.done; next = await current.items.next()) yield next.value;
      opened.shift();
    }
  } finally {
    const iterators: AsyncIterator<unknown>[] = [later, ...opened.map(({ items }) => items)];
    await Promise.all(iterators.map(async (iterator) => iterator.return?.()));
  }
}
