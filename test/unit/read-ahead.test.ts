import { setImmediate as nextTurn } from 'node:timers/promises';
import { readAhead } from '../../shared/platform/async/read-ahead';

const MANY = 100;

/** Sources of two elements each; remembers which are open, and how many were at most. */
class Sources {
  readonly open = new Set<number>();
  mostOpen = 0;
  opened = 0;
  isEnded = false;

  constructor(private readonly failingAt = Infinity) {}

  async *all(): AsyncGenerator<number> {
    try {
      for (let source = 0; source < MANY; source += 1) yield await Promise.resolve(source);
    } finally {
      this.isEnded = true;
    }
  }

  readonly read = async function* (this: Sources, source: number): AsyncGenerator<string> {
    this.open.add(source);
    this.opened += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open.size);
    try {
      await nextTurn();
      if (source === this.failingAt) throw new Error(`${source} cannot be read.`);
      yield `${source}a`;
      await nextTurn();
      yield `${source}b`;
    } finally {
      this.open.delete(source);
    }
  }.bind(this);
}

const expected = (count: number) => Array.from({ length: count }, (_, source) => [`${source}a`, `${source}b`]).flat();

it.each([1, 2, 7, MANY + 1])('gives all elements in their order, with %d sources open', async (atOnce) => {
  const sources = new Sources();
  const items: string[] = [];
  for await (const item of readAhead(sources.all(), atOnce, sources.read)) items.push(item);
  expect(items).toEqual(expected(MANY));
  expect([sources.mostOpen, sources.open.size]).toEqual([Math.min(atOnce, MANY), 0]);
});

it('throws a failure after all elements before it, and ends what was opened', async () => {
  const sources = new Sources(5);
  const items: string[] = [];
  const reading = async () => {
    for await (const item of readAhead(sources.all(), 4, sources.read)) items.push(item);
  };
  await expect(reading()).rejects.toThrow('5 cannot be read.');
  expect(items).toEqual(expected(5));
  expect([sources.open.size, sources.isEnded]).toEqual([0, true]);
});

it('ends what was opened when the consumer leaves', async () => {
  const sources = new Sources();
  for await (const item of readAhead(sources.all(), 4, sources.read)) if (item === '1a') break;
  expect([sources.open.size, sources.isEnded, sources.opened]).toEqual([0, true, 5]);
});

it('opens nothing before it is needed when one is read at once', async () => {
  const sources = new Sources();
  for await (const item of readAhead(sources.all(), 1, sources.read)) if (item === '2b') break;
  expect(sources.opened).toBe(3);
});
