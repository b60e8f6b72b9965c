import * as fc from 'fast-check';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AdmissionStore, CountedLease } from '../../../shared/auth/admission-store';
import type { Place } from '../../../shared/auth/rate-leases';
import { RateLeases } from '../../../shared/auth/rate-leases';
import type { ApiKeyHash } from '../../../shared/domain/api-key';
import { LEASE_SECONDS, MAX_COUNTED_SINGLY } from '../../../shared/limits/requests';
import { FixedClock } from '../../support/fixed-clock';
import { aKey } from '../support/key';

const { hash } = aKey();
const MINUTE = 7;

/** The stored counter of the key in one minute. */
class StoredCounter implements Pick<AdmissionStore, 'countLease'> {
  count = 0;
  instances = 0;
  /** Sizes of the leases, in order. */
  readonly leases: number[] = [];
  /** What comes of the next call. */
  next: 'answer' | 'failure' | 'lost answer' = 'answer';

  async countLease(_hash: ApiKeyHash, _minute: number, requests: number, isFirst: boolean): Promise<CountedLease> {
    const outcome = this.next;
    this.next = 'answer';
    this.leases.push(requests);
    if (outcome !== 'failure') {
      this.count += requests;
      this.instances += isFirst ? 1 : 0;
    }
    const answer = { count: this.count, instances: this.instances };
    await nextTurn();
    if (outcome !== 'answer') throw new Error('The database cannot be reached.');
    return answer;
  }
}

let counter: StoredCounter;
let clock: FixedClock;
beforeEach(() => {
  counter = new StoredCounter();
  clock = new FixedClock();
});

const instance = () => new RateLeases(counter as unknown as AdmissionStore, clock);
const numbers = async (places: readonly Promise<Place>[]) => (await Promise.all(places)).map(({ number }) => number);

describe('leases (R-126)', () => {
  it('give a lone instance every number once, in order, and say what it has left', async () => {
    const leases = instance();
    const places: Place[] = [];
    for (let request = 0; request < 300; request += 1) {
      places.push(await leases.take(hash, MINUTE, 1_000));
      expect(places.at(-1)!.number + leases.reserve(hash, MINUTE, 1_000)).toBe(counter.count);
      expect(places.at(-1)!.reserve).toBe(leases.reserve(hash, MINUTE, 1_000));
      clock.advance(10);
    }
    expect(places.map(({ number }) => number)).toStrictEqual(places.map((_, index) => index + 1));
    expect(counter.leases.length).toBeLessThan(40);
  });

  it('take one write for requests that come together, and the first one of them alone', async () => {
    const leases = instance();
    const places = Array.from({ length: 50 }, () => leases.take(hash, MINUTE, 60_000));
    expect((await numbers(places)).sort((a, b) => a - b)).toStrictEqual(places.map((_, index) => index + 1));
    expect(counter.leases[0]).toBe(1);
    expect(counter.leases).toHaveLength(2);
  });

  it('take no write while places are left, and tell that others may have taken some behind them', async () => {
    const leases = instance();
    await leases.take(hash, MINUTE, 1_000);
    await expect(leases.take(hash, MINUTE, 1_000)).resolves.toStrictEqual({ number: 2, reserve: 4, isLast: true });
    for (let number = 3; number <= 6; number += 1) {
      await expect(leases.take(hash, MINUTE, 1_000)).resolves.toStrictEqual({ number, reserve: 6 - number, isLast: false }); // prettier-ignore
    }
    expect(counter.leases).toStrictEqual([1, 5]);
  });

  it('are of one minute and key: those of another one begin anew', async () => {
    const leases = instance();
    for (let request = 0; request < 2; request += 1) await leases.take(hash, MINUTE, 1_000);
    expect(leases.reserve(hash, MINUTE, 1_000)).toBe(4);
    expect(leases.reserve(hash, MINUTE + 1, 1_000)).toBe(0);
    expect(leases.reserve(`${hash}x` as ApiKeyHash, MINUTE, 1_000)).toBe(0);
    await leases.take(hash, MINUTE + 1, 1_000);
    expect(counter.leases).toStrictEqual([1, 5, 1]);
  });

  it('know which of the first places are left', async () => {
    const leases = instance();
    for (let request = 0; request < 2; request += 1) await leases.take(hash, MINUTE, 1_000);
    const left = (count: number) => leases.reserve(hash, MINUTE, count);
    expect([0, 1, 2, 3, 5, 6, 7].map(left)).toStrictEqual([0, 0, 0, 1, 3, 4, 4]);
  });

  it('once nothing is left, refuse without a write', async () => {
    const leases = instance();
    counter.count = 999;
    const places = Array.from({ length: 5 }, () => leases.take(hash, MINUTE, 1_000));
    expect(await numbers(places)).toStrictEqual([1_000, 1_001, 1_001, 1_001, 1_001]);
    expect((await leases.take(hash, MINUTE, 1_000)).number).toBe(1_001);
    expect(counter.leases).toStrictEqual([1]);
  });

  it('refuse without a write what a look at the counter has shown to be gone, and use up what is left here', async () => {
    const leases = instance();
    for (let request = 0; request < 2; request += 1) await leases.take(hash, MINUTE, 1_000);
    leases.raiseTo(hash, MINUTE, 1_000);
    leases.raiseTo(hash, MINUTE, 3);
    expect(await numbers(Array.from({ length: 6 }, () => leases.take(hash, MINUTE, 1_000)))).toStrictEqual([
      3, 4, 5, 6, 1_001, 1_001,
    ]);
    expect(counter.leases).toHaveLength(2);
  });

  it('go on at once when the limit is raised', async () => {
    const leases = instance();
    counter.count = 1_000;
    expect((await leases.take(hash, MINUTE, 1_000)).number).toBeGreaterThan(1_000);
    expect((await leases.take(hash, MINUTE, 2_000)).number).toBeLessThanOrEqual(2_000);
  });

  it.each(['failure', 'lost answer'] as const)(
    'of a %s fail for all that wait, and are asked for again',
    async (what) => {
      const leases = instance();
      counter.next = what;
      const ends = await Promise.allSettled([leases.take(hash, MINUTE, 1_000), leases.take(hash, MINUTE, 1_000)]);
      expect(ends.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected']);
      expect((await leases.take(hash, MINUTE, 1_000)).number).toBe(what === 'failure' ? 1 : 2);
      expect(leases.reserve(hash, MINUTE, 1_000)).toBe(0);
    },
  );

  it('have no more in reserve while what was lost may be in the counter', async () => {
    const leases = instance();
    for (let request = 0; request < 6; request += 1) await leases.take(hash, MINUTE, 1_000);
    counter.next = 'lost answer';
    await expect(leases.take(hash, MINUTE, 1_000)).rejects.toThrow();
    const before = counter.leases.length;
    for (let request = 0; request < 5; request += 1) await leases.take(hash, MINUTE, 1_000);
    expect(counter.leases.slice(before)).toStrictEqual([1, 1, 1, 1, 1]);
  });

  it('lose only what was in reserve: requests that waited are let through without a place (D-36)', async () => {
    const leases = instance();
    for (let request = 0; request < 6; request += 1) await leases.take(hash, MINUTE, 60_000);
    const waiting = Array.from({ length: 2_000 }, () => leases.take(hash, MINUTE, 60_000));
    counter.next = 'lost answer'; // the first of them alone has been asked for
    const ends = await Promise.allSettled(waiting);
    expect(ends.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(1_900);
    const before = counter.leases.length;
    for (let request = 0; request < 100; request += 1) await leases.take(hash, MINUTE, 60_000);
    expect(counter.leases.slice(before).length).toBeLessThan(5);
  });

  it('keep the part of an instance in what is for all, however many come after it', async () => {
    const first = instance();
    await first.take(hash, MINUTE, 60_000);
    for (let other = 0; other < 30; other += 1) await instance().take(hash, MINUTE, 60_000);
    for (let request = 0; request < 200; request += 1) await first.take(hash, MINUTE, 60_000);
    expect(Math.max(...counter.leases)).toBeGreaterThan(100); // the thirtieth one may reserve some twenty
  });

  it('grow as soon as many requests come, also late in the minute', async () => {
    const leases = instance();
    for (let second = 0; second < 40; second += 1) {
      await leases.take(hash, MINUTE, 60_000);
      clock.advance(1_000);
    }
    const before = counter.leases.length;
    for (let request = 0; request < 10_000; request += 1) {
      await leases.take(hash, MINUTE, 60_000);
      clock.advance(1);
    }
    expect(counter.leases.length - before).toBeLessThan(25);
  });
});

/** What happens in a minute, in order: requests to an instance, ends of instances, lost answers, time. */
const events = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ to: fc.nat(39), requests: fc.integer({ min: 1, max: 60 }) }) },
    { weight: 2, arbitrary: fc.record({ ends: fc.nat(39) }) },
    { weight: 1, arbitrary: fc.constantFrom({ next: 'failure' as const }, { next: 'lost answer' as const }) },
    { weight: 4, arbitrary: fc.record({ passesMs: fc.nat(2_000) }) },
  ),
  { minLength: 1, maxLength: 400 },
);

describe('leases of many instances that come and go (R-126)', () => {
  it('never admit more than the limit, each number once, and refuse at most a tenth early', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: MAX_COUNTED_SINGLY + 1, max: 3_000 }), events, async (limit, minute) => {
        counter = new StoredCounter();
        const instances = new Map<number, RateLeases>();
        const taking: Promise<Place>[] = [];
        for (const event of minute) {
          if ('next' in event) counter.next = event.next;
          else if ('passesMs' in event) {
            clock.advance(event.passesMs);
            await nextTurn(); // until then the others meet each other's calls
          } else if ('ends' in event) instances.delete(event.ends);
          else {
            const leases = instances.get(event.to) ?? instance();
            instances.set(event.to, leases);
            for (let request = 0; request < event.requests; request += 1) {
              const place = leases.take(hash, MINUTE, limit);
              place.catch(() => undefined); // looked at below
              taking.push(place);
            }
          }
        }
        const ends = await Promise.allSettled(taking);
        const given = ends.flatMap((end) => (end.status === 'fulfilled' ? end.value.number : []));
        const admitted = given.filter((number) => number <= limit);
        const unanswered = ends.length - given.length;
        expect(admitted.length).toBeLessThanOrEqual(limit);
        expect(new Set(admitted).size).toBe(admitted.length);
        // Those whose answer was lost are let through, as where the counter cannot be reached.
        if (given.length > admitted.length)
          expect(limit - admitted.length - unanswered).toBeLessThanOrEqual(limit / 10);
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    [1_000, 3, 16, 120],
    [60_000, 1, 16, 120],
    [60_000, 3, 16, 120],
    [60_000, 4, 16, 120],
    [60_000, 4, 1, 120],
    [60_000, 30, 1, 910],
  ])(
    'use up a limit of %i in %i busy instances of %i callers with at most %i writes',
    async (limit, of, callers, most) => {
      const instances = Array.from({ length: of }, instance);
      let admitted = 0;
      for (let isOpen = true; isOpen;) {
        clock.advance(1);
        const taking = instances.flatMap((leases) =>
          Array.from({ length: callers }, () => leases.take(hash, MINUTE, limit)),
        );
        const places = await numbers(taking);
        admitted += places.filter((number) => number <= limit).length;
        isOpen = places.some((number) => number <= limit);
      }
      expect(admitted).toBe(limit);
      expect(counter.leases.length).toBeLessThanOrEqual(most);
    },
  );

  it('take a write in some seconds where the load is steady, for not more than comes by then', async () => {
    const instances = Array.from({ length: 3 }, instance);
    for (let second = 0; second < 60; second += 1) {
      for (let request = 0; request < 10; request += 1) {
        clock.advance(100);
        await Promise.all(instances.map((leases) => leases.take(hash, MINUTE, 60_000)));
      }
    }
    expect(counter.leases.length).toBeLessThanOrEqual(60);
    expect(Math.max(...counter.leases)).toBeLessThanOrEqual(10 * (LEASE_SECONDS + 1));
  });
});
