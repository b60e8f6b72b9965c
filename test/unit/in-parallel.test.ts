import { setImmediate } from 'node:timers/promises';
import { inParallel } from '../../shared/platform/async/in-parallel';

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
