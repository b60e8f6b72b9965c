import { systemClock } from '../../shared/platform/clock';

describe('the system clock', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('ends a sleep for which nobody waits any longer, and leaves no timer', async () => {
    const waiting = new AbortController();
    const sleep = systemClock.sleep(60_000, waiting.signal);
    expect(jest.getTimerCount()).toBe(1);
    waiting.abort();
    await sleep;
    expect(jest.getTimerCount()).toBe(0);
  });
});
