/** What the simulation calls full: planted ceilings, bounds of the code, and the same result for the same seed. */
import { FastRandom } from '../engine/draws';
import { processorTime } from '../figures/measured';
import { AT_ONCE, SPREAD } from '../page';
import type { Deployment, Situation } from './deployment';
import { cpusAtMost, defaultDeployment, nightOf, raisedDeployment } from './deployment';
import { probeRequests } from './probe-requests';
import { probeTransfers } from './probe-transfers';
import { simulatePeak } from './requests';
import type { Resource } from './resources';
import { bySaturation, ceilingTenants, resourcesOf, saturation } from './resources';
import { drawWorkload } from './workload';

const REMEMBERED = 50;

jest.mock<object>('../../../shared/limits/requests', () => ({
  ...jest.requireActual<object>('../../../shared/limits/requests'),
  MAX_REMEMBERED_KEYS: 50,
}));

const TENANTS = 400;
const HOURS = 1;

async function situationOf(tenants: number): Promise<Situation> {
  return {
    workload: drawWorkload(tenants, new FastRandom('tenants')),
    requests: await probeRequests(100, 100, 4, 'seed'),
    transfers: await probeTransfers({ inFolder: 3, areKnown: true }, 4, 'seed'),
    time: processorTime(),
    hours: HOURS,
  };
}

let situation: Situation;
beforeAll(async () => {
  situation = await situationOf(TENANTS);
});

const random = () => new FastRandom('night');

/** What is used where `change` has changed what is deployed. */
function resourcesWith(
  change: (deployment: Deployment) => Partial<Deployment>,
  { requestsASecond = 1, workload = situation.workload } = {},
): Resource[] {
  const start = defaultDeployment(AT_ONCE);
  const deployment = { ...start, ...change(start) };
  const changed = { ...situation, workload };
  const night = nightOf(deployment, changed, random());
  const peak = simulatePeak(
    workload,
    situation.requests,
    { requestsASecond, seconds: 20, deployed: deployment.functions.orders, processorMs: 5 },
    random(),
  );
  const peaks = { customers: peak, orders: peak, products: peak };
  const leased = { limit: 60_000, writesASecond: 0.5 };
  return resourcesOf({ ...changed, deployment, night, peaks, sweptFlagMs: 1, leased });
}

const fullIn = (resources: readonly Resource[]) => {
  return bySaturation(resources)
    .filter((resource) => resource.beyond !== 'slower' && saturation(resource) >= 1)
    .map(({ name }) => name);
};

it('finds nothing full that refuses or delays work where there is enough of all', () => {
  expect(fullIn(resourcesWith(() => ({})))).toEqual([]);
});

it('finds a planted ceiling: too few places for files (R-398)', () => {
  const onePlace = ({ functions }: Deployment) => ({
    functions: {
      ...functions,
      'transfer-runner': { ...functions['transfer-runner'], maxInstances: 1, concurrency: 1 },
    },
  });
  const full = fullIn(resourcesWith(onePlace, { workload: drawWorkload(6_000, random()) }));
  expect(full.filter((name) => name !== 'jobs of Cloud Scheduler')[0]).toMatch(/transfer/);
  expect(full).toContain('places of `transfer-runner`, 1 h from midnight');
});

it('finds a planted ceiling: too few regions, too few instances for requests', () => {
  expect(fullIn(resourcesWith(() => ({ regions: 0.1 })))).toEqual(['jobs of Cloud Scheduler']);
  const full = fullIn(
    resourcesWith(
      ({ functions }) => ({
        functions: { ...functions, orders: { ...functions.orders, maxInstances: 1, concurrency: 1 } },
      }),
      { requestsASecond: 300 },
    ),
  );
  expect(full).toEqual(
    expect.arrayContaining(['places of `customers` at the peak', 'processors of `customers` at the peak']),
  );
});

it('takes its bounds from the code: here an instance remembers 50 keys (R-398)', () => {
  const keys = resourcesWith(() => ({})).find(({ name }) => name === 'keys that an instance remembers')!;
  expect(keys.capacity).toBe(REMEMBERED);
  expect(ceilingTenants(keys, TENANTS)).toBe(REMEMBERED);
});

it('spreads the writes of runs, and the beginnings of runs with them (R-372)', () => {
  const start = defaultDeployment(AT_ONCE);
  const atOnce = nightOf(start, situation, random());
  const spread = nightOf({ ...start, handingOut: SPREAD }, situation, random());
  expect(spread.runs).toBe(atOnce.runs);
  expect(spread.messages).toBe(atOnce.messages);
  expect(spread.runWrites.peakASecond()).toBeLessThan(atOnce.runWrites.peakASecond() / 4);
  expect(spread.waits.max).toBeLessThan(atOnce.waits.max);
});

it('raises what is too little, and leaves the rest', () => {
  const start = defaultDeployment(AT_ONCE);
  const small = { ...start, functions: { ...start.functions } };
  const runner = start.functions['transfer-runner'];
  small.functions['transfer-runner'] = { ...runner, maxInstances: 1, concurrency: 1 };
  const few = { ...situation, workload: drawWorkload(4_000, random()) };
  const { deployment, night } = raisedDeployment(small, few, random);
  expect(deployment.functions['transfer-runner'].maxInstances).toBeGreaterThan(1);
  expect(night.lateness.percentile(0.99)).toBeLessThanOrEqual(30 * 60_000);
  expect(deployment.regions).toBe(2);
  expect(deployment.functions.customers).toEqual(start.functions.customers);
  expect(cpusAtMost(deployment.functions)).toBeGreaterThan(cpusAtMost(small.functions));
});

it('comes to the same for the same seed, and to another night for another', () => {
  const start = defaultDeployment(AT_ONCE);
  const night = (seed: string) => nightOf(start, situation, new FastRandom(seed));
  expect(night('a')).toEqual(night('a'));
  expect(night('a')).not.toEqual(night('b'));
});
