/** What the answer of a registration says of the bucket. */
import { useTestService } from '../../support/test-service';
import type { Caller } from '../../support/test-service';
import { envelopeOf, expectAnswer } from '../api';

const service = useTestService('ingestion');
const BUCKET = 'ada-exports';

const register = (kind: string, { tenantId, key }: Caller, options: object = {}) =>
  service().request('POST', `/ingestion/google-cloud-storage/register/${kind}-transfer`, {
    key,
    json: { TenantId: tenantId, BucketName: BUCKET, ...options },
  });

/** How many transfers are started or scheduled. */
const registered = () => service().publisher.published.length + service().scheduler.jobs.size;

describe.each(['historical', 'daily', 'hourly'])('the registration of a %s transfer', (kind) => {
  it.each([
    ['ok', {}],
    ['notFound', {}],
    [
      'denied',
      { Setup: { Role: 'roles/storage.objectViewer', ServiceAccount: 'runner@project.iam.gserviceaccount.com' } },
    ],
  ] as const)('is done whatever the bucket is, and says that it is %s (R-114)', async (answer, more) => {
    service().bucketLook.answer = answer;
    const { status, json } = await register(kind, await service().createCaller());
    const { JobId: _id, recurringJobId: _recurring, ...data } = (json as { Data: Record<string, unknown> }).Data;
    expect({ status, data }).toEqual({ status: 200, data: { BucketAccess: answer, ...more } });
    expect(registered()).toBe(1);
  });

  it('is done and says unknown when the look fails, of which the log has the reason (R-114)', async () => {
    service().bucketLook.failure = new Error('No answer.');
    const answer = await register(kind, await service().createCaller());
    expect(answer).toMatchObject({ status: 200, json: { Data: { BucketAccess: 'unknown' } } });
    expect(answer.json).not.toHaveProperty('Data.Setup');
    expect(registered()).toBe(1);
    const looked = service().logger.entries.find(({ message }) => message !== 'A transfer run was requested.');
    expect(looked).toMatchObject({ severity: 'WARNING', message: 'A bucket could not be looked at.', details: { reason: 'No answer.' } }); // prettier-ignore
  });

  it('looks at no bucket of another organization, and at none when it fails (R-114)', async () => {
    await register(kind, await service().createCaller());
    service().bucketLook.looks.length = 0;
    expect((await register(kind, await service().createCaller())).status).toBe(403);
    service().publisher.failure = new Error('down');
    service().scheduler.failure = new Error('down');
    const failed = await register(kind, await service().createCaller(), { BucketName: 'other-exports' });
    expectAnswer(failed, 500, envelopeOf('ingestion', false, `Failed to register ${kind} transfer.`));
    expect(service().bucketLook.looks).toEqual([]);
  });
});

it.each([
  ['historical', { HistoricalDataFolderPaths: ['/shop/', 'crm/'], DataFolderPaths: ['new/'] }, 'crm/'],
  ['daily', { HistoricalDataFolderPaths: ['old/'], DataFolderPaths: ['/shop/'] }, 'shop/'],
  ['hourly', {}, ''],
])('the look of a %s transfer with %j begins where its run begins (R-114)', async (kind, options, prefix) => {
  await register(kind, await service().createCaller(), options);
  expect(service().bucketLook.looks).toEqual([{ bucket: BUCKET, prefix }]);
});
