/** When operators are alerted that the runs of a recurring job keep failing. */
import { deadlineIn } from '../../../shared/platform/deadline';
import { runPath } from '../../../shared/documents/paths';
import { historicalJobId, recurringJobId } from '../../../shared/domain/transfer';
import { parseTenantId } from '../../../shared/domain/tenant';
import { FAILURE_LOOK_RUNS } from '../../../shared/limits/transfers';
import { failRun, finishRunIfDone } from '../../../shared/transfers/runs/finish-run';
import type { Run } from '../../../shared/transfers/runs/run';
import { toRunDocument } from '../../../shared/transfers/runs/run';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { CollectingLogger, RecordingPublisher } from '../../support/recording-fakes';
import { SeededRandom } from '../../support/seeded-random';
import { aRun, aRunningRun } from '../../support/stored-run';

const TENANT = parseTenantId('22222222-2222-4222-8222-222222222222')!;
const OTHER = parseTenantId('33333333-3333-4333-8333-333333333333')!;
const ALERT = 'A recurring transfer has failed three times in a row.';

function openJob() {
  const clock = new FixedClock();
  const store = new ObservedDocumentStore(new MemoryDocumentStore(clock));
  const logger = new CollectingLogger();
  const dependencies = {
    store,
    clock,
    random: new SeededRandom(),
    publisher: new RecordingPublisher(),
    logger,
  };
  let count = 0;
  const put = async (run: Run) => {
    count += 1;
    const runId = `20260301${String(count).padStart(6, '0')}-run`;
    await store.commit([{ set: runPath(runId), data: toRunDocument(run) }], deadlineIn(1_000, clock));
    return runId;
  };
  const begin = (changes: Partial<Run> = {}) => put({ ...aRunningRun(TENANT), ...changes });
  const end = async (runId: string, status: 'failed' | 'succeeded') => {
    clock.advance(1_000);
    if (status === 'failed') await failRun(runId, 'planning', 'No access.', dependencies);
    else await finishRunIfDone(runId, 'planning', dependencies);
  };
  /** Runs of the job, one after the other. */
  const run = async (...statuses: readonly ('failed' | 'succeeded')[]) => {
    for (const status of statuses) await end(await begin(), status);
  };
  const alerts = () => logger.entries.filter(({ message }) => message === ALERT).map(({ details }) => details);
  return { store, put, begin, end, run, alerts };
}

const jobId = recurringJobId('daily', TENANT);

it('is one error, when the third run in a row has failed, with the tenant (R-113)', async () => {
  const { run, begin, end, alerts } = openJob();
  await run('failed', 'failed');
  expect(alerts()).toEqual([]);
  const third = await begin();
  await end(third, 'failed');
  expect(alerts()).toEqual([{ tenantId: TENANT, jobId, runId: third }]);
  await run('failed', 'failed', 'failed', 'failed');
  expect(alerts()).toHaveLength(1);
});

it('comes again after a run that has not failed (R-113)', async () => {
  const { run, alerts } = openJob();
  await run('failed', 'failed', 'succeeded', 'failed', 'failed');
  expect(alerts()).toEqual([]);
  await run('failed');
  expect(alerts()).toHaveLength(1);
  await run('failed', 'succeeded', 'failed', 'failed', 'failed');
  expect(alerts()).toHaveLength(2);
});

it.each<readonly [string, Partial<Run>]>([
  ['a cancelled run', { status: 'cancelled' }],
  ['a replay, which reads what was read before', { replayOf: 'earlier' }],
  ['a run of another job', { jobId: recurringJobId('hourly', TENANT) }],
  ['a run of another tenant', { tenantId: OTHER, jobId: recurringJobId('daily', OTHER) }],
])('neither counts nor interrupts: %s (R-113)', async (_, changes) => {
  const { run, put, alerts } = openJob();
  await run('failed');
  await put(aRun(TENANT, { status: 'failed', ...changes }));
  await run('failed');
  expect(alerts()).toEqual([]);
  await put(aRun(TENANT, { status: 'succeeded', ...changes, ...(changes.status && { status: changes.status }) }));
  await run('failed');
  expect(alerts()).toHaveLength(1);
});

it('a run that was asked for counts like one of the schedule (R-113)', async () => {
  const { run, begin, end, alerts } = openJob();
  await run('failed', 'failed');
  await end(await begin({ isManual: true }), 'failed');
  expect(alerts()).toHaveLength(1);
});

it('of runs that overlap, the one that ends as the third says it (R-113)', async () => {
  const { begin, end, alerts } = openJob();
  const long = await begin();
  const others = [await begin(), await begin(), await begin()];
  for (const runId of others.slice(0, 2)) await end(runId, 'failed');
  await end(long, 'failed');
  expect(alerts()).toMatchObject([{ runId: long }]);
  await end(others[2]!, 'failed');
  expect(alerts()).toHaveLength(1);
});

it('a historical transfer has no row of runs (R-113)', async () => {
  const { begin, end, alerts } = openJob();
  for (const unique of ['a', 'b', 'c', 'd'])
    await end(await begin({ jobId: historicalJobId(TENANT, unique) }), 'failed');
  expect(alerts()).toEqual([]);
});

it('reads the last runs of a job when a run has failed, and at no other end (R-113)', async () => {
  const { store, run } = openJob();
  const looks = () => store.calls.filter(({ method }) => method === 'findLastWhere');
  await run('succeeded', 'succeeded');
  expect(looks()).toEqual([]);
  for (let count = 0; count < FAILURE_LOOK_RUNS + 5; count += 1) await run('failed');
  expect(looks()).toHaveLength(FAILURE_LOOK_RUNS + 5);
});
