import { PAGE_RESERVE_MS } from '../../../shared/limits/requests';
import { REQUEST_DEADLINE_MS } from '../../../shared/domain/limits';
import { AccessDenied } from '../../../shared/transfers/object-storage';
import type { Caller } from '../../support/test-service';
import { useTestService } from '../../support/test-service';
import type { ReportOfFile } from '../../support/reports';
import { putReports as putReportsOf, rowsAt } from '../../support/reports';
import { RUN_OBJECT, storedErrorDto, storedReport, storedRunId } from '../../support/stored-run';
import { envelopeOf, expectAnswer } from '../api';

const service = useTestService('ingestion');
const pathOf = (tenantId: string, query = '') =>
  `/ingestion/google-cloud-storage/runs/${storedRunId(tenantId)}/errors${query}`;
const refusal = (message: string) => envelopeOf('ingestion', false, message);

interface RowError {
  readonly Object: string;
  readonly Generation: string;
  readonly Line: number;
}
interface ErrorsPage {
  readonly Errors: readonly RowError[];
  readonly NextPageToken: string | null;
}

const get = ({ key, tenantId }: Caller, query: string) => service().request('GET', pathOf(tenantId, query), { key });

async function pageOf(caller: Caller, query = ''): Promise<ErrorsPage> {
  const answer = await get(caller, query);
  expect(answer.status).toBe(200);
  return (answer.json as { Data: ErrorsPage }).Data;
}

/** All errors, page by page. */
async function allErrors(caller: Caller, query: string): Promise<RowError[]> {
  const errors: RowError[] = [];
  for (let token: string | null = ''; token !== null;) {
    const page: ErrorsPage = await pageOf(caller, `?${query}&pageToken=${token}`);
    errors.push(...page.Errors);
    token = page.NextPageToken;
  }
  return errors;
}

const putReports = (caller: Caller, ...report: ReportOfFile) => putReportsOf(service(), caller, ...report);

describe('GET /ingestion/google-cloud-storage/runs/<run_id>/errors', () => {
  it('lists the bad rows of all files, each file in the order of its lines, page by page (R-76)', async () => {
    const caller = await service().createCaller({ requestsPerMinute: 1_000 });
    await putReports(caller, { object: 'a.csv' }, [rowsAt(2, 3, 5), rowsAt(401), rowsAt(900, 1_000_000)]);
    await putReports(caller, { object: 'b.csv' }, [rowsAt(7)]);
    const expected = { 'a.csv': [2, 3, 5, 401, 900, 1_000_000], 'b.csv': [7], [RUN_OBJECT]: [2] };
    for (const limit of [1, 2, 3, 7, 8, 100]) {
      const errors = await allErrors(caller, `limit=${limit}`);
      for (const [object, lines] of Object.entries(expected)) {
        expect(errors.filter((row) => row.Object === object).map(({ Line }) => Line)).toEqual(lines);
      }
      expect(errors).toHaveLength(8);
      expect(new Set(errors.map((row) => row.Object)).size).toBe(3);
    }
  });

  it('lists those of one object, of each generation that the run has read (R-76)', async () => {
    const caller = await service().createCaller({ requestsPerMinute: 1_000 });
    const object = 'shop/été + 1.csv';
    await putReports(caller, { object, generation: '1' }, [rowsAt(2), rowsAt(500, 501)]);
    await putReports(caller, { object, generation: '2' }, [rowsAt(3)]);
    await putReports(caller, { object: `${object}.gz` }, [rowsAt(9)]);
    for (const limit of [1, 2, 100]) {
      const errors = await allErrors(caller, `limit=${limit}&object=${encodeURIComponent(object)}`);
      const linesOf = (generation: string) =>
        errors.filter(({ Generation }) => Generation === generation).map(({ Line }) => Line);
      expect([linesOf('1'), linesOf('2'), errors.length]).toEqual([[2, 500, 501], [3], 4]);
    }
    for (const other of ['shop', 'x'.repeat(1_025), 'x'.repeat(5_000), '%00', '..']) {
      expect(await pageOf(caller, `?object=${other}`)).toEqual({ Errors: [], NextPageToken: null });
    }
  });

  it('says how many messages of a row were left out', async () => {
    const caller = await service().createCaller();
    await putReports(caller, { object: 'a.csv' }, [[{ line: 4, messages: { '': ['bad'] }, omittedErrors: 17 }]]);
    const [row] = await allErrors(caller, 'object=a.csv');
    expect(row).toEqual({ Object: 'a.csv', Generation: '1700000000000001', Line: 4, Errors: { '': ['bad'] }, OmittedErrors: 17 }); // prettier-ignore
  });

  it('reads only what a page needs, however many reports the run has (R-76)', async () => {
    const caller = await service().createCaller();
    await putReports(
      caller,
      { object: 'a.csv' },
      Array.from({ length: 300 }, (_, index) => rowsAt(index + 1)),
    );
    const read = jest.spyOn(service().storage, 'read');
    const { NextPageToken } = await pageOf(caller, '?limit=3&object=a.csv');
    await pageOf(caller, `?limit=3&object=a.csv&pageToken=${NextPageToken}`);
    expect(read.mock.calls.length).toBeLessThanOrEqual(4 + 5);
    expect(service().store.reads.filter(({ method }) => method === 'list')).toHaveLength(2);
  });

  it('ends a page early when its time is short (R-76)', async () => {
    const caller = await service().createCaller();
    await putReports(caller, { object: 'a.csv' }, [rowsAt(1), rowsAt(2), rowsAt(3)]);
    const { storage, clock } = service();
    const read = storage.read.bind(storage);
    jest.spyOn(storage, 'read').mockImplementation((bucket, object) => {
      clock.advance(REQUEST_DEADLINE_MS - PAGE_RESERVE_MS + 1);
      return read(bucket, object);
    });
    const page = await pageOf(caller, '?object=a.csv');
    expect(page.Errors.map(({ Line }) => Line)).toEqual([1]);
    expect(page.NextPageToken).not.toBeNull();
  });

  it('refuses tokens of another run, list or object, and forged ones reach no other run (R-76)', async () => {
    const caller = await service().createCaller();
    const other = await service().createCaller();
    for (const one of [caller, other]) await putReports(one, { object: 'a.csv' }, [rowsAt(1, 2, 3)]);
    const { NextPageToken: own } = await pageOf(caller, '?limit=1');
    const digest = Buffer.from(own!, 'base64url').toString().slice(0, 16);
    const forged = (position: string) => Buffer.from(`${digest}${position}`).toString('base64url');
    const id = storedReport(caller.tenantId).write.set.split('/').at(-1)!;
    const tokens = [
      (await pageOf(other, '?limit=1')).NextPageToken,
      (await pageOf(caller, '?limit=1&object=a.csv')).NextPageToken,
      forged(id),
      forged(`${id}:`),
      forged(`${id}:-1`),
      forged(`${id}:1:1`),
      forged(`${id}:9999999`),
      forged(`../${id}:1`),
      forged(`x:1`),
    ];
    for (const token of tokens) {
      const answer = await get(caller, `?pageToken=${token}`);
      expectAnswer(answer, 400, refusal('The query parameter pageToken is no token of this list.'));
    }
    expect((await pageOf(caller, `?pageToken=${forged(`${id}:999999`)}`)).Errors).not.toContainEqual(storedErrorDto());
  });

  it('is 404 when the report is no longer kept (R-76)', async () => {
    const caller = await service().createCaller();
    service().storage.contents.clear();
    expectAnswer(await get(caller, ''), 404, refusal('The errors of the run are no longer kept.'), { remaining: 99 });
  });

  it('has its own message when the report, or the files, cannot be read', async () => {
    const caller = await service().createCaller();
    service().store.failing = ({ paths }) => paths.some((path) => path.endsWith('/files'));
    const failed = refusal('Failed to find errors.');
    expectAnswer(await get(caller, '?object=a.csv'), 500, failed);
    service().storage.failure = new AccessDenied('The bucket of reports is not readable.');
    expectAnswer(await get(caller, ''), 500, failed);
  });
});
