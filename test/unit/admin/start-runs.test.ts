/** Runs that an operator starts: what is published and stored, and what is refused. */
import { listAudit } from '../../../shared/operations/audit';
import { bucketPath, runPath, tenantPath } from '../../../shared/documents/paths';
import { bucketId } from '../../../shared/domain/identity';
import { recurringJobId, toTrigger } from '../../../shared/domain/transfer';
import { createTenant } from '../../../shared/operations/tenants';
import { runTransfer } from '../../../shared/operations/transfers';
import { registerHistorical } from '../../../shared/operations/transfers/register-historical';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { RecordingPublisher, RecordingScheduler } from '../../support/recording-fakes';
import { SeededRandom } from '../../support/seeded-random';

async function aShop() {
  const clock = new FixedClock();
  const store = new MemoryDocumentStore(clock);
  const publisher = new RecordingPublisher();
  const jobs = new RecordingScheduler();
  const operator = { ...operatorOn(store, { clock, random: new SeededRandom() }), publisher, jobs };
  const { tenantId } = await createTenant({ organization: 'acme' }, operator);
  const jobId = recurringJobId('daily', tenantId);
  const options = { TenantId: tenantId, BucketName: 'acme-exports', DataFolderPaths: ['crm/'] };
  const trigger = toTrigger('daily', tenantId, jobId, options);
  await jobs.schedule({ trigger, schedule: '0 3 * * *' });
  const read = async (path: string) => (await store.get(path))?.data;
  /** The entries of the audit log, without that of the tenant's creation. */
  const entries = async () =>
    (await listAudit({}, operator)).entries.filter(({ action }) => action !== 'tenants.create');
  return { operator, store, publisher, jobs, tenantId, jobId, trigger, read, entries };
}

describe('transfers run', () => {
  it('publishes the trigger with the id of the run that it prints, and stores that run (R-192)', async () => {
    const { operator, publisher, jobId, trigger, read } = await aShop();
    const { runId, ...printed } = await runTransfer(` ${jobId.toUpperCase()} `, operator);
    expect(printed).toEqual({ jobId, triggered: true });
    expect(publisher.published).toMatchObject([{ topic: 'transfers', event: { ...trigger, runId } }]);
    expect(await read(runPath(runId))).toMatchObject({
      jobId,
      status: 'running',
      isManual: true,
      folderPaths: ['crm/'],
    });
  });

  it('is in the audit log, with the id of the run; a refusal is not (R-200)', async () => {
    const { operator, tenantId, jobId, entries } = await aShop();
    await expect(runTransfer(recurringJobId('hourly', tenantId), operator)).rejects.toThrow('is not scheduled');
    expect(await entries()).toEqual([]);
    const { runId } = await runTransfer(jobId, operator);
    const act = { action: 'transfers.run', tenantId, organizationId: 'acme' };
    const found = await entries();
    expect(found).toHaveLength(2);
    expect(found).toContainEqual(expect.objectContaining({ ...act, outcome: 'begun', after: { jobId } }));
    expect(found).toContainEqual(expect.objectContaining({ ...act, outcome: 'done', after: { jobId, runId } }));
  });

  it('refuses a job whose message somebody has replaced, and one of a tenant that is being erased', async () => {
    const { operator, publisher, jobs, store, tenantId, jobId } = await aShop();
    const replaced = {
      find: async () => ({ ...(await jobs.find(jobId))!, bucketName: null }),
      all: () => jobs.all(),
    };
    await expect(runTransfer(jobId, { ...operator, jobs: replaced })).rejects.toThrow('is no trigger');
    const erasing = { set: tenantPath(tenantId), data: { erasingSince: new Date() }, fields: ['erasingSince'] };
    await store.commit([erasing]);
    await expect(runTransfer(jobId, operator)).rejects.toThrow('is being erased');
    expect(publisher.published).toEqual([]);
  });
});

describe('transfers register-historical', () => {
  it('claims the bucket, publishes the trigger and stores the run, whose id it prints with that of the job (R-192)', async () => {
    const { operator, publisher, tenantId, read } = await aShop();
    const source = { bucketName: 'acme-archive', folderPaths: ['2024/', '2025/'] };
    const { jobId, runId } = await registerHistorical(tenantId, source, operator);
    expect(jobId).toBe(`historical-transfer/${tenantId}/${runId}`);
    const trigger = { jobId, kind: 'historical', tenantId, ...source };
    expect(publisher.published).toMatchObject([{ topic: 'transfers', event: trigger }]);
    expect(await read(runPath(runId))).toMatchObject({ jobId, status: 'running', takesAll: true, ...source });
    expect(await read(bucketPath(bucketId('acme-archive')))).toMatchObject({ organizationId: 'acme' });
  });

  it('is in the audit log, with the bucket and the ids of job and run (R-200)', async () => {
    const { operator, tenantId, entries } = await aShop();
    const bucketName = 'acme-archive';
    const ids = await registerHistorical(tenantId, { bucketName, folderPaths: [] }, operator);
    const act = { action: 'transfers.register-historical', tenantId, organizationId: 'acme' };
    const found = await entries();
    expect(found).toContainEqual(expect.objectContaining({ ...act, outcome: 'begun', after: { bucketName } }));
    expect(found).toContainEqual(expect.objectContaining({ ...act, outcome: 'done', after: { bucketName, ...ids } }));
  });

  it.each([
    ['the bucket of the reports', { bucketName: 'reports', folderPaths: [] }, /another organization/],
    ['a name that no bucket has', { bucketName: 'No Bucket', folderPaths: [] }, /^The field BucketName /],
    ['a blank folder', { bucketName: 'acme-archive', folderPaths: [' '] }, /^The field HistoricalDataFolderPaths/],
  ])('refuses %s, and starts nothing', async (_, source, message) => {
    const { operator, publisher, tenantId } = await aShop();
    await expect(registerHistorical(tenantId, source, operator)).rejects.toThrow(message);
    expect(publisher.published).toEqual([]);
  });
});
