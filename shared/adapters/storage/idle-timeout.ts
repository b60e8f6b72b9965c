import type { Clock } from '../../platform/clock';

/** A source was silent for too long. It may be read again. */
export class SourceSilent extends Error {
  override readonly name = 'SourceSilent';
}

/**
 * Yields the items, and waits for each at most `limitMs`. The time that the consumer takes between two items does not
 * count. The source is not closed; that is left to its owner.
 * @throws SourceSilent when an item, or the end, does not come in time; errors of `items` as they are
 */
export async function* withIdleTimeout<T>(
  items: AsyncIterable<T>,
  limitMs: number,
  clock: Clock,
): AsyncGenerator<T, void, undefined> {
  const source = items[Symbol.asyncIterator]();
  for (;;) {
    const waiting = new AbortController();
    const silence = clock.sleep(limitMs, waiting.signal).then(() => undefined);
    let next: IteratorResult<T, unknown> | undefined;
    try {
      next = await Promise.race([source.next(), silence]);
    } finally {
      waiting.abort();
    }
    if (!next) throw new SourceSilent(`Nothing has come for ${limitMs / 1000} s.`);
    if (next.done) return;
    yield next.value;
  }
}
