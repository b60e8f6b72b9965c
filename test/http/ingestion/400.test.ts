import { envelopeOf, expectAnswer, expectProblem, rowsOf, hasBody, call } from '../api';
import { describeInvalidBody } from '../suites/invalid-body';
import { useTestService } from '../../support/test-service';

describeInvalidBody('ingestion', 'object');

const service = useTestService('ingestion');
const required = (field: string) => `The ${field} field is required.`;
const INVALID_BUCKET = 'The field BucketName must be a valid Cloud Storage bucket name.';

describe.each(rowsOf('ingestion', hasBody))('%s', (_, route) => {
  it.each([
    ['TenantId', undefined, required('TenantId')],
    ['TenantId', null, required('TenantId')],
    ['TenantId', ' ', required('TenantId')],
    ['TenantId', 'no-guid', 'The field TenantId must be a GUID.'],
    ['TenantId', 42, 'The field TenantId must be a string.'],
    ['BucketName', undefined, required('BucketName')],
    ['BucketName', null, required('BucketName')],
    ['BucketName', '', required('BucketName')],
    ['BucketName', ['ada-exports'], 'The field BucketName must be a string.'],
    ['BucketName', 'Ada', INVALID_BUCKET],
    ['BucketName', 'ab', INVALID_BUCKET],
    ['BucketName', 'gs://ada-exports', INVALID_BUCKET],
    ['BucketName', 'ada/exports', INVALID_BUCKET],
    ['BucketName', '192.168.0.1', INVALID_BUCKET],
    ['BucketName', 'goog-exports', INVALID_BUCKET],
    ['HourlyJobStartingMinuteUTC', 60, 'The field HourlyJobStartingMinuteUTC must be between 0 and 59.'],
    ['HourlyJobStartingMinuteUTC', -1, 'The field HourlyJobStartingMinuteUTC must be between 0 and 59.'],
    ['HourlyJobStartingMinuteUTC', '5', 'The field HourlyJobStartingMinuteUTC must be an integer.'],
    ['DailyJobStartingHourUTC', 24, 'The field DailyJobStartingHourUTC must be between 0 and 23.'],
    ['DailyJobStartingHourUTC', 1.5, 'The field DailyJobStartingHourUTC must be an integer.'],
    ['DailyJobStartingMinuteUTC', 60, 'The field DailyJobStartingMinuteUTC must be between 0 and 59.'],
    ['DataFolderPaths', 'a/', 'The field DataFolderPaths must be an array.'],
    ['HistoricalDataFolderPaths', {}, 'The field HistoricalDataFolderPaths must be an array.'],
  ])('refuses the %s %p at its own path (Spec §2.7, D-37, D-57)', async (field, value, message) => {
    const caller = await service().createCaller();
    const json = { TenantId: caller.tenantId, BucketName: 'ada-exports', [field]: value };
    const answer = await call(service(), route, caller, { json });
    expectProblem(answer, { [field]: [message] }, { remaining: 99 });
    expect(service().publisher.published).toEqual([]);
    expect(service().scheduler.jobs.size).toBe(0);
  });

  it('refuses a folder path that is no string at the path of its element (D-15, D-37)', async () => {
    const caller = await service().createCaller();
    const json = { TenantId: caller.tenantId, BucketName: 'ada-exports', DataFolderPaths: ['a/', 1] };
    const answer = await call(service(), route, caller, { json });
    expectProblem(answer, { 'DataFolderPaths[1]': ['The field DataFolderPaths must be a string.'] });
  });

  it.each(['', ' ', '/', '//', ' / '])(
    'refuses the folder path %j, which would mean the whole bucket (D-38)',
    async (path) => {
      for (const field of ['DataFolderPaths', 'HistoricalDataFolderPaths']) {
        const caller = await service().createCaller();
        const json = { TenantId: caller.tenantId, BucketName: 'ada-exports', [field]: [path, 'shop/'] };
        const answer = await call(service(), route, caller, { json });
        const message = `The field ${field} must not have a blank path: leave the field out to read the whole bucket, or name a folder.`;
        expectProblem(answer, { [`${field}[0]`]: [message] });
      }
      expect(service().scheduler.jobs.size).toBe(0);
    },
  );

  it('lists every violation (D-22)', async () => {
    const caller = await service().createCaller();
    const answer = await call(service(), route, caller, { json: { TenantId: 'x', DailyJobStartingHourUTC: 99 } });
    expectProblem(answer, {
      BucketName: [required('BucketName')],
      TenantId: ['The field TenantId must be a GUID.'],
      DailyJobStartingHourUTC: ['The field DailyJobStartingHourUTC must be between 0 and 23.'],
    });
  });
});

describe('DELETE /ingestion/google-cloud-storage/unregister', () => {
  it.each(['', '?', '?jobId=', '?jobId=%20', '?jobid=daily-transfer/x'])(
    'refuses %p: the job id is required (D-39)',
    async (query) => {
      const { key } = await service().createCaller();
      const answer = await service().request('DELETE', `/ingestion/google-cloud-storage/unregister${query}`, { key });
      expectAnswer(answer, 400, envelopeOf('ingestion', false, 'Job ID is required.'), { remaining: 99 });
    },
  );

  it('refuses a malformed encoding (D-45)', async () => {
    const { key } = await service().createCaller();
    const answer = await service().request('DELETE', '/ingestion/google-cloud-storage/unregister?jobId=%E0%A4%A', {
      key,
    });
    expectAnswer(answer, 400, envelopeOf('ingestion', false, 'The URL contains a malformed percent-encoding.'));
  });
});
