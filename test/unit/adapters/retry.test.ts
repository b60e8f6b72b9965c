import * as fc from 'fast-check';
import { Status, statusOf, withRetry } from '../../../shared/platform/retry';
import { deadlineIn } from '../../../shared/platform/deadline';
import { CALL_TIMEOUT_MS } from '../../../shared/limits/platform';
import { RetryLater } from '../../../shared/platform/retry-later';
import { FixedClock } from '../../support/fixed-clock';
import { SeededRandom } from '../../support/seeded-random';

const failure = (code: unknown) => Object.assign(new Error(`status ${String(code)}`), { code });

/**
 * Runs a call that takes `callMs` and fails with these errors one after the other; tells when and with what time it was
 * made.
 */
function run({ failures, deadlineMs = 20_000, fraction = 0.5, callMs = 0 }: {
  failures: readonly unknown[];
  deadlineMs?: number;
  fraction?: number;
  callMs?: number;
}) {
  const clock = new FixedClock(0);
  const calls: { atMs: number; timeoutMs: number }[] = [];
  const result = withRetry(
    (timeoutMs) => {
      calls.push({ atMs: clock.nowMs(), timeoutMs });
      clock.advance(callMs);
      const error = failures[calls.length - 1];
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- an SDK can reject with anything
      return error === undefined ? Promise.resolve('done') : Promise.reject(error);
    },
    deadlineIn(deadlineMs, clock),
    { clock, random: { bytes: (size: number) => Buffer.alloc(size), fraction: () => fraction } },
  );
  return { result, calls, clock };
} // prettier-ignore

const forever = (code: number) => Array.from({ length: 1000 }, () => failure(code));

describe('withRetry', () => {
  it('calls once when nothing fails, with the time that one call may take', async () => {
    const { result, calls } = run({ failures: [] });
    await expect(result).resolves.toBe('done');
    expect(calls).toStrictEqual([{ atMs: 0, timeoutMs: CALL_TIMEOUT_MS }]);
  });

  it.each([
    'CANCELLED',
    'UNKNOWN',
    'DEADLINE_EXCEEDED',
    'RESOURCE_EXHAUSTED',
    'ABORTED',
    'INTERNAL',
    'UNAVAILABLE',
  ] as const)('calls again after %s, which passes', async (name) => {
    const { result, calls } = run({ failures: [failure(Status[name])] });
    await expect(result).resolves.toBe('done');
    expect(calls).toHaveLength(2);
  });

  it.each([
    failure(Status.INVALID_ARGUMENT),
    failure(Status.NOT_FOUND),
    failure(Status.ALREADY_EXISTS),
    failure(Status.FAILED_PRECONDITION),
    failure(7),
    failure('14'),
    failure('UNAVAILABLE'),
    new TypeError('a defect'),
    null,
  ])('throws what no repeat can mend at once: %s', async (error) => {
    const { result, calls } = run({ failures: [error] });
    await expect(result).rejects.toBe(error);
    expect(calls).toHaveLength(1);
  });

  it('waits twice as long after each failure, up to 2 s, jittered by the fraction', async () => {
    const { result, calls } = run({ failures: forever(Status.UNAVAILABLE).slice(0, 8), fraction: 0.5 });
    await expect(result).resolves.toBe('done');
    const waits = calls.slice(1).map(({ atMs }, index) => atMs - calls[index]!.atMs);
    expect(waits).toStrictEqual([25, 50, 100, 200, 400, 800, 1000, 1000]);
  });

  it('gives up before a wait that would pass the deadline, with the last error', async () => {
    const failures = forever(Status.UNAVAILABLE);
    const { result, calls, clock } = run({ failures, deadlineMs: 200, fraction: 0.999 });
    await expect(result).rejects.toBe(failures[2]);
    expect(calls).toHaveLength(3);
    expect(clock.nowMs()).toBeLessThan(200);
  });

  it('makes no call when it wakes up after the deadline', async () => {
    const clock = new FixedClock(0);
    const late = { nowMs: () => clock.nowMs(), sleep: () => clock.sleep(30_000) };
    const call = jest.fn(() => Promise.reject(failure(Status.UNAVAILABLE)));
    const result = withRetry(call, deadlineIn(20_000, late), { clock: late, random: new SeededRandom() });
    await expect(result).rejects.toMatchObject({ code: Status.UNAVAILABLE });
    expect(call).toHaveBeenCalledTimes(1);
  });

  it('gives a call no more than the time that is left', async () => {
    const { result, calls } = run({
      failures: forever(Status.DEADLINE_EXCEEDED).slice(0, 1),
      deadlineMs: 5_000,
      callMs: 4_000,
    });
    await expect(result).resolves.toBe('done');
    expect(calls).toStrictEqual([
      { atMs: 0, timeoutMs: 5_000 },
      { atMs: 4_025, timeoutMs: 975 },
    ]);
  });

  it('makes no call when the work before it has used up the time, and says that nothing has failed', async () => {
    const { result, calls } = run({ failures: [], deadlineMs: 0 });
    await expect(result).rejects.toBeInstanceOf(RetryLater);
    expect(calls).toHaveLength(0);
  });

  it.each([
    ['on this side', Status.DEADLINE_EXCEEDED],
    ['by the database', Status.CANCELLED],
  ])('says the same of a first call that had less than its time, and was ended %s', async (_, code) => {
    const failures = [failure(code)];
    const { result, calls } = run({ failures, deadlineMs: CALL_TIMEOUT_MS - 1, callMs: CALL_TIMEOUT_MS });
    await expect(result).rejects.toBeInstanceOf(RetryLater);
    expect(calls).toHaveLength(1);
  });

  it('throws the failure of a call that had its time, and of one that another failure came before', async () => {
    const late = failure(Status.DEADLINE_EXCEEDED);
    const slow = run({ failures: [late], deadlineMs: CALL_TIMEOUT_MS, callMs: CALL_TIMEOUT_MS });
    await expect(slow.result).rejects.toBe(late);
    const failing = run({ failures: [failure(Status.UNAVAILABLE), late], deadlineMs: 5_000, callMs: 2_600 });
    await expect(failing.result).rejects.toBe(late);
  });

  it('asks to repeat later where others changed or locked the same documents until the end (R-42)', async () => {
    const aborted = failure(Status.ABORTED);
    const late = failure(Status.DEADLINE_EXCEEDED);
    for (const failures of [forever(Status.ABORTED), [aborted, late, late, late, late]]) {
      const { result } = run({ failures, deadlineMs: 5_000, callMs: 1_300 });
      await expect(result).rejects.toThrow(RetryLater);
    }
    const away = run({ failures: [aborted, ...forever(Status.UNAVAILABLE)], deadlineMs: 5_000, callMs: 1_300 });
    await expect(away.result).rejects.toThrow('status 14');
  });

  it('always ends by its deadline plus one call, whatever fails', async () => {
    const scenario = fc.record({
      deadlineMs: fc.integer({ min: 1, max: 30_000 }),
      fraction: fc.double({ min: 0.05, max: 0.999, noNaN: true }),
      callMs: fc.nat(9_000),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ deadlineMs, fraction, callMs }) => {
        const { result, clock } = run({ failures: forever(Status.UNAVAILABLE), deadlineMs, fraction, callMs });
        await expect(result).rejects.toThrow('status 14');
        expect(clock.nowMs()).toBeLessThanOrEqual(deadlineMs + callMs);
      }),
      { numRuns: 50 },
    );
  });
});

describe('statusOf', () => {
  it.each([
    [failure(5), 5],
    [failure('5'), undefined],
    [new Error('none'), undefined],
    [null, undefined],
    [undefined, undefined],
    ['text', undefined],
  ])('of %s is %s', (error, status) => {
    expect(statusOf(error)).toBe(status);
  });
});
