import { setImmediate as turn } from 'node:timers/promises';
import { prefetch } from '../../shared/platform/async/prefetch';

/** Items 1 to `count`, then perhaps a failure; notes when each is fetched and when the source is closed. */
async function* source(count: number, log: string[], failure?: Error) {
  try {
    for (let item = 1; item <= count; item += 1) {
      log.push(`fetch ${item}`);
      yield await Promise.resolve(item);
    }
    if (failure) throw failure;
  } finally {
    log.push('close');
  }
}

/** Notes what is prepared; the items of `failing` fail. */
const preparing = (log: string[], failing: readonly number[] = []) => {
  return async (item: number) => {
    log.push(`prepare ${item}`);
    await Promise.resolve();
    if (failing.includes(item)) throw new Error(`item ${item}`);
    return item;
  };
};

/** Sends what it makes of each item, and waits for the answer. */
async function use(items: AsyncIterable<number>, log: string[], until = Infinity): Promise<void> {
  for await (const item of items) {
    await Promise.resolve();
    log.push(`send ${item}`);
    for (let turns = 0; turns < 10; turns += 1) await turn();
    log.push(`used ${item}`);
    if (item === until) return;
  }
}

it('fetches and prepares each item while the one before it is used, after that is sent, and no further', async () => {
  const log: string[] = [];
  await use(prefetch(source(3, log), preparing(log)), log);
  expect(log).toEqual([
    'fetch 1',
    'prepare 1',
    'send 1',
    'fetch 2',
    'prepare 2',
    'used 1',
    'send 2',
    'fetch 3',
    'prepare 3',
    'used 2',
    'send 3',
    'close',
    'used 3',
  ]);
});

it('gives all items before a failure of the source, then the failure', async () => {
  const log: string[] = [];
  await expect(use(prefetch(source(2, log, new Error('cut off')), preparing(log)), log)).rejects.toThrow('cut off');
  expect(log.filter((entry) => entry.startsWith('used'))).toEqual(['used 1', 'used 2']);
});

it('gives all items before one whose preparation failed, then the failure, and closes the source', async () => {
  const log: string[] = [];
  await expect(use(prefetch(source(5, log), preparing(log, [3])), log)).rejects.toThrow('item 3');
  expect(log.filter((entry) => entry.startsWith('used'))).toEqual(['used 1', 'used 2']);
  expect(log).toContain('close');
});

it('closes the source when its user leaves, and swallows the failure of an item that nobody gets to', async () => {
  const log: string[] = [];
  await use(prefetch(source(5, log), preparing(log, [3])), log, 2);
  expect(log).toContain('close');
  expect(log).not.toContain('fetch 4');
});

it('leaves nothing at work behind its user', async () => {
  const log: string[] = [];
  const slowly = async (item: number) => {
    for (let turns = 0; turns < 20; turns += 1) await turn();
    log.push(`prepared ${item}`);
    return item;
  };
  await use(prefetch(source(5, log), slowly), log, 1);
  const atTheEnd = [...log];
  expect(atTheEnd).toContain('prepared 2');
  await turn();
  expect(log).toEqual(atTheEnd);

  log.length = 0;
  for await (const item of prefetch(source(5, log), slowly)) if (item === 1) break;
  expect(log).toEqual(['fetch 1', 'prepared 1', 'close']);
});

it('gives nothing of nothing', async () => {
  const log: string[] = [];
  await use(prefetch(source(0, log), preparing(log)), log);
  expect(log).toEqual(['close']);
});
