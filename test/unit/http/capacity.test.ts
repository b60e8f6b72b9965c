import {
  LARGE_WORK_BYTES,
  MAX_ARRIVING_BYTES_OF_KEY,
  MAX_BODIES_ARRIVING_OF_KEY,
  MAX_REQUESTS_IN_FLIGHT,
  MAX_REQUESTS_OF_KEY,
  MAX_SLOW_BODIES_OF_KEY,
  SMALL_WORK_BYTES,
} from '../../../shared/domain/limits';
import type { Hold } from '../../../shared/http/capacity';
import { Capacity } from '../../../shared/http/capacity';

const OVERLOADED = 'The service is overloaded. Please try again later.';
const LARGE = LARGE_WORK_BYTES / 2 + 1;

let capacity: Capacity;
beforeEach(() => (capacity = new Capacity()));

const times = (count: number, caller: string) => Array.from({ length: count }, () => capacity.begin(caller));
const placed = (count: number, caller: string) =>
  times(count, caller).map((hold) => {
    hold.takePlace();
    return hold;
  });

/** Begins to wait for memory, and says who has it by then. */
function waitFor(hold: Hold, bytes: number, name: string, begun: string[]): Promise<void> {
  return hold.waitToWork(bytes).then(() => void begun.push(name));
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

describe('places', () => {
  it('are as many as an instance works on at once, of one caller fewer, and free again when a request ends (R-12)', () => {
    const first = placed(MAX_REQUESTS_OF_KEY, 'a');
    expect(() => capacity.begin('a').takePlace()).toThrow(OVERLOADED);
    const others = placed(MAX_REQUESTS_IN_FLIGHT - MAX_REQUESTS_OF_KEY, 'b');
    expect(() => capacity.begin('c').takePlace()).toThrow(OVERLOADED);
    first[0]!.end();
    expect(() => capacity.begin('c').takePlace()).not.toThrow();
    for (const hold of [...first, ...others]) hold.end();
    expect(() => placed(MAX_REQUESTS_OF_KEY, 'a')).not.toThrow();
  });

  it('are left while a body arrives (R-12)', () => {
    for (const hold of placed(MAX_BODIES_ARRIVING_OF_KEY - 10, 'a')) hold.beginBody();
    expect(() => placed(MAX_REQUESTS_OF_KEY, 'a')).not.toThrow();
  });
});

describe('bodies that arrive', () => {
  it('are bounded for a caller, in their number and in their bytes (R-12)', () => {
    const bodies = times(MAX_BODIES_ARRIVING_OF_KEY, 'a');
    for (const hold of bodies) hold.beginBody();
    expect(() => capacity.begin('a').beginBody()).toThrow(OVERLOADED);
    bodies[0]!.keep(MAX_ARRIVING_BYTES_OF_KEY);
    expect(() => bodies[1]!.keep(1)).toThrow(OVERLOADED);
    const other = capacity.begin('b');
    other.beginBody();
    other.keep(1_000);
    bodies[0]!.endBody();
    bodies[0]!.end();
    bodies[1]!.keep(1);
    expect(() => capacity.begin('a').beginBody()).not.toThrow();
  });

  it('may be slow, but of one caller only some (R-12)', () => {
    const bodies = times(MAX_SLOW_BODIES_OF_KEY + 1, 'a');
    for (const hold of bodies) hold.beginBody();
    expect(bodies.map((hold) => hold.maySlowDown())).toEqual([
      ...Array<boolean>(MAX_SLOW_BODIES_OF_KEY).fill(true),
      false,
    ]);
    expect(bodies[0]!.maySlowDown()).toBe(true);
    bodies[0]!.endBody();
    expect(bodies.at(-1)!.maySlowDown()).toBe(true);
  });
});

describe('memory for work', () => {
  it('is waited for in line, and given on when work ends', async () => {
    const [first, second, third] = times(3, 'a') as [Hold, Hold, Hold];
    const begun: string[] = [];
    expect(first.tryToWork(LARGE)).toBe(true);
    const waiting = [waitFor(second, LARGE, 'second', begun), waitFor(third, LARGE, 'third', begun)];
    await soon();
    expect(begun).toEqual([]);
    first.end();
    await soon();
    expect(begun).toEqual(['second']);
    second.end();
    await Promise.all(waiting);
    expect(begun).toEqual(['second', 'third']);
  });

  it('of small work is never waited for because of large work', () => {
    expect(capacity.begin('a').tryToWork(LARGE)).toBe(true);
    expect(capacity.begin('a').tryToWork(LARGE)).toBe(false);
    expect(capacity.begin('a').tryToWork(SMALL_WORK_BYTES)).toBe(true);
  });

  it('goes to the caller that has the least, so that one caller never keeps another waiting for ever', async () => {
    const begun: string[] = [];
    const work = capacity.begin('a');
    const more = capacity.begin('a');
    work.tryToWork(LARGE_WORK_BYTES - SMALL_WORK_BYTES - 1);
    more.tryToWork(SMALL_WORK_BYTES + 1);
    const waiting = [...times(3, 'a').map((hold, place) => waitFor(hold, LARGE, `a${place}`, begun)), waitFor(capacity.begin('b'), LARGE, 'b', begun)]; // prettier-ignore
    work.end();
    await soon();
    expect(begun).toEqual(['b']);
    waiting.forEach((one) => void one.catch(() => undefined));
  });

  it('that is more than there is goes alone', () => {
    expect(capacity.begin('a').tryToWork(2 * LARGE_WORK_BYTES)).toBe(true);
    expect(capacity.begin('b').tryToWork(LARGE)).toBe(false);
  });

  it('that turns out not to be needed is given on', async () => {
    const first = capacity.begin('a');
    first.tryToWork(LARGE_WORK_BYTES);
    const begun: string[] = [];
    const waiting = waitFor(capacity.begin('b'), LARGE, 'b', begun);
    first.needOnly(1_000);
    await waiting;
    expect(begun).toEqual(['b']);
  });

  it('is waited for no longer once the request is answered', async () => {
    const first = capacity.begin('a');
    first.tryToWork(LARGE_WORK_BYTES);
    const second = capacity.begin('b');
    const waiting = second.waitToWork(LARGE);
    second.end();
    await expect(waiting).rejects.toThrow('answered');
    first.end();
    expect(capacity.begin('c').tryToWork(LARGE_WORK_BYTES)).toBe(true);
  });

  it('is refused when it takes too long', async () => {
    jest.useFakeTimers();
    capacity.begin('a').tryToWork(LARGE_WORK_BYTES);
    const waiting = expect(capacity.begin('b').waitToWork(LARGE)).rejects.toMatchObject({ status: 503 });
    await jest.runAllTimersAsync();
    await waiting;
    jest.useRealTimers();
  });
});
