import { lazyClient } from '../../../shared/adapters/lazy-client';

it('makes one client for all calls, and makes it anew after a failure', async () => {
  let tries = 0;
  const connected = lazyClient(async () => {
    tries += 1;
    await Promise.resolve();
    if (tries === 1) throw new Error('The credentials cannot be had yet.');
    return { number: tries };
  });
  await expect(Promise.all([connected(), connected()])).rejects.toThrow('yet');
  expect(tries).toBe(1);
  const [first, second] = await Promise.all([connected(), connected()]);
  expect(first).toBe(second);
  expect(await connected()).toEqual({ number: 2 });
});
