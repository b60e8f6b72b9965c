/** What operators see across tenants, and what that reads: as much as is shown, however many tenants there are. */
import type { JobId } from '../../../shared/domain/transfer';
import { recurringJobId, toTrigger } from '../../../shared/domain/transfer';
import type { TenantId } from '../../../shared/domain/tenant';
import { parseTenantId } from '../../../shared/domain/tenant';
import { tenantPath } from '../../../shared/documents/paths';
import { MAX_COUNTED_DOCUMENTS } from '../../../shared/limits/transfers';
import type { Operator } from '../../../shared/operations/operator';
import { listFailingTransfers, listTransfers } from '../../../shared/operations/transfers/recurring';
import { searchRuns } from '../../../shared/operations/transfers/search-runs';
import { timedId } from '../../../shared/transfers/runs/run-id';
import type { Run } from '../../../shared/transfers/runs/run';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { RecordingScheduler } from '../../support/recording-fakes';
import { SeededRandom } from '../../support/seeded-random';
import { aRun, aRunFile, aRunningRun, putFile, putRun } from '../../support/stored-run';

const tenantOf = (index: number): TenantId =>
  parseTenantId(`00000000-0000-4000-8000-${String(index).padStart(12, '0')}`)!;
const HOUR_MS = 3_600_000;

function openService() {
  const clock = new FixedClock();
  const store = new ObservedDocumentStore(new MemoryDocumentStore(clock));
  const jobs = new RecordingScheduler();
  const base = operatorOn(store, { clock, random: new SeededRandom() });
  let found = 0;
  const operator: Operator = {
    ...base,
    jobs: {
      find: (jobId) => {
        found += 1;
        return jobs.find(jobId);
      },
      all: () => jobs.all(),
    },
  };
  let count = 0;
  /** Stores a run that began so many hours ago. @returns its id */
  const put = async (tenantId: TenantId, changes: Partial<Run>, hoursAgo = 0): Promise<string> => {
    const startedAt = new Date(clock.nowMs() - hoursAgo * HOUR_MS);
    const runId = timedId(startedAt, `-${String((count += 1)).padStart(6, '0')}`);
    const begun = changes.status === 'running' ? aRunningRun(tenantId) : aRun(tenantId);
    await store.commit([putRun(runId, { ...begun, startedAt, ...changes })], operator.deadline());
    return runId;
  };
  const schedule = (tenantId: TenantId, kind: 'daily' | 'hourly' = 'daily') => {
    const jobId = recurringJobId(kind, tenantId);
    const options = { TenantId: tenantId, BucketName: `bucket-${tenantId}`, DataFolderPaths: ['shop/'] };
    return jobs.schedule({ trigger: toTrigger(kind, tenantId, jobId, options), schedule: '0 3 * * *' });
  };
  const createTenant = (tenantId: TenantId) =>
    store.commit([{ set: tenantPath(tenantId), data: { organizationId: 'acme' } }], operator.deadline());
  /** What the work reads, in calls and in jobs that are looked up. */
  const reading = async (work: AsyncIterable<object>) => {
    store.forget();
    found = 0;
    const listed: object[] = [];
    for await (const element of work) listed.push(element);
    return { listed, calls: store.reads.length, jobs: found };
  };
  return { store, operator, said: base.said, put, schedule, createTenant, reading };
}

async function toArray<T>(elements: AsyncIterable<T>): Promise<T[]> {
  const array: T[] = [];
  for await (const element of elements) array.push(element);
  return array;
}

describe('runs list (R-190)', () => {
  it('shows the failed runs of all tenants of the last day, newest first, each with its tenant', async () => {
    const { operator, put } = openService();
    const old = await put(tenantOf(1), { status: 'failed' }, 25);
    const first = await put(tenantOf(2), { status: 'failed', error: 'No access.' }, 23);
    await put(tenantOf(3), { status: 'succeeded' }, 2);
    const last = await put(tenantOf(1), { status: 'failed' }, 1);
    const since = new Date(operator.clock.nowMs() - 24 * HOUR_MS);
    const runs = await toArray(searchRuns({ statuses: ['failed'], since }, operator));
    expect(runs).toMatchObject([
      { runId: last, tenantId: tenantOf(1), status: 'failed' },
      { runId: first, tenantId: tenantOf(2), status: 'failed', error: 'No access.' },
    ]);
    const all = await toArray(searchRuns({ statuses: ['failed'] }, operator));
    expect(all.map(({ runId }) => runId)).toEqual([last, first, old]);
  });

  it('takes several statuses, or any, of one tenant too', async () => {
    const { operator, put, createTenant } = openService();
    await createTenant(tenantOf(1));
    const ids = [];
    for (const status of ['failed', 'partial', 'succeeded'] as const) ids.push(await put(tenantOf(1), { status }));
    await put(tenantOf(2), { status: 'failed' });
    const list = async (options: Parameters<typeof searchRuns>[0]) =>
      (await toArray(searchRuns(options, operator))).map(({ runId }) => runId);
    const tenant = tenantOf(1).toUpperCase();
    expect(await list({ tenant })).toEqual(ids.toReversed());
    expect(await list({ tenant, statuses: ['partial', 'failed'] })).toEqual([ids[1], ids[0]]);
    expect(await list({})).toHaveLength(4);
    await expect(list({ tenant: tenantOf(9) })).rejects.toThrow('does not exist');
  });

  it('goes on behind the last run of a list, and says when there are more', async () => {
    const { operator, put, said } = openService();
    const ids: string[] = [];
    for (let hour = 9; hour >= 0; hour -= 1) ids.unshift(await put(tenantOf(hour), { status: 'partial' }, hour));
    const first = await toArray(searchRuns({ limit: 7 }, operator));
    expect(first.map(({ runId }) => runId)).toEqual(ids.slice(0, 7));
    expect(said).toEqual(['There are more runs: --after with the id of the last one goes on behind it.']);
    const rest = await toArray(searchRuns({ limit: 7, after: first[6]!.runId }, operator));
    expect(rest.map(({ runId }) => runId)).toEqual(ids.slice(7));
    expect(said).toHaveLength(1);
  });

  it('reads one page of runs, however many tenants and other runs there are', async () => {
    const calls: number[] = [];
    for (const tenants of [10, 200]) {
      const { operator, put, reading } = openService();
      for (let index = 0; index < tenants; index += 1) await put(tenantOf(index), { status: 'succeeded' });
      for (let index = 0; index < 5; index += 1) await put(tenantOf(index), { status: 'failed' });
      const { listed, calls: made } = await reading(searchRuns({ statuses: ['failed'] }, operator));
      expect(listed).toHaveLength(5);
      calls.push(made);
    }
    expect(calls).toEqual([1, 1]);
  });

  it('counts the files of running runs within a bound, and shows the others without counts', async () => {
    const { operator, put, store } = openService();
    const large = await put(tenantOf(1), { status: 'running' });
    const files = Array.from({ length: MAX_COUNTED_DOCUMENTS + 1 }, (_, n) =>
      aRunFile({ object: `${n}`, status: 'pending' }),
    );
    await store.commit(files.map((file) => putFile(large, file)), operator.deadline()); // prettier-ignore
    const small = await put(tenantOf(2), { status: 'running' });
    await store.commit([putFile(small, aRunFile({ status: 'pending' }))], operator.deadline());
    const runs = await toArray(searchRuns({ statuses: ['running'] }, operator));
    expect(runs).toMatchObject([
      { runId: small, files: { found: 1 } },
      { runId: large, files: null, rows: null },
    ]);
  });
});

describe('transfers list --all', () => {
  it('shows the recurring jobs of all tenants with bucket and folders, and reads no tenant (R-191)', async () => {
    const { operator, schedule, reading } = openService();
    for (const index of [1, 2, 3]) await schedule(tenantOf(index));
    const { listed, calls, jobs } = await reading(listTransfers({}, operator));
    expect(listed).toHaveLength(3);
    expect(listed).toContainEqual(
      expect.objectContaining({ bucketName: `bucket-${tenantOf(2)}`, folderPaths: ['shop/'] }) as unknown,
    );
    expect({ calls, jobs }).toEqual({ calls: 0, jobs: 0 });
  });
});

describe('transfers list --failing (R-191)', () => {
  const jobIdsOf = (listed: readonly object[]) => listed.map((job) => (job as { jobId: JobId }).jobId);

  it('shows the jobs whose last run has failed, with the failures in a row and the error', async () => {
    const { operator, put, schedule } = openService();
    for (const index of [1, 2, 3, 4]) await schedule(tenantOf(index));
    await put(tenantOf(1), { status: 'succeeded' }, 3);
    await put(tenantOf(1), { status: 'failed', error: 'An earlier one.' }, 2);
    const last = await put(tenantOf(1), { status: 'failed', error: 'No access.' }, 1);
    await put(tenantOf(2), { status: 'failed' }, 2); // it has recovered
    await put(tenantOf(2), { status: 'partial' }, 1);
    await put(tenantOf(3), { status: 'failed', replayOf: 'another' }, 1); // a replay tells nothing of the job
    await put(tenantOf(4), { status: 'failed' }, 49); // too long ago: a daily job has run since
    await put(tenantOf(5), { status: 'failed' }, 1); // it is not scheduled any more
    expect(await toArray(listFailingTransfers({}, operator))).toEqual([
      {
        jobId: recurringJobId('daily', tenantOf(1)),
        schedule: '0 3 * * *',
        timeZone: 'Etc/UTC',
        nextRun: expect.stringMatching(/Z$/) as unknown,
        bucketName: `bucket-${tenantOf(1)}`,
        folderPaths: ['shop/'],
        failures: 2,
        lastRun: { runId: last, startedAt: expect.stringMatching(/Z$/) as unknown, error: 'No access.' },
      },
    ]);
  });

  it('of one tenant shows those that fail however long ago that was', async () => {
    const { operator, put, schedule, createTenant } = openService();
    await createTenant(tenantOf(1));
    for (const kind of ['daily', 'hourly'] as const) await schedule(tenantOf(1), kind);
    await put(tenantOf(1), { status: 'failed' }, 1_000);
    const failing = () => toArray(listFailingTransfers({ tenant: tenantOf(1) }, operator));
    expect(jobIdsOf(await failing())).toEqual([recurringJobId('daily', tenantOf(1))]);
    await put(tenantOf(1), { status: 'failed', jobId: recurringJobId('hourly', tenantOf(1)) }, 0);
    expect(jobIdsOf(await failing())).toHaveLength(2);
  });

  it('looks at each job once that has failed lately, and at no other tenant', async () => {
    const costs: object[] = [];
    for (const tenants of [10, 200]) {
      const { operator, put, schedule, reading } = openService();
      for (let index = 0; index < tenants; index += 1) {
        await schedule(tenantOf(index));
        await put(tenantOf(index), { status: 'succeeded' }, 30);
      }
      for (const hour of [4, 3, 2])
        for (const index of [1, 2, 3]) await put(tenantOf(index), { status: 'failed' }, hour);
      const { listed, calls, jobs } = await reading(listFailingTransfers({}, operator));
      expect(jobIdsOf(listed)).toHaveLength(3);
      costs.push({ calls, jobs });
    }
    const each = { calls: 1 + 3, jobs: 3 };
    expect(costs).toEqual([each, each]);
  });
});
