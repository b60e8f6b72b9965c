import type { Clock } from '../../platform/clock';

/** A source gave nothing for too long. It may be asked again. */
export class SourceSilent extends Error {
  override readonly name = 'SourceSilent';
}

/**
 * Passes the items on, each awaited for at most `limitMs`; what their user does between two of them takes as long as it
 * takes. The source is left as it is: whoever has it ends it.
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
