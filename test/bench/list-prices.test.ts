import { LIST_PRICES, priceOf } from './list-prices';

const NOTHING = {
  reads: 0,
  writes: 0,
  deletes: 0,
  refused: 0,
  messages: 0,
  cpuSeconds: 0,
  instanceSeconds: 0,
  requests: 0,
};

describe('priceOf', () => {
  it.each([
    ['reads', { reads: 1_000_000 }, 0.3],
    ['writes', { writes: 1_000_000 }, 0.9],
    ['deletes', { deletes: 1_000_000 }, 0.1],
    ['refused writes, as reads', { refused: 1_000_000 }, 0.3],
    ['requests with their log', { requests: 1_000_000 }, 0.4 + 0.5 * (1_536_000_000 / 2 ** 30)],
    ['the CPU and memory of an instance, however much of it is used', { instanceSeconds: 3_600 }, 0.0864 + 0.009],
    ['no CPU beside it', { cpuSeconds: 3_600 }, 0],
    ['messages of less than a kilobyte', { messages: 2 ** 40 / 1_000 }, 40],
  ])('prices %s', (_, consumption, dollars) => {
    expect(priceOf({ ...NOTHING, ...consumption })).toBeCloseTo(dollars, 9);
  });

  it('adds up, and nothing costs nothing', () => {
    expect(priceOf(NOTHING)).toBe(0);
    expect(priceOf({ ...NOTHING, reads: 100_000, writes: 100_000 })).toBeCloseTo(0.12, 9);
  });

  it('knows the day of its prices', () => {
    expect(LIST_PRICES.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });
});
