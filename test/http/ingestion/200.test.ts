import { tenantPath } from '../../../shared/documents/paths';
import { envelopeOf, expectAnswer } from '../api';
import { describeSuccess } from '../suites/success';
import type { Caller } from '../../support/test-service';
import { useTestService } from '../../support/test-service';

describeSuccess('ingestion');

const service = useTestService('ingestion');
const unregistered = envelopeOf('ingestion', true, 'Transfer unregistered.');
const register = (kind: string, { tenantId, key }: Caller, options: object = {}) =>
  service().request('POST', `/ingestion/google-cloud-storage/register/${kind}-transfer`, {
    key,
    json: { TenantId: tenantId, BucketName: 'ada-exports', ...options },
  });
const unregister = (key: string, jobId: string) =>
  service().request('DELETE', `/ingestion/google-cloud-storage/unregister?jobId=${jobId}`, { key });
const jobs = () => [...service().scheduler.jobs.values()];

describe('POST /ingestion/google-cloud-storage/register/…', () => {
  it('publishes a historical transfer at once, under a new job id each time (Spec §4.6)', async () => {
    const caller = await service().createCaller();
    await register('historical', caller, { HistoricalDataFolderPaths: ['old/'], DataFolderPaths: ['new/'] });
    await register('historical', caller);
    const [first, second] = service().publisher.published;
    expect(first).toMatchObject({
      topic: 'transfers',
      event: { kind: 'historical', tenantId: caller.tenantId, bucketName: 'ada-exports', folderPaths: ['old/'] },
    });
    expect(second).toMatchObject({ event: { folderPaths: [] } });
    const ids = [first, second].map((published) => (published?.event as { jobId: string }).jobId);
    expect(new Set(ids).size).toBe(2);
    expect(jobs()).toEqual([]);
  });

  it('schedules a daily transfer at its time in UTC (Spec §4.6)', async () => {
    const caller = await service().createCaller();
    await register('daily', caller, {
      DailyJobStartingHourUTC: 23,
      DailyJobStartingMinuteUTC: 59,
      DataFolderPaths: ['a/', 'b/'],
    });
    expect(jobs()).toMatchObject([
      {
        schedule: '59 23 * * *',
        trigger: { kind: 'daily', jobId: `daily-transfer/${caller.tenantId}`, folderPaths: ['a/', 'b/'] },
      },
    ]);
    expect(service().publisher.published).toEqual([]);
  });

  it('schedules an hourly transfer at its minute (Spec §4.6)', async () => {
    const caller = await service().createCaller();
    await register('hourly', caller, { HourlyJobStartingMinuteUTC: 7, DailyJobStartingMinuteUTC: 9 });
    expect(jobs()).toMatchObject([{ schedule: '7 * * * *', trigger: { jobId: `hourly-transfer/${caller.tenantId}` } }]);
  });

  it.each([
    ['daily', {}, '0 0 * * *'],
    ['daily', { DailyJobStartingHourUTC: null, DailyJobStartingMinuteUTC: null, DataFolderPaths: null }, '0 0 * * *'],
    ['hourly', {}, '0 * * * *'],
  ])(
    'schedules a %s transfer with %j at minute and hour 0, of the whole bucket (D-38)',
    async (kind, options, schedule) => {
      await register(kind, await service().createCaller(), options);
      expect(jobs()).toMatchObject([{ schedule, trigger: { folderPaths: [] } }]);
    },
  );

  it('updates the tenant’s only job of its kind when it is registered again (Spec §4.6)', async () => {
    const caller = await service().createCaller();
    await register('daily', caller, { DailyJobStartingHourUTC: 1 });
    await register('daily', caller, { DailyJobStartingHourUTC: 2 });
    await register('hourly', caller);
    expect(jobs().map(({ schedule }) => schedule)).toEqual(['0 2 * * *', '0 * * * *']);
  });

  it.each(['historical', 'daily', 'hourly'])(
    'registers a %s transfer without the fields that it does not know, and names them (D-21)',
    async (kind) => {
      const caller = await service().createCaller();
      const answer = await register(kind, caller, { DataFolderPath: ['a/'], dailyJobStartingHourUTC: 5 });
      expect(answer).toMatchObject({
        status: 200,
        json: { Success: true, Data: { ignoredFields: ['DataFolderPath', 'dailyJobStartingHourUTC'] } },
      });
    },
  );

  it.each([
    [
      'historical',
      ['DailyJobStartingHourUTC', 'DailyJobStartingMinuteUTC', 'DataFolderPaths', 'HourlyJobStartingMinuteUTC'],
    ],
    ['daily', ['HistoricalDataFolderPaths', 'HourlyJobStartingMinuteUTC']],
    ['hourly', ['DailyJobStartingHourUTC', 'DailyJobStartingMinuteUTC', 'HistoricalDataFolderPaths']],
  ])('names the fields that a %s transfer does not use, where they have a value', async (kind, unused) => {
    const caller = await service().createCaller();
    const options = {
      HistoricalDataFolderPaths: [],
      DataFolderPaths: ['new/'],
      HourlyJobStartingMinuteUTC: 0,
      DailyJobStartingHourUTC: 0,
      DailyJobStartingMinuteUTC: 0,
    };
    const ignored = (answer: Awaited<ReturnType<typeof register>>) =>
      (answer.json as { Data: { ignoredFields?: string[] } }).Data.ignoredFields;
    expect(ignored(await register(kind, caller, options))).toEqual(unused);
    expect(ignored(await register(kind, caller, { ...options, Datafolderpaths: [] }))).toEqual([
      ...unused,
      'Datafolderpaths',
    ]);
    const cleared = Object.fromEntries(Object.keys(options).map((field) => [field, null]));
    expect(ignored(await register(kind, caller, cleared))).toBeUndefined();
  });
});

describe('DELETE /ingestion/google-cloud-storage/unregister', () => {
  it('removes the schedule, and only that one (Spec §4.6)', async () => {
    const caller = await service().createCaller();
    await register('daily', caller);
    await register('hourly', caller);
    expectAnswer(await unregister(caller.key, `daily-transfer%2F${caller.tenantId.toUpperCase()}`), 200, unregistered);
    expect(jobs().map(({ trigger }) => trigger.kind)).toEqual(['hourly']);
  });

  it('takes the job id in any case (D-40, D-46)', async () => {
    const caller = await service().createCaller();
    for (const [kind, jobId] of [
      ['daily', 'Daily-transfer/'],
      ['hourly', 'HOURLY-TRANSFER/'],
    ] as const) {
      await register(kind, caller);
      expectAnswer(await unregister(caller.key, jobId + caller.tenantId.toUpperCase()), 200, unregistered);
      expect(jobs()).toEqual([]);
    }
  });

  it.each([
    'nothing',
    'daily-transfer/',
    'weekly-transfer/x',
    'daily-transfer/00000000-0000-0000-0000-000000000000',
    '../..',
  ])('answers the same for %s, which matches nothing (D-39)', async (jobId) => {
    const { key } = await service().createCaller();
    expectAnswer(await unregister(key, jobId), 200, unregistered);
  });

  it('answers the same while the tenant is being erased, as for any job that is not there (R-60)', async () => {
    const { key, tenantId } = await service().createCaller();
    const data = { erasingSince: new Date(service().clock.nowMs()) };
    const write = { set: tenantPath(tenantId), data, fields: Object.keys(data) };
    await service().store.commit([write], service().deadline());
    expectAnswer(await unregister(key, `daily-transfer/${tenantId}`), 200, unregistered);
  });

  it('leaves a historical transfer, which is no schedule, to finish (Spec §4.6)', async () => {
    const caller = await service().createCaller();
    await register('daily', caller);
    expectAnswer(await unregister(caller.key, `historical-transfer/${caller.tenantId}/abc`), 200, unregistered);
    expect(jobs()).toHaveLength(1);
  });
});
