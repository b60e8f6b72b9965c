import type { Caller } from '../../support/test-service';
import { NEXT_RUN } from '../../support/recording-fakes';
import { aRun, putRun, storedJob, storedRunId, storedTransferDto } from '../../support/stored-run';
import { useTestService } from '../../support/test-service';
import { envelopeOf, expectAnswer } from '../api';

const service = useTestService('ingestion');
const TRANSFERS = '/ingestion/google-cloud-storage/transfers';
const list = ({ key, tenantId }: Caller) => service().request('GET', `${TRANSFERS}?tenantId=${tenantId}`, { key });

describe('GET /ingestion/google-cloud-storage/transfers', () => {
  it('shows each recurring transfer with its schedule and its newest run (R-78)', async () => {
    const caller = await service().createCaller();
    const json = { TenantId: caller.tenantId, BucketName: 'ada-hourly', HourlyJobStartingMinuteUTC: 20 };
    const register = '/ingestion/google-cloud-storage/register/hourly-transfer';
    await service().request('POST', register, { key: caller.key, json });
    const later = { replayOf: storedRunId(caller.tenantId), startedAt: new Date('2026-03-01T11:30:00.000Z') };
    await service().store.commit(
      [putRun('20260301113000-replay1', aRun(caller.tenantId, later))],
      service().deadline(),
    );
    const hourly = {
      JobId: `hourly-transfer/${caller.tenantId}`,
      Kind: 'hourly',
      BucketName: 'ada-hourly',
      DataFolderPaths: [],
      Schedule: '20 * * * *',
      TimeZone: 'Etc/UTC',
      NextRunAt: NEXT_RUN,
      LastRun: null,
    };
    const daily = {
      ...storedTransferDto(caller.tenantId),
      LastRun: { RunId: '20260301113000-replay1', Kind: 'replay' },
    };
    expect((await list(caller)).json).toMatchObject({ Data: { Transfers: [daily, hourly] } });
  });

  it('is empty for a tenant without any (R-78)', async () => {
    const caller = await service().createCaller();
    service().scheduler.before.clear();
    expectAnswer(await list(caller), 200, envelopeOf('ingestion', true, 'Transfers found.', { Transfers: [] }));
  });

  it('says null of a job whose message somebody has replaced (R-78)', async () => {
    const caller = await service().createCaller();
    const { jobId } = storedJob(caller.tenantId).trigger;
    const job = {
      jobId,
      schedule: '0 3 * * *',
      timeZone: 'Etc/UTC',
      nextRun: null,
      bucketName: null,
      folderPaths: null,
    };
    jest.spyOn(service().scheduler, 'find').mockImplementation((id) => Promise.resolve(id === jobId ? job : undefined));
    const shown = { BucketName: null, DataFolderPaths: null, NextRunAt: null };
    expect((await list(caller)).json).toMatchObject({ Data: { Transfers: [shown] } });
  });

  it('has its own message when the newest run cannot be read', async () => {
    const caller = await service().createCaller();
    service().store.failing = ({ paths }) => paths.includes('transferRuns');
    expectAnswer(await list(caller), 500, envelopeOf('ingestion', false, 'Failed to find transfers.'));
  });

  it.each(['', '?tenantId=', '?tenantId=no-guid', '?tenantId=%20'])(
    'refuses %p: the tenant is required',
    async (query) => {
      const { key } = await service().createCaller();
      const answer = await service().request('GET', `${TRANSFERS}${query}`, { key });
      expectAnswer(answer, 400, envelopeOf('ingestion', false, 'Invalid tenant identifier.'));
    },
  );
});
