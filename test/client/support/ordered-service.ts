/**
 * A service that applies each batch at a moment of its own, and loses, refuses, repeats and delays requests as a seed
 * says. It is compared with the same elements applied one after the other.
 */
import type { FakePlatform, SentRequest } from './fake-platform';
import { refusal, success } from './fake-platform';

/** What happens to one request; `late`: its connection is cut at once, and it is worked on up to 29 s later. */
export type Fate = 'done' | 'slow' | 'cutBefore' | 'cutAfter' | 'late' | 'refusedBefore' | 'refusedAfter' | 'gateway';

export const FATES: readonly Fate[] = [
  'done',
  'slow',
  'cutBefore',
  'cutAfter',
  'late',
  'refusedBefore',
  'refusedAfter',
  'gateway',
];

const SLOW_MS = 5_000;
const LATE_MS = 29_000;

export class OrderedService<Element> {
  private drawn = 0;

  constructor(
    private readonly apply: (element: Element) => void,
    private readonly fates: readonly Fate[],
    private readonly platform: () => FakePlatform,
  ) {}

  readonly handle = async ({ body }: SentRequest): Promise<Response> => {
    const elements = body as Element[];
    // Once the fates are used up all goes well, so that every feed comes to its end.
    const fate = this.fates[this.drawn++] ?? 'done';
    const done = success({ count: elements.length, created: 0, updated: elements.length });
    switch (fate) {
      case 'done':
        this.applyAll(elements);
        return done;
      case 'slow':
        await this.platform().sleep(SLOW_MS);
        this.applyAll(elements);
        return done;
      case 'cutBefore':
        throw new TypeError('fetch failed');
      case 'cutAfter':
        this.applyAll(elements);
        throw new TypeError('fetch failed');
      case 'late':
        void this.platform()
          .sleep(LATE_MS)
          .then(() => this.applyAll(elements));
        throw new TypeError('fetch failed');
      case 'refusedBefore':
        return refusal(503, 'Full.', { 'Retry-After': '1' });
      case 'refusedAfter':
        this.applyAll(elements);
        return refusal(500, 'Broken.');
      case 'gateway':
        void this.platform()
          .sleep(LATE_MS)
          .then(() => this.applyAll(elements));
        return new Response('<html>', { status: 504 });
    }
  };

  private applyAll(elements: readonly Element[]): void {
    for (const element of elements) this.apply(element);
  }
}
