/** Suspending and resuming a tenant, as operators see it; requests are in http/, transfers in transfers/suspended. */
import { createTenant, requireTenant, updateTenant } from '../../../shared/operations/tenants';
import { resumeTenant, suspendTenant } from '../../../shared/operations/tenants/suspension';
import { resumeTransfer } from '../../../shared/operations/transfers';
import { runPath } from '../../../shared/documents/paths';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { RecordingPublisher } from '../../support/recording-fakes';
import { SeededRandom } from '../../support/seeded-random';
import { toRunDocument } from '../../../shared/transfers/runs/run';
import { aRun } from '../../support/stored-run';

async function open() {
  const clock = new FixedClock();
  const store = new MemoryDocumentStore(clock);
  const publisher = new RecordingPublisher();
  const operator = { ...operatorOn(store, { clock, random: new SeededRandom() }), publisher };
  const { tenantId } = await createTenant({ organization: 'acme' }, operator);
  return { clock, store, publisher, operator, tenantId };
}

it('shows since when, the first time counts, and other settings can be changed meanwhile (R-210)', async () => {
  const { clock, operator, tenantId } = await open();
  const suspendedSince = new Date(clock.nowMs());
  expect(await suspendTenant(tenantId, operator)).toMatchObject({ suspendedSince });
  clock.advance(1_000);
  expect(await suspendTenant(tenantId, operator)).toMatchObject({ suspendedSince });
  expect(await updateTenant(tenantId, { displayName: 'Late' }, operator)).toMatchObject({ suspendedSince });
  const resumed = await resumeTenant(tenantId, operator);
  expect(resumed).toMatchObject({ displayName: 'Late', runsResumed: 0 });
  expect(resumed).not.toHaveProperty('suspendedSince');
  expect(await requireTenant(tenantId, operator)).not.toHaveProperty('suspendedSince');
});

it('publishes on resuming the first step of each run that is under way, of this tenant alone, at every repeat (R-211)', async () => {
  const { store, publisher, operator, tenantId } = await open();
  const other = await createTenant({ organization: 'acme' }, operator);
  const put = (runId: string, tenant: string, status: 'running' | 'succeeded') =>
    store.commit([{ set: runPath(runId), data: toRunDocument({ ...aRun(tenant), status, isPlanned: false }) }]);
  await put('20260101000001a', tenantId, 'running');
  await put('20260101000002b', tenantId, 'running');
  await put('20260101000003c', tenantId, 'succeeded');
  await put('20260101000004d', other.tenantId, 'running');
  await suspendTenant(tenantId, operator);
  await expect(resumeTransfer('20260101000001a', operator)).rejects.toThrow(`Tenant ${tenantId} is suspended`);
  expect(publisher.published).toEqual([]);
  for (let time = 1; time <= 2; time += 1) {
    expect(await resumeTenant(tenantId, operator)).toMatchObject({ runsResumed: 2 });
    const runs = publisher.published.map(({ event }) => (event as { runId: string }).runId);
    expect(runs).toEqual(Array(time).fill(['20260101000002b', '20260101000001a']).flat());
  }
});

it('refuses a tenant that is not there', async () => {
  const { operator } = await open();
  const nobody = '99999999-9999-4999-8999-999999999999';
  for (const act of [suspendTenant, resumeTenant])
    await expect(act(nobody, operator)).rejects.toThrow('does not exist');
});
