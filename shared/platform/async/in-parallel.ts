/**
 * Does the work of all items, at most `limit` at once. After a failure it begins no more work, and throws when all work
 * that it has begun is over: nothing continues in the background.
 */
export async function inParallel<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  let isEnding = false;
  const worker = async () => {
    try {
      for (let next = rest.next(); !next.done && !isEnding; next = rest.next()) await work(next.value);
    } finally {
      isEnding = true; // no item is left, or this one failed
    }
  };
  await waitForAll(Array.from({ length: limit }, worker));
}

/** Like `Promise.all`, but throws only when all promises are settled. */
export async function waitForAll<T extends readonly unknown[] | []>(
  works: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(works);
  return Promise.all(works);
}
