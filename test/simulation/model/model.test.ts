/** The model against what was measured, and against the service's own code. */
import { RegionalScheduler } from '../../../shared/transfers/regional-scheduler';
import type { TenantId } from '../../../shared/domain/tenant';
import { recurringJobId, toSchedule, toTrigger } from '../../../shared/domain/transfer';
import { priceOf } from '../../bench/list-prices';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryRegion } from '../../support/memory-regions';
import { FastRandom } from '../engine/draws';
import { millionCost } from '../figures/measured';
import { hoursToRegister, KINDS_OF_JOBS, placeJobs, READS_OF_REGION, regionsFor } from './jobs';
import { probeRequests } from './probe-requests';
import { probeSweep } from './probe-sweep';
import { probeTransfers, workOfFile } from './probe-transfers';
import { loadOfCounter } from './rate-counters';
import { drawWorkload, filesOf, firesOf, rowsOfRun } from './workload';

/** Rows of the file that the benchmark reads to count costs: 2 MiB. */
const MEASURED_ROWS = 10_570;

it('asks Firestore for as much as was measured of full batches (R-397)', async () => {
  const measured = millionCost('customers');
  const { known, unknown } = await probeRequests(1_000, 1_000, 2, 'seed');
  expect([known.work.reads, known.work.writes]).toEqual([measured.reads / 1_000, measured.writes / 1_000]);
  const { durationsMs } = unknown;
  expect(Math.min(...durationsMs)).toBeGreaterThan(0);
  const consumption = { ...known.work, refused: 0, cpuSeconds: 0, instanceSeconds: 0, requests: 0 };
  expect((1_000 * priceOf(consumption)) / measured.dollars).toBeCloseTo(1, 1);
});

it('asks Firestore for as much as was measured of files (R-397)', async () => {
  const measured = millionCost('files of new customers');
  const probes = await probeTransfers({ inFolder: 0, areKnown: false }, 2, 'seed');
  const file = workOfFile(MEASURED_ROWS, probes);
  const { trigger, filePlan } = probes;
  const ofMillion = (name: 'reads' | 'writes') =>
    ((file[name] + trigger.work[name] + filePlan.work[name]) * 1_000_000) / MEASURED_ROWS;
  expect(ofMillion('reads') / measured.reads).toBeCloseTo(1, 1);
  expect(ofMillion('writes') / measured.writes).toBeCloseTo(1, 2);
});

it('does the same work for the same seed, in the same simulated time', async () => {
  const probe = () => probeTransfers({ inFolder: 3, areKnown: true }, 2, 'seed');
  const first = await probe();
  expect(await probe()).toEqual(first);
  expect(first.emptyPlan.work.reads).toBeGreaterThan(3);
  expect(await probeSweep('seed')).toBe(await probeSweep('seed'));
});

it('never admits more than the limit of a key, and counts few in one write each', async () => {
  expect(await loadOfCounter(120, 3, 'seed')).toEqual({ writesASecond: 2, admitted: 120 });
  const { admitted, writesASecond } = await loadOfCounter(6_000, 4, 'seed');
  expect(admitted).toBeLessThanOrEqual(6_000);
  expect(admitted).toBeGreaterThan(5_400);
  expect(writesASecond).toBeLessThan(6_000 / 60 / 4);
});

/** A region that counts how often somebody looks for a job. */
class CountedRegion extends MemoryRegion {
  looks = 0;

  override find(...call: Parameters<MemoryRegion['find']>) {
    this.looks += 1;
    return super.find(...call);
  }
}

it('places jobs as the service does, with as many looks', async () => {
  const tenants = Array.from(
    { length: 60 },
    (_, index) => `11111111-1111-4111-8111-${String(index).padStart(12, '0')}`,
  );
  const names = ['region-0', 'region-1', 'region-2', 'region-3'];
  const quota = 32;
  const regions = names.map((name) => new CountedRegion(name, quota));
  const scheduler = new RegionalScheduler(regions, new FixedClock());
  for (const tenantId of tenants as TenantId[]) {
    for (const kind of KINDS_OF_JOBS) {
      const jobId = recurringJobId(kind, tenantId);
      const options = { TenantId: tenantId, BucketName: 'shop-exports' };
      const trigger = toTrigger(kind, tenantId, jobId, options);
      await scheduler.schedule({ trigger, schedule: toSchedule(kind, options) });
    }
  }
  const { jobs, refused } = placeJobs(tenants, names, quota);
  expect([...jobs].sort()).toEqual(regions.map((region) => region.jobs.size).sort());
  expect(jobs).toEqual(regions.map((region) => region.jobs.size));
  expect(refused).toBe(0);
  const looks = regions.reduce((sum, region) => sum + region.looks, 0) / (tenants.length * KINDS_OF_JOBS.length);
  // Where the preferred region is full it is looked into, too.
  expect(looks).toBeGreaterThanOrEqual(READS_OF_REGION * (names.length - 1));
  expect(looks).toBeLessThan(READS_OF_REGION * names.length);
  expect(placeJobs(tenants, names, 20).refused).toBe(2 * tenants.length - 4 * 20);
});

it('tells how many regions hold all jobs, and how long registering them takes', () => {
  expect([regionsFor(2_499), regionsFor(2_500), regionsFor(100_000)]).toEqual([1, 2, 41]);
  expect(hoursToRegister(15_000, 1)).toBe(1);
  expect(hoursToRegister(15_000, 11)).toBe(8);
});

it('draws tenants of many sizes with a given sum, whose jobs fire at the full hour and at midnight', () => {
  const { records, total, largest } = drawWorkload(5_000, new FastRandom('tenants'));
  expect(records.reduce((sum, value) => sum + value, 0)).toBeCloseTo(total, 0);
  expect(largest).toBeGreaterThan(10 * (total / 5_000));
  expect([firesOf('daily'), firesOf('hourly')]).toEqual([
    { firstMs: 0, timesADay: 1 },
    { firstMs: 0, timesADay: 24 },
  ]);
  const inFiles = rowsOfRun('daily', 1_000_000) + 24 * rowsOfRun('hourly', 1_000_000);
  expect(inFiles / 1_000_000).toBeCloseTo(0.5, 3);
  expect(filesOf(250_000)).toEqual([83_333, 83_334, 83_333]);
  expect(filesOf(0)).toEqual([]);
});
