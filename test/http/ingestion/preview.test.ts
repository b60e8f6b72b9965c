import { oneTimeJobId } from '../../../shared/domain/transfer';
import { parseTenantId } from '../../../shared/domain/tenant';
import { MAX_EXAMPLES, PREVIEW_SECONDS } from '../../../shared/limits/transfers';
import type { Example } from '../../../shared/transfers/runs/view/examples';
import { toExampleWrite } from '../../../shared/transfers/runs/view/examples';
import { aRun, changesDto, putRun, storedRunId } from '../../support/stored-run';
import type { Caller } from '../../support/test-service';
import { useTestService } from '../../support/test-service';
import { expectProblem } from '../api';

const service = useTestService('ingestion');
const ROOT = '/ingestion/google-cloud-storage';
const preview = ({ tenantId, key }: Caller, options: object = {}) =>
  service().request('POST', `${ROOT}/preview`, {
    key,
    json: { TenantId: tenantId, BucketName: 'ada-exports', ...options },
  });
const dataOf = <Data>(answer: { readonly json: unknown }) => (answer.json as { Data: Data }).Data;
const shownRun = async (runId: string, { key }: Pick<Caller, 'key'>) =>
  dataOf<{ Run: Record<string, unknown> }>(await service().request('GET', `${ROOT}/runs/${runId}`, { key })).Run;

describe('POST /ingestion/google-cloud-storage/preview', () => {
  it('starts a run of its own, and shows it at once (R-94)', async () => {
    const caller = await service().createCaller();
    const options = { HistoricalDataFolderPaths: ['shop/'], SampleRowsPerFile: 7 };
    const { RunId } = dataOf<{ RunId: string }>(await preview(caller, options));
    const JobId = oneTimeJobId('preview', parseTenantId(caller.tenantId)!, RunId.replace('_', ''));
    expect(service().publisher.published).toMatchObject([
      {
        event: {
          jobId: JobId,
          kind: 'preview',
          bucketName: 'ada-exports',
          folderPaths: ['shop/'],
          sampleRowsPerFile: 7,
        },
      },
    ]);
    expect(await shownRun(RunId, caller)).toMatchObject({
      JobId, Kind: 'preview', Status: 'running', FolderPaths: ['shop/'], ReplayOf: null, Changes: changesDto(), Examples: [],
    }); // prettier-ignore
    expect(service().scheduler.jobs.size).toBe(0);
  });

  it('has an id that releases without previews take for none, so that none of them reads its files (R-98)', async () => {
    const { RunId } = dataOf<{ RunId: string }>(await preview(await service().createCaller()));
    expect(RunId).toMatch(/^\d{17}_preview[0-9a-f]{12}$/);
    expect(RunId).not.toMatch(/^[A-Za-z0-9-]{1,128}$/); // what they take
    expect(service().publisher.published).toMatchObject([{ event: { runId: RunId } }]);
  });

  it('reads all rows where it is not told how many, and starts another run each time (R-94, R-97)', async () => {
    const caller = await service().createCaller();
    const answers = [await preview(caller), await preview(caller, { SampleRowsPerFile: null })];
    expect(new Set(answers.map((answer) => dataOf<{ RunId: string }>(answer).RunId)).size).toBe(2);
    for (const { event } of service().publisher.published) expect(event).not.toHaveProperty('sampleRowsPerFile');
  });

  it('names the fields that it does not use, and knows those of a historical transfer (D-21)', async () => {
    const caller = await service().createCaller();
    const answer = await preview(caller, { DataFolderPaths: ['a/'], sampleRowsPerFile: 3, DailyJobStartingHourUTC: 0 });
    const ignoredFields = ['DailyJobStartingHourUTC', 'DataFolderPaths', 'sampleRowsPerFile'];
    expect(dataOf(answer)).toMatchObject({ ignoredFields });
  });

  it.each([
    [0, 'The field SampleRowsPerFile must be between 1 and 2147483647.'],
    [-1, 'The field SampleRowsPerFile must be between 1 and 2147483647.'],
    [2_147_483_648, 'The field SampleRowsPerFile must be between 1 and 2147483647.'],
    [1.5, 'The field SampleRowsPerFile must be an integer.'],
    ['10', 'The field SampleRowsPerFile must be an integer.'],
    [[], 'The field SampleRowsPerFile must be an integer.'],
  ])('refuses %j rows of each file (R-97)', async (SampleRowsPerFile, message) => {
    const answer = await preview(await service().createCaller(), { SampleRowsPerFile });
    expectProblem(answer, { SampleRowsPerFile: [message] });
    expect(service().publisher.published).toEqual([]);
  });
});

describe('GET /ingestion/google-cloud-storage/runs/<run_id>', () => {
  const example = (Line: number): Example => ({
    Object: 'shop/customers.ndjson',
    Line,
    Identifiers: { Email: `${Line}@x.com` },
    Fields: { Name: { from: null, to: 'x' } },
  });

  /** A preview with examples, which began so many seconds ago. */
  async function putPreview({ tenantId }: Caller, secondsAgo: number): Promise<string> {
    const runId = '20260301000000_preview1';
    const startedAt = new Date(service().clock.nowMs() - secondsAgo * 1000);
    const fileId = 'f'.repeat(43);
    const toWrite = (rank: 'consents' | 'others', line: number) =>
      toExampleWrite(runId, fileId, { rank, recordId: `r${line}`, expireAt: startedAt }, example(line));
    const others = Array.from({ length: MAX_EXAMPLES }, (_, n) => toWrite('others', n + 1));
    await service().store.commit(
      [
        putRun(runId, aRun(tenantId, { isPreview: true, startedAt })),
        ...others,
        toWrite('consents', 1_000),
        toWrite('consents', 99),
      ],
      service().deadline(),
    );
    return runId;
  }

  it('shows a bounded number of examples of a preview, those with consents first (R-96)', async () => {
    const caller = await service().createCaller();
    const { Examples, Changes } = await shownRun(await putPreview(caller, PREVIEW_SECONDS - 1), caller);
    expect(Examples).toEqual([99, 1_000, ...Array.from({ length: MAX_EXAMPLES - 2 }, (_, n) => n + 1)].map(example));
    expect(Changes).not.toBeNull();
  });

  it('shows neither changes nor examples of a preview that began 24 hours ago, in no list either (R-95)', async () => {
    const caller = await service().createCaller();
    const runId = await putPreview(caller, PREVIEW_SECONDS);
    expect(await shownRun(runId, caller)).toMatchObject({ Changes: null, Examples: null, Rows: { Read: 2 } });
    const list = await service().request('GET', `${ROOT}/runs?tenantId=${caller.tenantId}`, caller);
    const runs = dataOf<{ Runs: { RunId: string; Changes: unknown }[] }>(list).Runs;
    expect(runs.find(({ RunId }) => RunId === runId)?.Changes).toBeNull();
    expect(runs.find(({ RunId }) => RunId === storedRunId(caller.tenantId))?.Changes).not.toBeNull();
  });

  it('shows the changes of other runs, however old, and no examples (R-95, R-96)', async () => {
    const caller = await service().createCaller();
    service().clock.advance(10 * PREVIEW_SECONDS * 1000);
    const run = await shownRun(storedRunId(caller.tenantId), caller);
    expect(run.Changes).not.toBeNull();
    expect(run.Examples).toBeNull();
  });
});
