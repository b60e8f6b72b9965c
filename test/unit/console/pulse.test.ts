/** When the console looks again at what changes. */
import type { LookResult, PulsePlatform } from '../../../functions/console/app/state/pulse';
import {
  FIRST_DELAY_MS,
  LONGEST_DELAY_AFTER_FAILURE_MS,
  LONGEST_DELAY_MS,
  nextDelayMs,
  startPulse,
} from '../../../functions/console/app/state/pulse';

/** A tab whose time passes when a test says so. */
class Tab implements PulsePlatform {
  readonly waits: number[] = [];
  hidden = false;
  timeMs = 0;
  private waiting: { callback: () => void } | undefined;
  private readonly watchers = new Set<() => void>();

  after(ms: number, callback: () => void): () => void {
    const wait = { callback };
    this.waits.push(ms);
    this.waiting = wait;
    return () => {
      if (this.waiting === wait) this.waiting = undefined;
    };
  }

  isHidden(): boolean {
    return this.hidden;
  }

  nowMs(): number {
    return this.timeMs;
  }

  onVisibilityChange(callback: () => void): () => void {
    this.watchers.add(callback);
    return () => this.watchers.delete(callback);
  }

  get isWaiting(): boolean {
    return this.waiting !== undefined;
  }

  /** The wait that is under way ends. */
  async pass(): Promise<void> {
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.callback();
    await settled();
  }

  async show(isShown: boolean): Promise<void> {
    this.hidden = !isShown;
    for (const watcher of this.watchers) watcher();
    await settled();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

function looker(results: readonly (LookResult | Error)[]) {
  let looks = 0;
  const look = (): Promise<LookResult> => {
    const result = results[Math.min(looks, results.length - 1)]!;
    looks += 1;
    return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
  };
  return { look, looks: () => looks };
}

it('waits longer while nothing changes, and little after a change (R-253)', async () => {
  const tab = new Tab();
  const { look } = looker(['changed', 'same', 'same', 'changed', 'same']);
  startPulse(look, tab);
  await settled();
  for (let passed = 0; passed < 4; passed += 1) await tab.pass();
  expect(tab.waits).toEqual([1_000, 1_500, 2_250, 1_000, 1_500]);
});

it('never waits longer than its bounds', () => {
  let [same, failed] = [FIRST_DELAY_MS, FIRST_DELAY_MS];
  for (let round = 0; round < 50; round += 1) {
    [same, failed] = [nextDelayMs(same, 'same'), nextDelayMs(failed, 'failed')];
  }
  expect([same, failed]).toEqual([LONGEST_DELAY_MS, LONGEST_DELAY_AFTER_FAILURE_MS]);
});

it('goes on after a failure, later each time (R-253)', async () => {
  const tab = new Tab();
  const { look, looks } = looker([new Error('no network')]);
  startPulse(look, tab);
  await settled();
  await tab.pass();
  await tab.pass();
  expect(looks()).toBe(3);
  expect(tab.waits).toEqual([2_000, 4_000, 8_000]);
});

it('waits ten times as long as a look has taken, a minute at most (R-253)', async () => {
  const tab = new Tab();
  const durations = [50, 700, 20_000];
  const look = () => {
    tab.timeMs += durations.shift() ?? 0;
    return Promise.resolve<LookResult>('changed');
  };
  startPulse(look, tab);
  await settled();
  for (let passed = 0; passed < 3; passed += 1) await tab.pass();
  expect(tab.waits).toEqual([1_000, 7_000, 60_000, 1_000]);
});

it('does not look while the tab is hidden, and looks at once when it is shown (R-253)', async () => {
  const tab = new Tab();
  const { look, looks } = looker(['same']);
  startPulse(look, tab);
  await settled();
  await tab.show(false);
  expect(tab.isWaiting).toBe(false);
  expect(looks()).toBe(1);
  await tab.show(true);
  expect(looks()).toBe(2);
  expect(tab.isWaiting).toBe(true);
});

it('does not begin a wait that ends in a hidden tab', async () => {
  const tab = new Tab();
  tab.hidden = true;
  const { look, looks } = looker(['same']);
  startPulse(look, tab);
  await settled();
  expect([looks(), tab.isWaiting]).toEqual([1, false]);
});

it('ends when there is nothing more to see, also in a tab that is shown again', async () => {
  const tab = new Tab();
  const { look, looks } = looker(['changed', 'ended']);
  startPulse(look, tab);
  await settled();
  await tab.pass();
  expect(tab.isWaiting).toBe(false);
  await tab.show(false);
  await tab.show(true);
  expect(looks()).toBe(2);
});

it('ends when it is told to, and aborts the look that is under way', async () => {
  const tab = new Tab();
  let signal: AbortSignal | undefined;
  let answer: (result: LookResult) => void = () => undefined;
  const end = startPulse((given) => {
    signal = given;
    return new Promise((resolve) => (answer = resolve));
  }, tab);
  end();
  expect(signal?.aborted).toBe(true);
  answer('changed');
  await settled();
  expect(tab.waits).toEqual([]);
});

it('looks once at a time', async () => {
  const tab = new Tab();
  let looks = 0;
  startPulse(() => {
    looks += 1;
    return new Promise(() => {});
  }, tab);
  await tab.show(false);
  await tab.show(true);
  expect(looks).toBe(1);
});
