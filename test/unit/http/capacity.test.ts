import {
  LARGE_WORK_BYTES,
  MAX_ARRIVING_BYTES,
  MAX_ARRIVING_BYTES_OF_KEY,
  MAX_BODIES_ARRIVING,
  MAX_BODIES_ARRIVING_OF_KEY,
  MAX_REQUESTS_IN_FLIGHT,
  MAX_REQUESTS_OF_KEY,
  MAX_SLOW_BODIES,
  MAX_SLOW_BYTES,
  MAX_SMALL_ARRIVING_BYTES,
  MAX_STREAMS,
  MAX_STREAMS_OF_KEY,
  SMALL_BODY_BYTES,
  SMALL_WORK_BYTES,
} from '../../../shared/limits/requests';
import { MAX_BODY_BYTES } from '../../../shared/domain/limits';
import type { Reservation } from '../../../shared/http/capacity';
import { Capacity } from '../../../shared/http/capacity';

const OVERLOADED = 'The service is overloaded. Please try again later.';
const LARGE = LARGE_WORK_BYTES / 2 + 1;

let capacity: Capacity;
beforeEach(() => (capacity = new Capacity()));

const times = (count: number, caller: string) => Array.from({ length: count }, () => capacity.begin(caller));
const withSlots = (count: number, caller: string) =>
  times(count, caller).map((reservation) => {
    reservation.takeSlot();
    return reservation;
  });

/** A body of a caller of which so many bytes have come. */
function arriving(caller: string, bytes: number): Reservation {
  const reservation = capacity.begin(caller);
  reservation.beginBody(unused);
  reservation.addBodyBytes(bytes);
  return reservation;
}

/** Begins to wait for memory, and says who has it by then. */
function waitFor(reservation: Reservation, bytes: number, name: string, begun: string[]): Promise<void> {
  return reservation.waitForMemory(bytes).then(() => void begun.push(name));
}

/** Where no body has to give way. */
const unused = () => undefined;

const soon = () => new Promise((resolve) => setImmediate(resolve));

describe('slots', () => {
  it('are as many as an instance works on at once, of one caller fewer, and free again when a request ends (R-12)', () => {
    const first = withSlots(MAX_REQUESTS_OF_KEY, 'a');
    expect(() => capacity.begin('a').takeSlot()).toThrow(OVERLOADED);
    const others = withSlots(MAX_REQUESTS_IN_FLIGHT - MAX_REQUESTS_OF_KEY, 'b');
    expect(() => capacity.begin('c').takeSlot()).toThrow(OVERLOADED);
    first[0]!.release();
    expect(() => capacity.begin('c').takeSlot()).not.toThrow();
    for (const reservation of [...first, ...others]) reservation.release();
    expect(() => withSlots(MAX_REQUESTS_OF_KEY, 'a')).not.toThrow();
  });

  it('are for streams only to a part, of one caller a smaller one, until they end (R-92)', () => {
    const streams = (count: number, caller: string) =>
      withSlots(count, caller).map((reservation) => {
        reservation.takeStream();
        return reservation;
      });
    const first = streams(MAX_STREAMS_OF_KEY, 'a');
    expect(() => streams(1, 'a')).toThrow('Too many streams at once. Please try again later.');
    for (let left = MAX_STREAMS - MAX_STREAMS_OF_KEY; left > 0; left -= 1) streams(1, `other ${left}`);
    expect(() => streams(1, 'b')).toThrow(OVERLOADED);
    expect(() => withSlots(1, 'b')).not.toThrow();
    first[0]!.release();
    first[0]!.release();
    expect(() => streams(1, 'b')).not.toThrow();
    expect(() => streams(1, 'c')).toThrow(OVERLOADED);
  });

  it('are free while a body arrives (R-12)', () => {
    for (const reservation of withSlots(MAX_BODIES_ARRIVING_OF_KEY - 10, 'a')) reservation.beginBody(unused);
    expect(() => withSlots(MAX_REQUESTS_OF_KEY, 'a')).not.toThrow();
  });
});

describe('bodies that arrive', () => {
  it('are bounded for a caller, in their number and in their bytes (R-12)', () => {
    const bodies = times(MAX_BODIES_ARRIVING_OF_KEY, 'a');
    for (const reservation of bodies) reservation.beginBody(unused);
    expect(() => capacity.begin('a').beginBody(unused)).toThrow(OVERLOADED);
    bodies[0]!.addBodyBytes(MAX_ARRIVING_BYTES_OF_KEY);
    expect(() => bodies[1]!.addBodyBytes(1)).toThrow(OVERLOADED);
    const other = capacity.begin('b');
    other.beginBody(unused);
    other.addBodyBytes(1_000);
    bodies[0]!.endBody();
    bodies[0]!.release();
    bodies[1]!.addBodyBytes(1);
    expect(() => capacity.begin('a').beginBody(unused)).not.toThrow();
  });

  it('are kept out by large ones only where they are large themselves (R-12)', () => {
    for (let kept = 0; kept < MAX_ARRIVING_BYTES; kept += MAX_BODY_BYTES) arriving(`large ${kept % 3}`, MAX_BODY_BYTES);
    const small = arriving('c', SMALL_BODY_BYTES);
    expect(() => arriving('d', SMALL_BODY_BYTES + 1)).toThrow(OVERLOADED);
    expect(() => small.addBodyBytes(1)).toThrow(OVERLOADED); // it becomes a large one
    small.release();
  });

  it('that are small are bounded, too, and no longer counted when they are over (R-12)', () => {
    const most = MAX_SMALL_ARRIVING_BYTES / SMALL_BODY_BYTES;
    const bodies = Array.from({ length: most }, (_, n) => arriving(`${n % 8}`, SMALL_BODY_BYTES));
    expect(() => arriving('other', 1)).toThrow(OVERLOADED);
    bodies[0]!.release();
    bodies[1]!.addBodyBytes(1); // it is a large one from here on
    expect(() => arriving('other', 2 * SMALL_BODY_BYTES)).not.toThrow();
    expect(() => arriving('other', SMALL_BODY_BYTES)).not.toThrow();
  });
});

describe('bodies that give way', () => {
  it('end for a new one, the oldest first, whoever sent them; those that have come or ended do not count (R-401)', () => {
    const own = new Capacity(3);
    const ended: string[] = [];
    const begin = (name: string) => {
      const reservation = own.begin(name);
      reservation.beginBody(() => {
        ended.push(name);
        reservation.endBody();
      });
      return reservation;
    };
    const [, second] = ['a', 'b', 'c'].map(begin);
    second!.endBody();
    begin('d');
    expect(ended).toEqual([]);
    ['e', 'f'].forEach(begin);
    expect(ended).toEqual(['a', 'c']);
  });

  it('are none where nobody says so: a new one is refused (R-12)', () => {
    for (let caller = 0; caller < MAX_BODIES_ARRIVING / MAX_BODIES_ARRIVING_OF_KEY; caller += 1) {
      for (const body of times(MAX_BODIES_ARRIVING_OF_KEY, `${caller}`)) {
        body.beginBody(() => {
          throw new Error('It gave way.');
        });
      }
    }
    expect(() => capacity.begin('new').beginBody(unused)).toThrow(OVERLOADED);
  });
});

describe('bodies that are slow', () => {
  /**
   * Bodies of these callers and bytes that become slow one after the other. @returns the indexes of the bodies that are
   * ended
   */
  function endedOf(bodies: readonly (readonly [caller: string, bytes: number])[]): number[] {
    const ended: number[] = [];
    for (const [index, [caller, bytes]] of bodies.entries()) {
      const reservation = arriving(caller, bytes);
      reservation.reportSlow(() => {
        ended.push(index);
        reservation.endBody();
        reservation.release();
      });
    }
    return ended;
  }
  const many = (caller: string, count: number, bytes = 1) => Array.from({ length: count }, () => [caller, bytes] as const); // prettier-ignore

  it('are at most half of the requests of an instance, of whomever they are: the largest ends (R-12)', () => {
    expect(endedOf(many('a', MAX_SLOW_BODIES))).toEqual([]);
    capacity = new Capacity();
    const slow = Array.from({ length: MAX_SLOW_BODIES }, (_, n) => [`${n}`, n === 3 ? 100 : 50] as const);
    expect(endedOf([...slow, ['x', 60], ['y', 10]])).toEqual([3, MAX_SLOW_BODIES]);
  });

  it('end for the caller that has the most, so that many small ones end no large one of another caller (R-12)', () => {
    expect(endedOf([['b', 10_000], ...many('a', MAX_SLOW_BODIES), ['c', 20_000]])).toEqual([MAX_SLOW_BODIES, MAX_SLOW_BODIES - 1]); // prettier-ignore
  });

  it('take at most half of the bytes that may arrive, also those that come when they are slow (R-12)', () => {
    const held = [...many('a', 4, MAX_BODY_BYTES - 1), ...many('b', 2, MAX_BODY_BYTES - 1)];
    expect(endedOf(held)).toHaveLength(3);
    expect(() => arriving('c', MAX_ARRIVING_BYTES - MAX_SLOW_BYTES)).not.toThrow();
    capacity = new Capacity();
    const growing = arriving('a', 1);
    const ended = jest.fn();
    growing.reportSlow(ended);
    growing.addBodyBytes(MAX_SLOW_BYTES);
    expect(ended).toHaveBeenCalledTimes(1);
  });

  it('are counted no longer when they are over', () => {
    const slow = Array.from({ length: MAX_SLOW_BODIES }, (_, n) => arriving(`${n}`, 1));
    for (const reservation of slow) reservation.reportSlow(() => undefined);
    for (const reservation of slow) reservation.endBody();
    expect(endedOf(many('a', MAX_SLOW_BODIES))).toEqual([]);
  });
});

describe('memory for work', () => {
  it('is waited for in line, and given on when work ends', async () => {
    const [first, second, third] = times(3, 'a') as [Reservation, Reservation, Reservation];
    const begun: string[] = [];
    expect(first.tryToReserveMemory(LARGE)).toBe(true);
    const waiting = [waitFor(second, LARGE, 'second', begun), waitFor(third, LARGE, 'third', begun)];
    await soon();
    expect(begun).toEqual([]);
    first.release();
    await soon();
    expect(begun).toEqual(['second']);
    second.release();
    await Promise.all(waiting);
    expect(begun).toEqual(['second', 'third']);
  });

  it('of small work is never waited for because of large work', () => {
    expect(capacity.begin('a').tryToReserveMemory(LARGE)).toBe(true);
    expect(capacity.begin('a').tryToReserveMemory(LARGE)).toBe(false);
    expect(capacity.begin('a').tryToReserveMemory(SMALL_WORK_BYTES)).toBe(true);
  });

  it('goes to the caller that has the least, so that one caller never keeps another waiting for ever', async () => {
    const begun: string[] = [];
    const work = capacity.begin('a');
    const more = capacity.begin('a');
    work.tryToReserveMemory(LARGE_WORK_BYTES - SMALL_WORK_BYTES - 1);
    more.tryToReserveMemory(SMALL_WORK_BYTES + 1);
    const waiting = [...times(3, 'a').map((reservation, index) => waitFor(reservation, LARGE, `a${index}`, begun)), waitFor(capacity.begin('b'), LARGE, 'b', begun)]; // prettier-ignore
    work.release();
    await soon();
    expect(begun).toEqual(['b']);
    waiting.forEach((one) => void one.catch(() => undefined));
  });

  it('that is more than there is goes alone', () => {
    expect(capacity.begin('a').tryToReserveMemory(2 * LARGE_WORK_BYTES)).toBe(true);
    expect(capacity.begin('b').tryToReserveMemory(LARGE)).toBe(false);
  });

  it('that turns out not to be needed is given on', async () => {
    const first = capacity.begin('a');
    first.tryToReserveMemory(LARGE_WORK_BYTES);
    const begun: string[] = [];
    const waiting = waitFor(capacity.begin('b'), LARGE, 'b', begun);
    first.reduceMemory(1_000);
    await waiting;
    expect(begun).toEqual(['b']);
  });

  it('is waited for no longer once the request is answered', async () => {
    const first = capacity.begin('a');
    first.tryToReserveMemory(LARGE_WORK_BYTES);
    const second = capacity.begin('b');
    const waiting = second.waitForMemory(LARGE);
    second.release();
    await expect(waiting).rejects.toThrow('answered');
    first.release();
    expect(capacity.begin('c').tryToReserveMemory(LARGE_WORK_BYTES)).toBe(true);
  });

  it('is refused when it takes too long', async () => {
    jest.useFakeTimers();
    capacity.begin('a').tryToReserveMemory(LARGE_WORK_BYTES);
    const waiting = expect(capacity.begin('b').waitForMemory(LARGE)).rejects.toMatchObject({ status: 503 });
    await jest.runAllTimersAsync();
    await waiting;
    jest.useRealTimers();
  });
});
