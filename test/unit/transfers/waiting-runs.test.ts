/** Runs of the full hour, on what is in memory: when they begin, and that all of them do. */
import { runPath, RUNS } from '../../../shared/documents/paths';
import type { TenantId } from '../../../shared/domain/tenant';
import { plannedStart } from '../../../shared/domain/transfer';
import { START_SPREAD_MINUTES } from '../../../shared/limits/transfers';
import { cancelRun } from '../../../shared/transfers/runs/finish-run';
import { requestHistorical, requestRun } from '../../../shared/transfers/runs/request-run';
import { resumeRun } from '../../../shared/transfers/runs/resume-run';
import { claimBucket } from '../../../shared/transfers/runs/bucket-ownership';
import { BUCKET, LiveWorld } from '../../support/live-world';

const ADA = '11111111-1111-4111-8111-111111111111';
const MINUTE_MS = 60_000;

let world: LiveWorld;
let ada: TenantId;
/** The clock of the world stands in the first minute of an hour. */
let startsAt: Date;

beforeEach(async () => {
  world = new LiveWorld();
  ada = await world.openTenant(ADA);
  await claimBucket(BUCKET, 'acme', world.store, world.deadline());
  world.upload('customers.ndjson');
  startsAt = plannedStart(world.trigger('hourly', ada), new Date(world.clock.nowMs()), START_SPREAD_MINUTES)!;
});

const waiting = () => world.store.findWhere(RUNS, 'begins', 'later', { limit: 100 }, world.deadline());
const theRun = async () => (await world.runs(ada))[0]!;
const untilItIsDue = () => world.clock.advance(startsAt.getTime() - world.clock.nowMs());
const tick = () => world.tell({ start: true });

it('waits for its minute, which it tells, and then reads what is there (R-372, R-373)', async () => {
  await world.deliver(world.trigger('hourly', ada));
  await tick();
  expect(world.steps).toEqual([]);
  const { runId, run } = await theRun();
  expect(run).toMatchObject({ status: 'running', isPlanned: false, startedAt: startsAt });
  expect(runId.slice(0, 17)).toBe(startsAt.toISOString().replace(/\D/g, '').slice(0, 17));

  world.clock.advance(startsAt.getTime() - world.clock.nowMs() - 1);
  await tick();
  expect(world.steps).toEqual([]);
  world.clock.advance(1);
  await tick();
  expect(world.steps).toHaveLength(1);
  await world.runSteps();
  expect((await theRun()).run).toMatchObject({ status: 'succeeded', startedAt: startsAt, files: { finished: 1 } });
  expect(await world.customers(ada)).toBe(1);
  await tick();
  expect([world.steps, await waiting()]).toEqual([[], []]);
});

it('is one run, however often its message comes, before and after its minute (R-373)', async () => {
  const message = world.message();
  const trigger = world.trigger('daily', ada);
  for (let time = 0; time < 2; time += 1) await world.deliver(trigger, message);
  untilItIsDue();
  await world.deliver(trigger, message);
  await tick();
  await world.runSteps();
  await world.deliver(trigger, message);
  await world.runSteps();
  expect((await world.runs(ada)).map(({ run }) => run.files)).toMatchObject([{ found: 1, finished: 1 }]);
});

it.each([
  ['an error between its step and the note of it', 'writeEach'],
  ['two that begin it at the same time', undefined],
])('is begun once more after %s, which does no harm (R-373)', async (_what, failing) => {
  await world.deliver(world.trigger('hourly', ada));
  untilItIsDue();
  if (failing) {
    world.store.failing = ({ method }) => method === failing;
    await expect(tick()).rejects.toThrow();
    world.store.failing = () => false;
    await tick();
  } else {
    await Promise.all([tick(), tick()]);
  }
  expect(world.steps).toHaveLength(2);
  await world.runSteps();
  expect((await world.runs(ada)).map(({ run }) => run)).toMatchObject([
    { status: 'succeeded', files: { finished: 1 } },
  ]);
  expect(await waiting()).toEqual([]);
});

it('waits alone where its step cannot be published, and begins with the next message (R-373)', async () => {
  const others = ['2', '3'].map((digit) => ADA.replaceAll('1', digit));
  for (const tenantId of others) await world.openTenant(tenantId);
  for (const tenantId of [ada, ...others]) await world.deliver(world.trigger('hourly', tenantId as TenantId));
  world.clock.advance(START_SPREAD_MINUTES * MINUTE_MS);
  const { runId } = await theRun();
  const { publisher } = world.dependencies;
  const publish = publisher.publish.bind(publisher);
  publisher.publish = (topic, event) =>
    (event as { runId?: string }).runId === runId
      ? Promise.reject(new Error('Pub/Sub is away.'))
      : publish(topic, event);
  await expect(tick()).rejects.toThrow('Pub/Sub is away.');
  expect([world.steps.length, (await waiting()).map(({ path }) => path)]).toEqual([2, [runPath(runId)]]);
  publisher.publish = publish;
  await tick();
  expect([world.steps.length, await waiting()]).toEqual([3, []]);
});

it('that is cancelled while it waits reads nothing, and its end is done (R-373)', async () => {
  await world.deliver(world.trigger('hourly', ada));
  const { runId } = await theRun();
  expect(await cancelRun(runId, world.deadline(), world.dependencies)).toBe(true);
  await tick();
  await world.runSteps();
  untilItIsDue();
  await tick();
  await world.runSteps();
  const { run } = await theRun();
  expect(run).toMatchObject({ status: 'cancelled', files: { found: 0 } });
  expect(run.ending).toBeUndefined();
  expect(run.startedAt.getTime()).toBeLessThanOrEqual(run.finishedAt!.getTime());
  expect([await world.customers(ada), await waiting()]).toEqual([0, []]);
});

it('that is resumed while it waits begins then, once (R-373)', async () => {
  await world.deliver(world.trigger('hourly', ada));
  const { runId, run } = await theRun();
  await resumeRun(runId, run, () => world.deadline(), world.dependencies);
  await world.runSteps();
  untilItIsDue();
  await tick();
  await world.runSteps();
  expect((await world.runs(ada)).map((each) => each.run)).toMatchObject([
    { status: 'succeeded', files: { finished: 1 } },
  ]);
  expect(await waiting()).toEqual([]);
});

it('of a tenant that is suspended meanwhile rests until the tenant is resumed (R-373)', async () => {
  await world.deliver(world.trigger('hourly', ada));
  await world.openTenant(ADA, { suspendedSince: new Date(world.clock.nowMs()) });
  untilItIsDue();
  await tick();
  await world.runSteps();
  const { runId, run } = await theRun();
  expect([run.status, await world.customers(ada), await waiting()]).toEqual(['running', 0, []]);
  await world.openTenant(ADA);
  await resumeRun(runId, run, () => world.deadline(), world.dependencies);
  await world.runSteps();
  expect((await theRun()).run).toMatchObject({ status: 'succeeded', files: { finished: 1 } });
});

it('goes on with further pages in another message when the time is up (R-373)', async () => {
  const tenants = await Promise.all(
    Array.from({ length: 301 }, (_, index) =>
      world.openTenant(`22222222-2222-4222-8222-${String(index).padStart(12, '0')}`),
    ),
  );
  for (const tenantId of tenants) await world.deliver(world.trigger('hourly', tenantId));
  world.clock.advance(START_SPREAD_MINUTES * MINUTE_MS);
  await world.tell({ start: true }, { remainingMs: () => 5_000 });
  expect([world.again, world.steps.length]).toEqual([[{ start: true }], 300]);
  await world.tell(world.again[0]);
  expect([world.steps.length, await waiting()]).toEqual([301, []]);
});

it('at another minute, by hand, at once, of uploads or of a bucket that is not theirs waits for nothing (R-372)', async () => {
  await requestRun(world.trigger('hourly', ada), world.deadline(), world.dependencies);
  await requestHistorical(ada, { TenantId: ada, BucketName: BUCKET }, world.deadline(), world.dependencies);
  await world.deliver(world.trigger('live', ada));
  await world.deliver({ ...world.trigger('daily', ada), bucketName: 'other-exports' });
  world.clock.advance(MINUTE_MS);
  await world.deliver(world.trigger('hourly', ada));
  await world.runSteps();
  expect(await waiting()).toEqual([]);
  const ended = (await world.runs(ada)).map(({ run }) => run.status);
  expect([ended.length, ended.includes('running')]).toEqual([5, false]);
});
