import * as fc from 'fast-check';
import { deadlineIn } from '../../../shared/platform/deadline';
import { ContentionTimeout, retryConflicts } from '../../../shared/workspace/retry-conflicts';
import { FixedClock } from '../../support/fixed-clock';
import { SeededRandom } from '../../support/seeded-random';

/**
 * Runs retryConflicts on items that each need as many attempts as their number; records which were open in each round.
 */
function run(needed: readonly number[], { deadlineMs = 20_000, fraction = 0.5 } = {}) {
  const clock = new FixedClock(0);
  const rounds: { atMs: number; open: readonly number[] }[] = [];
  const attempt = (open: readonly number[]) => {
    rounds.push({ atMs: clock.nowMs(), open });
    return Promise.resolve(open.filter((item) => item > rounds.length));
  };
  const random = { bytes: (size: number) => Buffer.alloc(size), fraction: () => fraction };
  const result = retryConflicts(needed, attempt, deadlineIn(deadlineMs, clock), { clock, random });
  return { result, rounds, clock };
}

describe('retryConflicts', () => {
  it('attempts nothing when there is nothing to do', async () => {
    const { result, rounds } = run([]);
    await expect(result).resolves.toBeUndefined();
    expect(rounds).toStrictEqual([]);
  });

  it('attempts again only what is left open, in its order (D-30)', async () => {
    const { result, rounds } = run([3, 1, 2, 3]);
    await result;
    expect(rounds.map(({ open }) => open)).toStrictEqual([
      [3, 1, 2, 3],
      [3, 2, 3],
      [3, 3],
    ]);
  });

  it('repeats at once the first time, then after jittered waits that grow to 2 s', async () => {
    const { result, rounds } = run([9]);
    await result;
    const waits = rounds.slice(1).map(({ atMs }, index) => atMs - rounds[index]!.atMs);
    expect(waits).toStrictEqual([0, 50, 100, 200, 400, 800, 1000, 1000]);
  });

  it('says at the deadline how many records kept changing', async () => {
    const { result, rounds } = run([1, 1000, 1000], { deadlineMs: 1_000 });
    await expect(result).rejects.toThrow(new ContentionTimeout('2 records kept changing.'));
    await expect(result).rejects.toBeInstanceOf(ContentionTimeout);
    expect(rounds.length).toBeGreaterThan(3);
  });

  it('attempts nothing when it wakes up after the deadline', async () => {
    const clock = new FixedClock(0);
    const late = { nowMs: () => clock.nowMs(), sleep: () => clock.sleep(30_000) };
    const attempt = jest.fn((open: readonly number[]) => Promise.resolve(open));
    const result = retryConflicts([1], attempt, deadlineIn(20_000, late), { clock: late, random: new SeededRandom() });
    await expect(result).rejects.toBeInstanceOf(ContentionTimeout);
    expect(attempt).toHaveBeenCalledTimes(2); // at first, and once more without a wait
  });

  it('counts an attempt that ends after the deadline, when it left nothing open', async () => {
    await expect(run([1], { deadlineMs: 0 }).result).resolves.toBeUndefined();
    await expect(run([2], { deadlineMs: 0 }).result).rejects.toBeInstanceOf(ContentionTimeout);
  });

  it('passes on the error of an attempt', async () => {
    const clock = new FixedClock(0);
    const error = new Error('the database is gone');
    const random = { bytes: (size: number) => Buffer.alloc(size), fraction: () => 0.5 };
    const result = retryConflicts([1], () => Promise.reject(error), deadlineIn(1000, clock), { clock, random });
    await expect(result).rejects.toBe(error);
  });

  it('attempts each item until it succeeds, and never again (D-07)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1 }), async (needed) => {
        const { result, rounds } = run(needed);
        await result;
        expect(rounds).toHaveLength(Math.max(...needed));
        rounds.forEach(({ open }, round) => {
          expect(open).toStrictEqual(needed.filter((item) => item > round));
        });
      }),
      { numRuns: 50 },
    );
  });
});
