import { MERGE_WINDOWS_AT_ONCE } from '../../../shared/limits/records';
import { MergeQueue } from '../../../shared/records/merge-queue';

/** Work that lasts until it is told to end, and what of it has begun. */
function newWork() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  const turn = () => new Promise(setImmediate);
  const end = async (name: string) => {
    ends.get(name)?.();
    await turn();
  };
  return { begun, work, turn, end };
}

it('lets work on the same record take turns, in the order in which it came, and no other work wait (R-40)', async () => {
  const queue = new MergeQueue();
  const { begun, work, turn, end } = newWork();
  const results = [
    queue.runInTurn(['a', 'b'], work('first')),
    queue.runInTurn(['b', 'c'], work('second')),
    queue.runInTurn(['c'], work('third')),
    queue.runInTurn(['d'], work('other')),
  ];
  await turn();
  expect(begun).toEqual(['first', 'other']);
  await end('first');
  expect(begun).toEqual(['first', 'other', 'second']);
  await end('second');
  expect(begun).toEqual(['first', 'other', 'second', 'third']);
  await end('third');
  await end('other');
  expect(await Promise.all(results)).toEqual(['first', 'second', 'third', 'other']);
});

it('goes on after work that failed', async () => {
  const queue = new MergeQueue();
  const failed = queue.runInTurn(['a'], () => Promise.reject(new Error('It failed.')));
  const next = queue.runInTurn(['a'], () => Promise.resolve('next'));
  await expect(failed).rejects.toThrow('It failed.');
  expect(await next).toBe('next');
});

it('works on a few windows at once, and on the next one when a place is free', async () => {
  const queue = new MergeQueue();
  const { begun, work, turn, end } = newWork();
  const names = Array.from({ length: MERGE_WINDOWS_AT_ONCE + 2 }, (_, n) => `w${n}`);
  const results = names.map((name) => queue.runWindow(work(name)));
  await turn();
  expect(begun).toEqual(names.slice(0, MERGE_WINDOWS_AT_ONCE));
  for (const name of names) await end(name);
  expect(begun).toEqual(names);
  expect(await Promise.all(results)).toEqual(names);
  await expect(queue.runWindow(() => Promise.reject(new Error('It failed.')))).rejects.toThrow('It failed.');
  expect(await queue.runWindow(() => Promise.resolve('free'))).toBe('free');
});
