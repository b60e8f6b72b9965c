/** Recurring transfers in many regions, on regions in memory; on Cloud Scheduler in contract/transfer-scheduler. */
import { rendezvousOrder } from '../../../shared/domain/rendezvous';
import type { TenantId } from '../../../shared/domain/tenant';
import { parseTenantId } from '../../../shared/domain/tenant';
import type { RecurringTransfer, RecurringTransferKind } from '../../../shared/domain/transfer';
import { recurringJobId, toTrigger } from '../../../shared/domain/transfer';
import { FULL_REGION_SECONDS } from '../../../shared/limits/transfers';
import { RegionalScheduler } from '../../../shared/transfers/regional-scheduler';
import { AllRegionsFull } from '../../../shared/transfers/transfer-scheduler';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryRegion } from '../../support/memory-regions';
import { SeededRandom } from '../../support/seeded-random';
import { TENANT_ID } from '../support/tenant';

const JOB = recurringJobId('daily', TENANT_ID);

const tenantOf = (n: number) => parseTenantId(`0f8fad5b-d9cb-469f-a165-${String(n).padStart(12, '0')}`)!;

function transfer(schedule: string, tenantId: TenantId = TENANT_ID, kind: RecurringTransferKind = 'daily') {
  const jobId = recurringJobId(kind, tenantId);
  const trigger = toTrigger(kind, tenantId, jobId, { TenantId: tenantId, BucketName: 'ada-exports' });
  return { trigger, schedule } satisfies RecurringTransfer;
}

/** Regions with room for `quota` jobs each, in the order in which the tenant of `JOB` prefers them. */
function regionsOf(count: number, quota = 10, turn?: () => Promise<void>): MemoryRegion[] {
  const names = Array.from({ length: count }, (_, n) => `region-${n}`);
  return rendezvousOrder(TENANT_ID, names).map((name) => new MemoryRegion(name, quota, turn));
}

/** An instance: it remembers for itself which regions are full. */
const instanceOn = (regions: readonly MemoryRegion[], clock = new FixedClock()) =>
  new RegionalScheduler(regions, clock);

/** The schedule that each region has of `JOB`; undefined: none. */
const copiesIn = (regions: readonly MemoryRegion[]) => regions.map(({ jobs }) => jobs.get(JOB)?.schedule);

async function listed(scheduler: RegionalScheduler): Promise<string[]> {
  const ids: string[] = [];
  for await (const { jobId } of scheduler.all()) ids.push(jobId);
  return ids.sort();
}

it('holds 20,000 jobs in 20 regions of 1,000, each once, and finds them when the list has grown (R-320, R-321)', async () => {
  const names = Array.from({ length: 20 }, (_, n) => `region-${n}`);
  const regions = names.map((name) => new MemoryRegion(name, 1_000));
  const scheduler = instanceOn(regions);
  const tenants = Array.from({ length: 10_000 }, (_, n) => tenantOf(n));
  const transfers = tenants.flatMap((id) => [transfer('1 * * * *', id, 'hourly'), transfer('1 2 * * *', id)]);
  for (const each of transfers) await scheduler.schedule(each);

  const ids = transfers.map(({ trigger }) => trigger.jobId).sort();
  expect(regions.map(({ jobs }) => jobs.size)).toEqual(names.map(() => 1_000));
  expect(await listed(scheduler)).toEqual(ids);
  // Time does not pass: each region was asked once in vain, the last one not yet.
  expect(regions.reduce((sum, { refusals }) => sum + refusals, 0)).toBeLessThan(20);
  const some = transfers.slice(0, 2_000);
  const elsewhere = some.filter(({ trigger }) => {
    const first = rendezvousOrder(trigger.tenantId, names)[0];
    return !regions.find(({ location }) => location === first)?.jobs.has(trigger.jobId);
  });
  expect(elsewhere).toEqual([]); // nothing was full yet

  await expect(scheduler.schedule(transfer('1 2 * * *'))).rejects.toThrow(AllRegionsFull);
  const grown = [new MemoryRegion('region-20', 1_000), ...regions, new MemoryRegion('region-21', 1_000)];
  const later = instanceOn(grown);
  await later.schedule(transfer('1 2 * * *'));
  for (const { trigger } of transfers.slice(-2_000)) expect(await later.find(trigger.jobId)).toBeDefined();
  for (const { trigger } of transfers.slice(-500)) await later.schedule({ trigger, schedule: '3 3 * * *' });
  expect(await listed(later)).toEqual([...ids, JOB].sort());
  expect(regions.map(({ jobs }) => jobs.size)).toEqual(names.map(() => 1_000)); // an update moves nothing
  for (const { trigger } of some) await later.remove(trigger.jobId);
  const left = transfers.slice(2_000).map(({ trigger }) => trigger.jobId);
  expect(await listed(later)).toEqual([...left, JOB].sort());
});

describe('a job', () => {
  it('is created in the region that its tenant prefers, and the jobs of a tenant in the same one (R-320)', async () => {
    const regions = regionsOf(4);
    await instanceOn(regions).schedule(transfer('1 2 * * *'));
    await instanceOn(regions).schedule(transfer('3 * * * *', TENANT_ID, 'hourly'));
    expect(regions.map(({ jobs }) => jobs.size)).toEqual([2, 0, 0, 0]);
  });

  it('stays in the only region of a deployment that gets more, whatever is registered (R-321)', async () => {
    const regions = regionsOf(3);
    const [today] = regions.slice(1);
    await instanceOn([today!]).schedule(transfer('1 2 * * *'));
    const grown = instanceOn(regions);
    expect(await grown.find(JOB)).toMatchObject({ schedule: '1 2 * * *' });
    await grown.schedule(transfer('3 4 * * *'));
    expect(copiesIn(regions)).toEqual([undefined, '3 4 * * *', undefined]);
    await grown.remove(JOB);
    expect(copiesIn(regions)).toEqual([undefined, undefined, undefined]);
    expect(await grown.find(JOB)).toBeUndefined();
  });

  it('is updated in a full region, known to be full or not, and when all are (R-321)', async () => {
    const regions = regionsOf(2, 1);
    const scheduler = instanceOn(regions);
    await scheduler.schedule(transfer('1 2 * * *'));
    await scheduler.schedule(transfer('3 4 * * *'));
    await scheduler.schedule(transfer('1 2 * * *', tenantOf(1)));
    await expect(scheduler.schedule(transfer('1 2 * * *', tenantOf(2)))).rejects.toThrow(AllRegionsFull);
    await scheduler.schedule(transfer('5 6 * * *'));
    expect(copiesIn(regions)).toEqual(['5 6 * * *', undefined]);
    await expect(scheduler.schedule(transfer('1 2 * * *', tenantOf(2)))).rejects.toThrow(AllRegionsFull);
  });
});

it('makes one call for each request where there is one region (R-320)', async () => {
  const region = new MemoryRegion('region-0', 10);
  const calls = (['put', 'update', 'find', 'remove'] as const).map((name) => jest.spyOn(region, name));
  const scheduler = instanceOn([region]);
  for (const schedule of ['1 2 * * *', '3 4 * * *']) await scheduler.schedule(transfer(schedule));
  await scheduler.find(JOB);
  await scheduler.remove(JOB);
  await scheduler.find(JOB);
  expect(calls.map(({ mock }) => mock.calls.length)).toEqual([2, 0, 2, 1]);
});

it('passes over a full region without asking it, for a minute (R-320)', async () => {
  const regions = regionsOf(2, 1);
  const clock = new FixedClock();
  const scheduler = instanceOn(regions, clock);
  for (const region of regions) region.quota = 0;
  const refusals = () => regions.map((region) => region.refusals);
  const isRefused = () => expect(scheduler.schedule(transfer('1 2 * * *'))).rejects.toThrow(AllRegionsFull);
  await isRefused();
  for (const region of regions) region.quota = 1;
  clock.advance(FULL_REGION_SECONDS * 1_000 - 1);
  await isRefused();
  expect(refusals()).toEqual([1, 1]);
  clock.advance(1);
  await scheduler.schedule(transfer('1 2 * * *'));
  expect(copiesIn(regions)).toEqual(['1 2 * * *', undefined]);
});

describe('copies in several regions, as after a crash (R-322)', () => {
  async function copied() {
    const regions = regionsOf(3);
    for (const [index, region] of regions.entries()) await region.put(transfer(`${index} 0 * * *`));
    return regions;
  }

  it('are one again after the next registration, which none of them survives with an old schedule', async () => {
    const regions = await copied();
    await instanceOn(regions).schedule(transfer('7 8 * * *'));
    expect(copiesIn(regions)).toEqual(['7 8 * * *', undefined, undefined]);
  });

  it('are removed by one removal', async () => {
    const regions = await copied();
    await instanceOn(regions).remove(JOB);
    expect(copiesIn(regions)).toEqual([undefined, undefined, undefined]);
  });
});

it('a region that cannot be asked fails the registration, so that no copy is overlooked (R-322)', async () => {
  const regions = regionsOf(3);
  const down = jest.spyOn(regions[2]!, 'find').mockRejectedValue(new Error('down'));
  await expect(instanceOn(regions).schedule(transfer('1 2 * * *'))).rejects.toThrow('down');
  await expect(instanceOn(regions).remove(JOB)).rejects.toThrow('down');
  down.mockRestore();
  await instanceOn(regions).schedule(transfer('1 2 * * *'));
  expect(copiesIn(regions)).toEqual(['1 2 * * *', undefined, undefined]);
});

describe('calls at once, in any order of what they do (R-322)', () => {
  /** Lets calls do their parts one at a time, in an order that only the seed decides. */
  class Turns {
    private readonly waiting: (() => void)[] = [];
    private readonly random: SeededRandom;

    constructor(seed: number) {
      this.random = new SeededRandom(`turns ${seed}`);
    }

    take = () => new Promise<void>((resolve) => this.waiting.push(resolve));

    pick = (count: number) => Math.floor(this.random.fraction() * count);

    async run(calls: readonly Promise<void>[]): Promise<void> {
      let open = calls.length;
      const end = () => {
        open -= 1;
      };
      for (const call of calls) call.then(end, end);
      while (open > 0) {
        await new Promise(setImmediate);
        this.waiting.splice(this.pick(this.waiting.length), 1)[0]?.();
      }
      await Promise.all(calls);
    }
  }

  const SCHEDULES = ['1 1 * * *', '2 2 * * *', '3 3 * * *'];
  const SEEDS = Array.from({ length: 400 }, (_, seed) => seed);

  /** Three instances, each of which knows other regions as full. A region may have the job already. */
  async function begin(seed: number) {
    const turns = new Turns(seed);
    const regions = regionsOf(3, 1, turns.take);
    if (turns.pick(3) === 0) regions[turns.pick(3)]!.jobs.set(JOB, transfer('0 0 * * *'));
    const instances = SCHEDULES.map(() => instanceOn(regions));
    for (const instance of instances) {
      // Another job tells the instance which regions are full; then it is gone, and they have room again.
      const other = transfer('9 9 * * *', tenantOf(seed));
      for (const region of regions) region.quota = turns.pick(2) * 2;
      regions[turns.pick(3)]!.quota = 2;
      await turns.run([instance.schedule(other)]);
      for (const region of regions) region.jobs.delete(other.trigger.jobId);
      for (const region of regions) region.quota = 1;
    }
    return { turns, regions, instances };
  }

  it('registrations leave one job, with the schedule of one of them', async () => {
    const places = new Set<number>();
    for (const seed of SEEDS) {
      const { turns, regions, instances } = await begin(seed);
      await turns.run(instances.map((instance, index) => instance.schedule(transfer(SCHEDULES[index]!))));
      const copies = copiesIn(regions).filter((schedule) => schedule !== undefined);
      expect(copies).toHaveLength(1);
      expect(SCHEDULES).toContain(copies[0]);
      places.add(regions.findIndex(({ jobs }) => jobs.has(JOB)));
    }
    expect([...places].sort()).toEqual([0, 1, 2]);
  });

  it('registrations beside a removal leave one job or none, and a removal after them none', async () => {
    const left = new Set<number>();
    for (const seed of SEEDS) {
      const { turns, regions, instances } = await begin(seed);
      const [first, second, third] = instances;
      const registered = [first!, second!].map((instance, index) => instance.schedule(transfer(SCHEDULES[index]!)));
      await turns.run([...registered, third!.remove(JOB)]);
      left.add(copiesIn(regions).filter((schedule) => schedule !== undefined).length);
      await turns.run([third!.remove(JOB)]);
      expect(copiesIn(regions)).toEqual([undefined, undefined, undefined]);
    }
    expect([...left].sort()).toEqual([0, 1]);
  });
});
