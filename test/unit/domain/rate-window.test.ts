import * as fc from 'fast-check';
import { DEFAULT_REQUESTS_PER_MINUTE } from '../../../shared/domain/limits';
import { rateStatus, rateWindowAt } from '../../../shared/domain/rate-window';

const MINUTE = Date.parse('2026-03-01T12:00:00.000Z');
const NEXT = MINUTE / 1000 + 60;

describe('rateWindowAt', () => {
  it.each([
    ['the first millisecond', 0, 60],
    ['the second millisecond', 1, 60],
    ['the middle', 30_000, 30],
    ['just after the middle', 30_001, 30],
    ['the last second', 59_000, 1],
    ['the last millisecond', 59_999, 1],
  ])('ends with the clock minute, at %s of it (D-36)', (_, offsetMs, retryAfterSeconds) => {
    expect(rateWindowAt(MINUTE + offsetMs)).toStrictEqual({
      minute: MINUTE / 60_000,
      resetSeconds: NEXT,
      retryAfterSeconds,
    });
  });

  it('begins anew with the next minute (D-36)', () => {
    expect(rateWindowAt(MINUTE + 60_000)).toStrictEqual({
      minute: MINUTE / 60_000 + 1,
      resetSeconds: NEXT + 60,
      retryAfterSeconds: 60,
    });
  });

  it('asks to wait until the reset and no longer than a minute, at every time (Spec §8, D-36)', () => {
    fc.assert(
      fc.property(fc.nat(4_102_444_800_000), (nowMs) => {
        const { minute, resetSeconds, retryAfterSeconds } = rateWindowAt(nowMs);
        expect(resetSeconds % 60).toBe(0);
        expect(resetSeconds).toBe((minute + 1) * 60);
        expect(resetSeconds * 1000 - nowMs).toBeGreaterThan(0);
        expect(resetSeconds * 1000 - nowMs).toBeLessThanOrEqual(60_000);
        expect(Number.isInteger(retryAfterSeconds) && retryAfterSeconds >= 1 && retryAfterSeconds <= 60).toBe(true);
        expect(rateWindowAt(nowMs + retryAfterSeconds * 1000).minute).toBe(minute + 1);
      }),
    );
  });
});

describe('rateStatus', () => {
  it('has the default limit of 100 requests a minute (Spec §8)', () => {
    expect(DEFAULT_REQUESTS_PER_MINUTE).toBe(100);
  });

  it.each([
    [100, 0, 100],
    [100, 1, 99],
    [100, 99, 1],
    [100, 100, 0],
    [100, 101, 0],
    [5, 1_000_000, 0],
  ])('of the limit %d leaves after %d requests %d (Spec §8)', (limit, count, remaining) => {
    expect(rateStatus(rateWindowAt(MINUTE), limit, count)).toStrictEqual({ limit, remaining, resetSeconds: NEXT });
  });
});
