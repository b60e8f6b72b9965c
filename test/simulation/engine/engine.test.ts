/** The core of the simulation against what is known of queues. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { exponential, FastRandom, oneOf, standardNormal } from './draws';
import { Histogram } from './histogram';
import { Rates } from './rates';
import { SimulatedClock } from './simulated-clock';
import { Station } from './station';

const JOBS = 100_000;

/** Jobs that come independently of each other, each with a service time of its own. */
function simulateQueue(servers: number, arrivalsASecond: number, serviceMs: (random: FastRandom) => number): Station {
  const clock = new SimulatedClock();
  const random = new FastRandom('queue');
  const station = new Station(servers, clock);
  let arrived = 0;
  const arrive = () => {
    station.arrive(() => serviceMs(random));
    arrived += 1;
    if (arrived < JOBS) clock.after(exponential(1_000 / arrivalsASecond, random), arrive);
  };
  arrive();
  expect(clock.run()).toBe(true);
  return station;
}

/** The mean wait of M/M/c in milliseconds, by Erlang's C formula. */
function waitByFormula(servers: number, arrivalsASecond: number, meanServiceMs: number): number {
  const offered = (arrivalsASecond * meanServiceMs) / 1_000;
  let term = 1;
  let sum = 1;
  for (let jobs = 1; jobs < servers; jobs += 1) {
    term *= offered / jobs;
    sum += term;
  }
  const last = ((term * offered) / servers) * (servers / (servers - offered));
  return ((last / (sum + last)) * meanServiceMs) / (servers - offered);
}

it.each([
  [1, 5, 100],
  [3, 24, 100],
  [16, 140, 100],
])('waits in M/M/%i as long as the formula says (R-397)', (servers, arrivalsASecond, meanMs) => {
  const station = simulateQueue(servers, arrivalsASecond, (random) => exponential(meanMs, random));
  const expected = waitByFormula(servers, arrivalsASecond, meanMs);
  expect(station.waits.count).toBe(JOBS);
  expect(station.waits.mean / expected).toBeGreaterThan(0.9);
  expect(station.waits.mean / expected).toBeLessThan(1.1);
});

it('waits half as long where all jobs take the same time (M/D/1)', () => {
  const station = simulateQueue(1, 5, () => 100);
  expect(station.waits.mean / (waitByFormula(1, 5, 100) / 2)).toBeCloseTo(1, 1);
});

it('serves first who came first, also before what a job that ends brings', () => {
  const clock = new SimulatedClock();
  const station = new Station(1, clock);
  const ended: string[] = [];
  const arrive = (name: string, then: () => void = () => undefined) =>
    station.arrive(
      () => 10,
      () => {
        ended.push(`${name} ${clock.nowMs()}`);
        then();
      },
    );
  arrive('first', () => arrive('brought'));
  arrive('second');
  expect(clock.run(10)).toBe(false);
  clock.run();
  expect(ended).toEqual(['first 10', 'second 20', 'brought 30']);
  expect([station.mostWaiting, station.busyMs, station.busy]).toEqual([1, 30, 0]);
});

it('lets things happen in the order of their times, and those of one moment as they were planned', () => {
  const clock = new SimulatedClock(1_000);
  const random = new FastRandom('times');
  const seen: string[] = [];
  for (let index = 0; index < 500; index += 1) {
    const ms = Math.floor(random.fraction() * 50);
    clock.after(ms, () => seen.push(`${String(clock.nowMs()).padStart(5, '0')} ${String(index).padStart(3, '0')}`));
  }
  clock.run();
  expect(seen).toHaveLength(500);
  expect(seen).toEqual([...seen].sort());
});

it('lets no time go by while asynchronous code computes in many turns of the event loop', async () => {
  const clock = new SimulatedClock();
  const work = async () => {
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    return clock.nowMs();
  };
  const [computed] = await clock.runWhile(Promise.all([work(), clock.sleep(30)]));
  expect(computed).toBe(0);
});

it('lets time go on while asynchronous code sleeps, and fails where it waits for anything else', async () => {
  const clock = new SimulatedClock();
  const work = async () => {
    await Promise.all([clock.sleep(30), clock.sleep(20).then(() => clock.sleep(25))]);
    return clock.nowMs();
  };
  await expect(clock.runWhile(work())).resolves.toBe(45);
  await expect(clock.runWhile(sleep(1_000, undefined, { ref: false }))).rejects.toThrow('not simulated');
  await expect(clock.runWhile(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});

it('tells percentiles within 5 % in a bounded number of buckets', () => {
  const histogram = new Histogram();
  for (let value = 1; value <= 10_000; value += 1) histogram.add(value);
  for (const share of [0.5, 0.9, 0.99]) {
    expect(histogram.percentile(share) / (share * 10_000)).toBeGreaterThan(0.99);
    expect(histogram.percentile(share) / (share * 10_000)).toBeLessThan(1.06);
  }
  expect([histogram.max, histogram.mean, histogram.percentile(1)]).toEqual([10_000, 5_000.5, 10_000]);
  expect(Object.values(histogram).find(Array.isArray)!.length).toBeLessThan(400);
  expect(new Histogram().percentile(0.5)).toBe(0);
});

it('spreads an amount over the minutes in which it falls', () => {
  const rates = new Rates();
  rates.add(30_000, 90_000, 120);
  rates.add(61_000, 61_000, 60);
  expect(rates.peakASecond()).toBe(2);
  expect(rates.peakASecond(2)).toBe(1.5);
});

it('draws the same for the same seed, evenly', () => {
  const draw = (seed: string) => {
    const random = new FastRandom(seed);
    return Array.from({ length: 20_000 }, () => random.fraction());
  };
  expect(draw('a')).toEqual(draw('a'));
  expect(draw('a')).not.toEqual(draw('b'));
  const values = draw('a');
  for (let tenth = 0; tenth < 10; tenth += 1) {
    const share = values.filter((value) => Math.floor(value * 10) === tenth).length / values.length;
    expect(share).toBeGreaterThan(0.09);
    expect(share).toBeLessThan(0.11);
  }
  const random = new FastRandom('normal');
  const normal = Array.from({ length: 20_000 }, () => standardNormal(random));
  expect(normal.reduce((sum, value) => sum + value ** 2, 0) / normal.length).toBeCloseTo(1, 1);
  expect(new Set(Array.from({ length: 100 }, () => oneOf(['x', 'y'], random)))).toEqual(new Set(['x', 'y']));
  expect(random.bytes(5)).toHaveLength(5);
});
