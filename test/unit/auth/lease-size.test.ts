import * as fc from 'fast-check';
import type { LeaseNeed } from '../../../shared/auth/lease-size';
import { leaseSize } from '../../../shared/auth/lease-size';
import { LEASE_SECONDS, MAX_COUNTED_SINGLY } from '../../../shared/limits/requests';

const need = (fields: Partial<LeaseNeed> = {}): LeaseNeed => ({
  ...{ waiting: 1, used: 0, lost: 0, instance: 1, counted: 0, recent: 0, recentMs: 0 },
  ...fields,
});

describe('a lease (R-126)', () => {
  it('is for those that wait, as long as nothing is known of the rate', () => {
    expect(leaseSize(60_000, need({ instance: 0 }))).toBe(1);
    expect(leaseSize(60_000, need({ instance: 0, waiting: 40 }))).toBe(40);
  });

  it('is for what the instance is likely to get in the next seconds', () => {
    const likely = (recent: number, recentMs: number) => leaseSize(60_000, need({ recent, recentMs })) - 1;
    expect(likely(20, 10_000)).toBe(2 * LEASE_SECONDS);
    expect(likely(1, 20_000)).toBe(0);
    expect(likely(50, 20)).toBe(50 * LEASE_SECONDS);
  });

  it.each([
    [1, 0, 600],
    [2, 0, 400],
    [30, 0, 10],
    [1, 2_000, 700],
    [30, 2_000, 110],
    [0, 0, 0],
  ])('leaves the instance %i with %i used requests no more than %i in reserve', (instance, used, reserve) => {
    expect(leaseSize(60_000, need({ instance, used, recent: 1_000_000, waiting: 7 }))).toBe(7 + reserve);
  });

  it('takes off what may have been lost, and is still for those that wait', () => {
    const used = { used: 2_000, recent: 2_000, waiting: 3 };
    expect(leaseSize(60_000, need({ ...used, lost: 690 }))).toBe(13);
    expect(leaseSize(60_000, need({ ...used, lost: 5_000 }))).toBe(3);
  });

  it('is no more than is known to be left, and at least 1', () => {
    const busy = { used: 500, recent: 500, waiting: 20 };
    expect(leaseSize(1_000, need({ ...busy, counted: 988 }))).toBe(12);
    expect(leaseSize(1_000, need({ ...busy, counted: 1_200 }))).toBe(1);
  });

  it('reserves at most half of what is left when those that wait are served', () => {
    const busy = { used: 500, recent: 500, waiting: 20 };
    expect(leaseSize(1_000, need({ ...busy, counted: 950 }))).toBe(20 + 15);
    expect(leaseSize(1_000, need({ ...busy, waiting: 1, counted: 998 }))).toBe(1);
  });

  it('leaves all instances together no more than a tenth of the limit in reserve, however many they are', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: MAX_COUNTED_SINGLY + 1, max: 100_000 }),
        fc.array(fc.nat(5_000), { maxLength: 300 }),
        (limit, usedByEach) => {
          const reserves = usedByEach.map(
            (used, index) => leaseSize(limit, need({ used, recent: 5_000, instance: index + 1 })) - 1,
          );
          const used = usedByEach.reduce((sum, each) => sum + each, 0);
          const reserve = reserves.reduce((sum, each) => sum + each, 0);
          expect(reserve).toBeLessThanOrEqual((limit + used) / 20);
        },
      ),
    );
  });
});
