import { setImmediate } from 'node:timers/promises';
import { inParallel, mapStaggered } from '../../shared/platform/async/in-parallel';

it('does the work of all items, at most so many at once', async () => {
  let atWork = 0;
  let most = 0;
  const done: number[] = [];
  await inParallel(new Set([1, 2, 3, 4, 5]), 2, async (item) => {
    most = Math.max(most, (atWork += 1));
    await setImmediate();
    atWork -= 1;
    done.push(item);
  });
  expect({ done, most }).toEqual({ done: [1, 2, 3, 4, 5], most: 2 });
});

it('begins no more after a failure, and throws it when what has begun is over', async () => {
  const begun: number[] = [];
  let finish: () => void = () => undefined;
  let isOver = false;
  const result = inParallel([1, 2, 3, 4], 2, (item) => {
    begun.push(item);
    return item === 1 ? Promise.reject(new Error('failed')) : new Promise((resolve) => (finish = resolve));
  }).finally(() => (isOver = true));
  result.catch(() => undefined);
  await setImmediate();
  expect(isOver).toBe(false);
  finish();
  await expect(result).rejects.toThrow('failed');
  expect(begun).toEqual([1, 2]);
});

it('begins each work a turn after the one before it, side by side, and answers in their order', async () => {
  const events: string[] = [];
  const results = await mapStaggered(['a', 'b', 'c'], async (item) => {
    events.push(`begin ${item}`);
    await setImmediate();
    events.push(`sent ${item}`);
    for (let more = 0; more < 5 && item === 'a'; more += 1) await setImmediate();
    events.push(`end ${item}`);
    return item.toUpperCase();
  });
  expect(results).toEqual(['A', 'B', 'C']);
  expect(events.filter((event) => !event.startsWith('end'))).toEqual([
    'begin a',
    'sent a',
    'begin b',
    'sent b',
    'begin c',
    'sent c',
  ]);
  expect(events.at(-1)).toBe('end a');
});

it('begins all in their turns in spite of a failure, and throws it when all of them are over', async () => {
  const ended: number[] = [];
  const result = mapStaggered([1, 2, 3], async (item) => {
    if (item === 1) throw new Error('failed');
    await setImmediate();
    ended.push(item);
  });
  await expect(result).rejects.toThrow('failed');
  expect(ended).toEqual([2, 3]);
});
