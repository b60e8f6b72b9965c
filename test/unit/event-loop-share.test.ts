import { performance } from 'node:perf_hooks';
import { EVENT_LOOP_SHARE_MS } from '../../shared/limits/platform';
import { EventLoopShare, mapInShares, runInShares } from '../../shared/platform/async/event-loop-share';

/** Keeps the processor for so long. */
function keepBusy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

describe('sharing the event loop', () => {
  it('has its turn for as long as it says', () => {
    const share = new EventLoopShare();
    expect(share.isUsedUp).toBe(false);
    keepBusy(EVENT_LOOP_SHARE_MS + 1);
    expect(share.isUsedUp).toBe(true);
  });

  it('lets what waits go first, and begins anew', async () => {
    const share = new EventLoopShare();
    keepBusy(EVENT_LOOP_SHARE_MS + 1);
    const order: string[] = [];
    setImmediate(() => order.push('other'));
    await share.renew();
    order.push('computation');
    expect(order).toEqual(['other', 'computation']);
    expect(share.isUsedUp).toBe(false);
  });

  it('maps all items in their order, with turns of others in between', async () => {
    let turns = 0;
    const other = setInterval(() => (turns += 1), 0);
    const work = (item: number, index: number) => {
      keepBusy(EVENT_LOOP_SHARE_MS);
      return `${index}:${item}`;
    };
    const results = await mapInShares([5, 6, 7, 8], work);
    clearInterval(other);
    expect(results).toEqual(['0:5', '1:6', '2:7', '3:8']);
    expect(turns).toBeGreaterThanOrEqual(2);
  });

  it('lets others have it between computations of one step', async () => {
    let turns = 0;
    const other = setInterval(() => (turns += 1), 0);
    const share = new EventLoopShare();
    const ofOneStep = function* (result: number) {
      keepBusy(EVENT_LOOP_SHARE_MS);
      if (result < 0) yield;
      return result;
    };
    const results: number[] = [];
    for (const result of [1, 2, 3, 4]) results.push(await runInShares(ofOneStep(result), share));
    clearInterval(other);
    expect(results).toEqual([1, 2, 3, 4]);
    expect(turns).toBeGreaterThanOrEqual(2);
  });
});
