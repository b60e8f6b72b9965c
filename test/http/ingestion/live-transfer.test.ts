/** The registration of live transfers, and what it changes for the events of a bucket. */
import { liveTransferPath, uploadsPath } from '../../../shared/documents/paths';
import { unusedOptions } from '../../../shared/domain/transfer';
import type { Caller } from '../../support/test-service';
import { useTestService } from '../../support/test-service';
import { envelopeOf, expectAnswer } from '../api';

const service = useTestService('ingestion', 'upload-consumer');
const GCS = '/ingestion/google-cloud-storage';

const register = ({ tenantId, key }: Caller, options: object = {}, kind = 'live') =>
  service().request('POST', `${GCS}/register/${kind}-transfer`, {
    key,
    json: { TenantId: tenantId, BucketName: 'ada-exports', ...options },
  });
const unregister = ({ tenantId, key }: Caller, of = tenantId) =>
  service().request('DELETE', `${GCS}/unregister?jobId=live-transfer/${of}`, { key });
const jobs = () => [...service().scheduler.jobs.values()];
const registration = async ({ tenantId }: Caller) =>
  (await service().store.get(liveTransferPath(tenantId), service().deadline()))?.data;
const waiting = ({ tenantId }: Caller) => service().store.count(uploadsPath(tenantId), service().deadline());

/** Pushes an event as Pub/Sub does. @returns the status */
async function push(event: object | string): Promise<number> {
  const data = Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)).toString('base64');
  const json = { message: { messageId: '17', publishTime: '2026-03-01T12:00:00Z', data } };
  return (await service().request('POST', '/', { to: 'upload-consumer', json })).status;
}
const upload = (name: string, bucket = 'ada-exports') =>
  push({ kind: 'storage#object', bucket, name, generation: '1772366400000000' });

it('schedules a look through its folders once a day, at a minute of its tenant (R-377)', async () => {
  const caller = await service().createCaller();
  await register(caller, { DataFolderPaths: ['shop/'] });
  expect(jobs()).toMatchObject([
    { trigger: { kind: 'live', jobId: `live-transfer/${caller.tenantId}`, folderPaths: ['shop/'] } },
  ]);
  expect(jobs()[0]?.schedule).toMatch(/^\d{1,2} \d{1,2} \* \* \*$/);
  expect(jobs()[0]?.trigger).not.toHaveProperty('ofUploads');
});

it('names the fields that it does not use (R-377)', async () => {
  const options = { HistoricalDataFolderPaths: ['a/'], HourlyJobStartingMinuteUTC: 0, DailyJobStartingHourUTC: 3 };
  const answer = await register(await service().createCaller(), options);
  expect(answer.json).toMatchObject({ Data: { ignoredFields: Object.keys(options).sort() } });
  expect(unusedOptions('live', { TenantId: '', BucketName: '', DataFolderPaths: [] })).toEqual([]);
});

it.each(['ok', 'denied', 'notFound'] as const)(
  'always has both commands, with all names filled in, when the bucket is %s (R-381)',
  async (access) => {
    service().bucketLook.answer = access;
    const { json } = await register(await service().createCaller(), { BucketName: 'ben-exports' });
    const { BucketAccess, Setup } = (json as { Data: { BucketAccess: string; Setup: { Commands: string[] } } }).Data;
    expect([BucketAccess, Setup.Commands.length]).toEqual([access, 2]);
    for (const command of Setup.Commands) {
      expect(command).toMatch(/^gcloud storage buckets [a-z/ -]+ gs:\/\/ben-exports --/);
      expect(command).not.toMatch(/[A-Z]{3,}(?<!OBJECT|FINALIZE)\b(?<!OBJECT_FINALIZE)|[<>$"'`;&|\n]/);
    }
    expect(Setup.Commands[1]).toContain('--topic=projects/project/topics/uploads ');
  },
);

it('takes the place of the one before, and keeps what waits (R-377)', async () => {
  const caller = await service().createCaller();
  await register(caller, { DataFolderPaths: ['shop/'] });
  expect(await upload('shop/customers.csv')).toBe(204);
  await register(caller, { DataFolderPaths: ['crm/'] });
  expect(jobs()).toHaveLength(1);
  expect(await registration(caller)).toMatchObject({ folderPaths: ['crm/'], state: 'waiting' });
  await upload('shop/customers-2.csv');
  expect(await waiting(caller)).toBe(1);
});

it('stays as it is when it is registered again, also since when it is (R-377)', async () => {
  const caller = await service().createCaller();
  await register(caller, { DataFolderPaths: ['shop/'] });
  const before = await registration(caller);
  service().clock.advance(60_000);
  await register(caller, { DataFolderPaths: ['shop/'] });
  expect(await registration(caller)).toEqual(before);
  await register(caller, { DataFolderPaths: ['shop/', 'crm/'] });
  expect(await registration(caller)).not.toEqual(before);
});

it('ends with its registration, beside the other transfers (R-377)', async () => {
  const caller = await service().createCaller();
  await register(caller);
  await register(caller, {}, 'daily');
  for (let repeat = 0; repeat < 2; repeat += 1)
    expectAnswer(await unregister(caller), 200, envelopeOf('ingestion', true, 'Transfer unregistered.', {}));
  expect(jobs().map(({ trigger }) => trigger.kind)).toEqual(['daily']);
  expect(await registration(caller)).toBeUndefined();
  expect(await upload('customers.csv')).toBe(204);
  expect(await waiting(caller)).toBe(0);
});

it('is neither ended nor fed by another organization (R-377, R-378)', async () => {
  const [ada, mallory] = [await service().createCaller(), await service().createCaller()];
  await register(ada);
  expect((await register(mallory)).status).toBe(403);
  expect((await unregister(mallory, ada.tenantId)).status).toBe(403);
  expect(await registration(ada)).toBeDefined();
  expect(await registration(mallory)).toBeUndefined();
  await upload('customers.csv');
  expect([await waiting(ada), await waiting(mallory)]).toEqual([1, 0]);
});

it('leaves nothing behind when no region has room (R-321, R-377)', async () => {
  const caller = await service().createCaller();
  service().scheduler.failure = new Error('down');
  expect((await register(caller)).status).toBe(500);
  expect(await registration(caller)).toBeUndefined();
});

it('is listed as the other transfers (R-78, R-377)', async () => {
  const caller = await service().createCaller();
  await register(caller, { DataFolderPaths: ['shop/'] });
  const { json } = await service().request('GET', `${GCS}/transfers?tenantId=${caller.tenantId}`, { key: caller.key });
  const { Transfers } = (json as { Data: { Transfers: object[] } }).Data;
  expect(Transfers.at(-1)).toMatchObject({ JobId: `live-transfer/${caller.tenantId}`, Kind: 'live', LastRun: null });
});

describe('a push to upload-consumer', () => {
  it('of an event that can be none goes to the dead letters, and is not sent again (R-378)', async () => {
    for (const event of ['', 'not JSON', { kind: 'storage#object' }]) expect(await push(event)).toBe(204);
    expect(service().publisher.published).toMatchObject(
      Array.from({ length: 3 }, () => ({ topic: 'dead-letters', attributes: { function: 'upload-consumer' } })),
    );
  });

  it('comes again while the database cannot be reached (R-378)', async () => {
    const caller = await service().createCaller();
    await register(caller);
    service().store.failing = ({ method }) => method === 'commit';
    expect(await upload('customers.csv')).toBe(500);
    service().store.failing = () => false;
    expect(await upload('customers.csv')).toBe(204);
    expect(await waiting(caller)).toBe(1);
  });
});
