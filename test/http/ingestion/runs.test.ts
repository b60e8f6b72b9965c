import { runPath, tenantPath } from '../../../shared/documents/paths';
import { historicalJobId, recurringJobId } from '../../../shared/domain/transfer';
import { parseTenantId } from '../../../shared/domain/tenant';
import { MAX_PAGE_BYTES } from '../../../shared/limits/requests';
import { MAX_COUNTED_DOCUMENTS } from '../../../shared/limits/transfers';
import { NO_ROWS } from '../../../shared/transfers/runs/run';
import type { Run } from '../../../shared/transfers/runs/run';
import type { Caller } from '../../support/test-service';
import { useTestService } from '../../support/test-service';
import {
  aRun,
  aRunFile,
  aRunningRun,
  changesDto,
  NO_CONSENTS,
  putFile,
  putRun,
  runningRunId,
  storedRunId,
} from '../../support/stored-run';
import { call, envelopeOf, expectAnswer, hasSubject, rowsOf } from '../api';

const service = useTestService('ingestion');
const RUNS = '/ingestion/google-cloud-storage/runs';
/** A run id in a path. */
const RUN_ID = /(?<=runs\/)[^/]+/;
const FOREIGN = "The tenant does not belong to the API key's organization.";
const RUN_NOT_FOUND = envelopeOf('ingestion', false, 'Run not found.');
const refusal = (message: string) => envelopeOf('ingestion', false, message);

interface RunsPage {
  readonly Runs: readonly { readonly RunId: string; readonly Files: unknown; readonly Rows: unknown }[];
  readonly NextPageToken: string | null;
}

const get = ({ key }: Pick<Caller, 'key'>, path: string) => service().request('GET', path, { key });

/** The data of a page of runs. */
async function pageOf({ key, tenantId }: Caller, query = ''): Promise<RunsPage> {
  const answer = await get({ key }, `${RUNS}?tenantId=${tenantId}${query}`);
  expect(answer.status).toBe(200);
  return (answer.json as { Data: RunsPage }).Data;
}

/** The ids of all runs, page by page. */
async function allRuns(caller: Caller, query = ''): Promise<string[]> {
  const ids: string[] = [];
  for (let token: string | null = ''; token !== null;) {
    const page: RunsPage = await pageOf(caller, `${query}&pageToken=${token}`);
    ids.push(...page.Runs.map(({ RunId }) => RunId));
    token = page.NextPageToken;
  }
  return ids;
}

/** Stores runs, one a second, in the place of those that the tenant has; their ids, the oldest first. */
async function putRuns({ tenantId }: Caller, changes: readonly Partial<Run>[]): Promise<string[]> {
  const ids = changes.map((_, index) => `20260301${String(120_000 + index)}-x${tenantId.slice(0, 8)}`);
  const writes = changes.map((change, index) => putRun(ids[index]!, aRun(tenantId, change)));
  const stored = [storedRunId(tenantId), runningRunId(tenantId)].map((runId) => ({ delete: runPath(runId) }));
  await service().store.commit([...writes, ...stored], service().deadline());
  service().store.calls.length = 0;
  return ids;
}

describe('a run tells its tenant (R-72)', () => {
  const rows = rowsOf('ingestion', (row) => hasSubject(row) && row.path('').includes('/runs/'));

  it.each(rows)('%s is 404 for ids that no run has or can have', async (_, route) => {
    const caller = await service().createCaller();
    const path = `/ingestion${route.path(caller.tenantId)}`;
    for (const id of ['nothing', '..', '%2e%2e', 'a%2Fb', '%00', '__proto__', 'x'.repeat(129), 'x'.repeat(5_000)]) {
      const answer = await service().request(route.method, path.replace(RUN_ID, id), caller);
      expectAnswer(answer, 404, RUN_NOT_FOUND);
    }
  });

  it.each(rows)('%s is 400 for a malformed encoding, after the permission (D-34)', async (_, route) => {
    const caller = await service().createCaller();
    const unpermitted = await service().createKey(caller.organizationId, { permissions: ['orders'] });
    const path = `/ingestion${route.path(caller.tenantId)}`.replace(RUN_ID, '%E0%A4%A');
    const malformed = 'The URL contains a malformed percent-encoding.';
    expectAnswer(await service().request(route.method, path, caller), 400, refusal(malformed));
    expect((await service().request(route.method, path, { key: unpermitted })).status).toBe(403);
  });

  it.each(rows)('%s comes to the tenant before the permission (D-34)', async (_, route) => {
    const owner = await service().createCaller();
    const stranger = await service().createCaller({ permissions: [] });
    expectAnswer(await call(service(), route, { ...owner, key: stranger.key }), 403, refusal(FOREIGN));
    const unknown = await service().request(route.method, `/ingestion${route.path('unknown')}`, stranger);
    expectAnswer(unknown, 404, RUN_NOT_FOUND);
  });

  it.each(rows)('%s is 404 when its tenant is being erased (R-60)', async (_, route) => {
    const caller = await service().createCaller();
    const data = { erasingSince: new Date(service().clock.nowMs()) };
    const write = { set: tenantPath(caller.tenantId), data, fields: Object.keys(data) };
    await service().store.commit([write], service().deadline());
    expectAnswer(await call(service(), route, caller), 404, refusal('Tenant not found.'));
  });

  it.each(rows)('%s has its own message when the run cannot be read', async (_, route) => {
    const caller = await service().createCaller();
    service().store.failing = ({ paths }) => paths.some((path) => path.startsWith('transferRuns'));
    expectAnswer(await call(service(), route, caller), 500, refusal(route.failureMessage), { remaining: 99 });
  });
});

it('a run of whose end the tenant could not be notified says why, wherever it is shown (R-111)', async () => {
  const caller = await service().createCaller();
  const notificationError = 'The topic projects/shop-of-ada/topics/runs does not exist.';
  const [runId] = await putRuns(caller, [{ notificationError }]);
  const transfers = await get(caller, `${RUNS.replace('runs', 'transfers')}?tenantId=${caller.tenantId}`);
  const shown = { RunId: runId, Status: 'partial', NotificationError: notificationError };
  expect((await get(caller, `${RUNS}/${runId}`)).json).toMatchObject({ Data: { Run: shown } });
  expect(await pageOf(caller)).toMatchObject({ Runs: [shown] });
  expect(transfers.json).toMatchObject({ Data: { Transfers: [{ LastRun: shown }] } });
});

it.each(rowsOf('ingestion', ({ method }) => method === 'GET'))(
  '%s writes nothing but the counter',
  async (_, route) => {
    const caller = await service().createCaller();
    await call(service(), route, caller);
    expect(service().store.writes.map(({ method }) => method)).toEqual(['increment']);
  },
);

describe('GET /ingestion/google-cloud-storage/runs', () => {
  it('finds all runs, the newest first, however many, page by page (R-73)', async () => {
    const caller = await service().createCaller({ requestsPerMinute: 1_000 });
    const ids = await putRuns(
      caller,
      Array.from({ length: 230 }, () => ({})),
    );
    const newestFirst = ids.toReversed();
    expect((await pageOf(caller)).Runs.map(({ RunId }) => RunId)).toEqual(newestFirst.slice(0, 20));
    for (const limit of [1, 7, 100]) expect(await allRuns(caller, `&limit=${limit}`)).toEqual(newestFirst);
  });

  it('says at the exact end that there is no further page (R-73)', async () => {
    const caller = await service().createCaller();
    await putRuns(caller, [{}, {}, {}]);
    expect((await pageOf(caller, '&limit=3')).NextPageToken).toBeNull();
    expect((await pageOf(caller, '&limit=2')).NextPageToken).not.toBeNull();
  });

  it('reads no more for a tenant with more runs, on any page (R-73)', async () => {
    const few = await service().createCaller();
    const many = await service().createCaller();
    await putRuns(
      few,
      Array.from({ length: 30 }, () => ({})),
    );
    await putRuns(
      many,
      Array.from({ length: 400 }, () => ({})),
    );
    const readsOf = async (caller: Caller) => {
      service().store.calls.length = 0;
      const { NextPageToken } = await pageOf(caller, '&limit=10');
      await pageOf(caller, `&limit=10&pageToken=${NextPageToken}`);
      return service().store.reads.filter(({ paths }) => paths.includes('transferRuns')).length;
    };
    expect([await readsOf(few), await readsOf(many)]).toEqual([2, 2]);
  });

  it('finds those of one job, of one status, and of both; an empty filter counts as absent (R-73, R-149)', async () => {
    const caller = await service().createCaller();
    const tenantId = parseTenantId(caller.tenantId)!;
    const daily = recurringJobId('daily', tenantId);
    const historical = historicalJobId(tenantId, '20260301abc');
    const [a, b, c, d] = await putRuns(caller, [
      { jobId: daily, status: 'failed' },
      { jobId: historical, status: 'failed' },
      { jobId: daily, status: 'succeeded' },
      { jobId: daily, status: 'failed' },
    ]);
    expect(await allRuns(caller, `&jobId=${daily}&limit=1`)).toEqual([d, c, a]);
    expect(await allRuns(caller, `&jobId=DAILY-TRANSFER/${caller.tenantId.toUpperCase()}`)).toEqual([d, c, a]);
    expect(await allRuns(caller, `&jobId=${encodeURIComponent(historical)}`)).toEqual([b]);
    expect(await allRuns(caller, '&status=failed&limit=2')).toEqual([d, b, a]);
    expect(await allRuns(caller, `&status=failed&jobId=${daily}&limit=1`)).toEqual([d, a]);
    expect(await allRuns(caller, `&status=running&jobId=${daily}`)).toEqual([]);
    expect(await allRuns(caller, `&jobId=hourly-transfer/${caller.tenantId}`)).toEqual([]);
    expect(await allRuns(caller, '&jobId=&status=%20&limit=')).toEqual([d, c, b, a]);
    expect(await allRuns(caller, '&status=%20failed+&limit=%202')).toEqual([d, b, a]);
  });

  it('ends a page early whose runs would take too many bytes (R-73)', async () => {
    const caller = await service().createCaller();
    const folderPaths = Array.from({ length: 100 }, (_, index) => `${index}/${'x'.repeat(1_000)}`);
    const ids = await putRuns(
      caller,
      Array.from({ length: 30 }, () => ({ folderPaths })),
    );
    const first = await get(caller, `${RUNS}?tenantId=${caller.tenantId}&limit=100`);
    expect(first.text.length).toBeLessThan(MAX_PAGE_BYTES + 120_000);
    expect(await allRuns(caller, '&limit=100')).toEqual(ids.toReversed());
  });

  it.each(['0', '101', '-1', '1.5', '1e1', 'ten', '９', '99999999999999999999', '0x10', 'NaN'])(
    'refuses the limit %s (R-73)',
    async (limit) => {
      const caller = await service().createCaller();
      const answer = await get(caller, `${RUNS}?tenantId=${caller.tenantId}&limit=${encodeURIComponent(limit)}`);
      const message = 'The query parameter limit must be a whole number from 1 to 100.';
      expectAnswer(answer, 400, refusal(message), { remaining: 99 });
    },
  );

  it('refuses a status that there is not', async () => {
    const caller = await service().createCaller();
    const answer = await get(caller, `${RUNS}?tenantId=${caller.tenantId}&status=pending`);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('The query parameter status must be one of running, succeeded, partial, failed');
  });

  it('refuses what is no token, and tokens of another tenant, list or filter (R-73)', async () => {
    const caller = await service().createCaller({ requestsPerMinute: 1_000 });
    const other = await service().createCaller();
    for (const one of [caller, other]) await putRuns(one, [{}, {}, {}]);
    const tokenOf = async (one: Caller, query = '') => (await pageOf(one, `&limit=1${query}`)).NextPageToken!;
    const own = await tokenOf(caller);
    const digest = Buffer.from(own, 'base64url').toString().slice(0, 16);
    const forged = (position: string) => Buffer.from(`${digest}${position}`).toString('base64url');
    const tokens = [
      'x', '!', '%00', 'x'.repeat(10_000), `${own}x`, `${own}=`, own.slice(0, -1), own.toUpperCase(),
      forged(''), forged('..'), forged('__x__'), forged('a/b'), forged('\u0000'), forged('x'.repeat(200)),
      await tokenOf(other), await tokenOf(caller, '&status=partial'),
    ]; // prettier-ignore
    for (const token of tokens) {
      const answer = await get(caller, `${RUNS}?tenantId=${caller.tenantId}&pageToken=${token}`);
      expectAnswer(answer, 400, refusal('The query parameter pageToken is no token of this list.'), {
        limit: 1_000,
      });
    }
    expect((await pageOf(caller, `&pageToken=${own}&limit=9`)).Runs).toHaveLength(2);
  });

  it('refuses a parameter that is given twice, and malformed encodings', async () => {
    const caller = await service().createCaller();
    for (const name of ['tenantId', 'jobId', 'status', 'limit', 'pageToken']) {
      const path = `${RUNS}?tenantId=${caller.tenantId}&${name}=a&${name}=b`;
      expectAnswer(await get(caller, path), 400, refusal(`The query parameter ${name} must be given once.`));
    }
    const malformed = await get(caller, `${RUNS}?tenantId=${caller.tenantId}&status=%`);
    expectAnswer(malformed, 400, refusal('The URL contains a malformed percent-encoding.'));
  });

  it.each(['', '?', '?tenantId=', '?tenantId=%20', '?tenantId=no-guid', '?tenantid=x', '/?tenantId=1'])(
    'refuses %p: the tenant is required, before the permission and the rest of the query (D-34)',
    async (query) => {
      const { key } = await service().createCaller({ permissions: [] });
      expectAnswer(await get({ key }, `${RUNS}${query}`), 400, refusal('Invalid tenant identifier.'));
    },
  );

  it('comes to the tenant and the permission before the rest of the query (D-34)', async () => {
    const owner = await service().createCaller();
    const stranger = await service().createCaller();
    const unpermitted = await service().createKey(owner.organizationId, { permissions: [] });
    const path = `${RUNS}?tenantId=${owner.tenantId}&limit=0`;
    expectAnswer(await get(stranger, path), 403, refusal(FOREIGN));
    expectAnswer(await get({ key: unpermitted }, path), 403, refusal('The API key lacks the permission transfers.'));
    expect((await get(owner, path)).status).toBe(400);
  });

  it('is 403 for the job of another organization, and 404 for one that this tenant cannot have (R-72)', async () => {
    const caller = await service().createCaller();
    const stranger = await service().createCaller();
    const sibling = await service().createTenant(caller.organizationId);
    const ofJob = (job: string) => get(caller, `${RUNS}?tenantId=${caller.tenantId}&jobId=${job}`);
    expectAnswer(await ofJob(`daily-transfer/${stranger.tenantId}`), 403, refusal(FOREIGN));
    for (const job of ['nothing', '..', `daily-transfer/${sibling}`, `daily-transfer/${service().unusedTenantId()}`]) {
      expectAnswer(await ofJob(job), 404, refusal('Transfer not found.'));
    }
  });
});

describe('the changes of a run', () => {
  it('are there with all counts, also those that are zero (R-85)', async () => {
    const caller = await service().createCaller();
    const customers = { Unchanged: 2, GdprOptinKeptWithdrawn: 3, SmsOptinErased: 1, SmsOptinWithdrawn: 2 };
    await putRuns(caller, [{ changes: { customers, orders: { Deleted: 4 } } }]);
    const none = changesDto();
    const Consents = {
      GdprOptin: { ...NO_CONSENTS, KeptWithdrawn: 3 },
      SmsOptin: { ...NO_CONSENTS, Erased: 1, Withdrawn: 2 },
    };
    const Changes = { ...changesDto({ Unchanged: 2 }, Consents), Orders: { ...none.Orders, Deleted: 4 } };
    expect((await pageOf(caller)).Runs).toMatchObject([{ Changes }]);
  });

  it('are null where a release that did not count them has ended it (R-89)', async () => {
    const caller = await service().createCaller();
    const { changes: _changes, ...older } = aRun(caller.tenantId);
    const [runId] = await putRuns(caller, [{}]);
    await service().store.commit([putRun(runId!, older)], service().deadline());
    expect((await get(caller, `${RUNS}/${runId}`)).json).toMatchObject({ Data: { Run: { Changes: null } } });
  });
});

describe('the counts of a running run (R-74)', () => {
  async function putRunning(caller: Caller, files: number): Promise<string> {
    const [runId] = await putRuns(caller, [{}]);
    const rows = { ...NO_ROWS, read: 3, stored: 3 };
    const progress = { status: 'pending', rows, changes: { Created: 3 } } as const;
    const file = (index: number) => aRunFile({ object: `customers-${index}.csv`, ...progress });
    await service().store.commit(
      [
        putRun(runId!, aRunningRun(caller.tenantId)),
        ...Array.from({ length: files }, (_, index) => putFile(runId!, file(index))),
        { set: `transferRuns/${runId}/pages/0.0`, data: { skipped: 2, fileIds: [] } },
      ],
      service().deadline(),
    );
    return runId!;
  }

  it('are those so far, alone and in a list', async () => {
    const caller = await service().createCaller();
    const runId = await putRunning(caller, 60);
    const counts = {
      Status: 'running',
      FinishedAt: null,
      Files: { Found: 62, Finished: 0, Skipped: 2, Failed: 0 },
      Rows: { Read: 180, Stored: 180, Invalid: 0, Stale: 0, Deleted: 0 },
      Changes: changesDto({ Created: 180 }),
    };
    expect((await get(caller, `${RUNS}/${runId}`)).json).toMatchObject({ Data: { Run: counts } });
    expect((await pageOf(caller)).Runs).toMatchObject([counts]);
  });

  it('are null when it has more files than one request counts', async () => {
    const caller = await service().createCaller();
    const runId = await putRunning(caller, MAX_COUNTED_DOCUMENTS + 1);
    const counts = { Status: 'running', Files: null, Rows: null, Changes: null, IgnoredFields: [] };
    expect((await get(caller, `${RUNS}/${runId}`)).json).toMatchObject({ Data: { Run: counts } });
    expect((await pageOf(caller)).Runs).toMatchObject([counts]);
  });
});
