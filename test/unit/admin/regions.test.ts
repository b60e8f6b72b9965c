/** Operators' commands on recurring transfers whose jobs are in several regions. */
import type { TenantId } from '../../../shared/domain/tenant';
import type { RecurringTransferKind } from '../../../shared/domain/transfer';
import { recurringJobId, toTrigger } from '../../../shared/domain/transfer';
import { eraseTenant } from '../../../shared/operations/erasure/erase';
import { createTenant } from '../../../shared/operations/tenants';
import { runTransfer } from '../../../shared/operations/transfers';
import { listTransfers } from '../../../shared/operations/transfers/recurring';
import { RegionalScheduler } from '../../../shared/transfers/regional-scheduler';
import { FixedClock } from '../../support/fixed-clock';
import { eraserOn } from '../../support/memory-eraser';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { MemoryRegion } from '../../support/memory-regions';
import { RecordingPublisher } from '../../support/recording-fakes';
import { SeededRandom } from '../../support/seeded-random';

/** Two tenants, each with its daily job in the first region and its hourly one in the third. */
async function aWorld() {
  const clock = new FixedClock();
  const store = new MemoryDocumentStore(clock);
  const regions = ['europe-west1', 'europe-west3', 'us-east1'].map((location) => new MemoryRegion(location, 10));
  const jobs = new RegionalScheduler(regions, clock);
  const publisher = new RecordingPublisher();
  const base = operatorOn(store, { clock, random: new SeededRandom() });
  const operator = { ...eraserOn(base), jobs, publisher };
  const put = (region: MemoryRegion | undefined, kind: RecurringTransferKind, tenantId: TenantId) => {
    const jobId = recurringJobId(kind, tenantId);
    const trigger = toTrigger(kind, tenantId, jobId, { TenantId: tenantId, BucketName: 'ada-exports' });
    return region?.put({ trigger, schedule: '1 * * * *' });
  };
  const create = async () => {
    const { tenantId } = await createTenant({ organization: 'acme' }, operator);
    await put(regions[0], 'daily', tenantId);
    await put(regions[2], 'hourly', tenantId);
    return tenantId;
  };
  const [tenant, other] = [await create(), await create()];
  return { regions, publisher, operator, tenant, other, put };
}

type World = Awaited<ReturnType<typeof aWorld>>;

const jobsOf = (...tenants: TenantId[]) =>
  tenants.flatMap((id) => [recurringJobId('daily', id), recurringJobId('hourly', id)]).sort();

async function listed(scope: { tenant?: string }, { operator }: World): Promise<string[]> {
  const ids: string[] = [];
  for await (const { jobId } of listTransfers(scope, operator)) ids.push(jobId);
  return ids.sort();
}

it('transfers list has the jobs of all regions, of a tenant and of all (R-321)', async () => {
  const world = await aWorld();
  expect(await listed({ tenant: world.tenant }, world)).toEqual(jobsOf(world.tenant));
  expect(await listed({}, world)).toEqual(jobsOf(world.tenant, world.other));
});

it('transfers run runs a job wherever it is (R-321)', async () => {
  const { operator, publisher, tenant } = await aWorld();
  for (const jobId of jobsOf(tenant)) await runTransfer(jobId, operator);
  expect(publisher.published.map(({ event }) => event)).toMatchObject(jobsOf(tenant).map((jobId) => ({ jobId })));
});

it('tenants erase removes the jobs from all regions, each copy of them (R-321, R-322)', async () => {
  const world = await aWorld();
  const { operator, regions, tenant, other, put } = world;
  await put(regions[1], 'daily', tenant);
  await put(regions[1], 'daily', other);
  expect(await eraseTenant(tenant, { yes: true }, operator)).toMatchObject({ state: 'erased', jobs: jobsOf(tenant) });
  const [daily, hourly] = jobsOf(other);
  expect(regions.map(({ jobs }) => [...jobs.keys()])).toEqual([[daily], [daily], [hourly]]);
});
