/** Planning of many pages: killed anywhere, resumed and repeated, it comes to its end (D-55). */
import { PLAN_PAGE_OBJECTS } from '../../shared/limits/transfers';
import { runFilesPath } from '../../shared/documents/paths';
import type { EventPublisher } from '../../shared/events/event-publisher';
import { cancelRun } from '../../shared/transfers/runs/finish-run';
import { ofTier } from '../faults/tier';
import { withMethods } from '../support/overriding';
import type { StartedRun } from '../support/transfer-lab';
import { newestFirst, useTransferLab } from '../support/transfer-lab';
import { customers, finished, ndjson, stored } from './numbered-customers';
import { positionsOf } from './positions-of-files';

/** So that a few files are several pages, and as many units. */
jest.mock<object>('../../shared/limits/transfers', () => ({
  ...jest.requireActual<object>('../../shared/limits/transfers'),
  PLAN_PAGE_OBJECTS: 3,
  UNIT_FILES: 1,
  REPLAY_PAGE_REPORTS: 1,
}));

const lab = useTransferLab();
const FILES = 2 * PLAN_PAGE_OBJECTS + 1;
/** Planning is killed at each of so many calls. */
const KILL_EVERY = ofTier(2, 1);

const isPlan = (event: object) => ['plan', 'replay'].includes((event as { step?: string }).step ?? '');

/** A process that dies at its call number `killAt` of the database or Pub/Sub, while it plans. */
function aMortalProcess() {
  const dying = { isPlanning: false, calls: 0, killAt: Infinity };
  const alive = () => {
    if (!dying.isPlanning) return;
    dying.calls += 1;
    if (dying.calls > dying.killAt) throw new Error('The process was killed.');
  };
  const store = withMethods(lab().operator.store, (method) => async (...args) => {
    alive();
    return method(...args);
  });
  /** Delivers the plan steps until the process is killed; whether it was. The step that it worked on comes again. */
  const planUntilKilled = async (started: StartedRun): Promise<boolean> => {
    for (let index = 0; index >= 0; index = started.waiting.findIndex(({ event }) => isPlan(event))) {
      const [message] = started.waiting.splice(index, 1);
      dying.isPlanning = true;
      const isKilled = await started.deliver(message!).then(
        () => false,
        () => true,
      );
      dying.isPlanning = false;
      if (isKilled) started.waiting.push(message!);
      if (isKilled) return true;
    }
    return false;
  };
  return { dying, alive, store, planUntilKilled };
}

/** A run of files on three pages, planned by a process that may die. */
async function startPlanning() {
  const { tenant, bucket } = await lab().openShop();
  for (let n = 1; n <= FILES; n += 1) bucket.put(`customers-${n}.ndjson`, ndjson(customers(n, n)));
  const { dying, alive, store, planUntilKilled } = aMortalProcess();
  const publisher: EventPublisher = {
    async publish(_topic, event) {
      alive();
      await Promise.resolve();
      started.publish(event);
    },
  };
  const started: StartedRun = lab().start(tenant, bucket, { overrides: { store, publisher } });
  await started.deliver(started.trigger);
  return { tenant, bucket, started, dying, planUntilKilled: () => planUntilKilled(started) };
}

it('ends, whatever call planning is killed at, when it is resumed twice and its messages are lost or come again (D-55)', async () => {
  let kills = 0;
  for (let round = 0; ; round += 1) {
    const killAt = round * KILL_EVERY;
    // Both after each call in the full tier; in the small one lost after one of them, and again after the next.
    for (const isLost of ofTier([round % 2 === 0], [false, true])) {
      const { tenant, bucket, started, dying, planUntilKilled } = await startPlanning();
      dying.killAt = killAt;
      if (!(await planUntilKilled())) {
        expect(kills).toBeGreaterThan(20 / KILL_EVERY);
        return;
      }
      kills += 1;
      if (isLost) started.waiting.splice(0);
      bucket.put('customers-2.ndjson', ndjson([...customers(2, 2), ...customers(100, 100)]));
      await started.resume();
      await started.resume();
      await started.deliverAll(round % 4 < 2 ? undefined : newestFirst);
      const { status, files, error } = await started.shown();
      expect({ killAt, isLost, status, error }).toEqual({ killAt, isLost, status: 'succeeded', error: null });
      expect(files.finished).toBe(files.found);
      expect(await lab().records(tenant, 'customers')).toHaveLength(FILES + 1);
    }
  }
});

it('ends a replay, whatever call of the database its planning is killed at, in the same way (D-55)', async () => {
  const { tenant, bucket } = await lab().openShop();
  const put = (n: number, ...rows: object[]) => bucket.put(`customers-${n}.ndjson`, ndjson(rows));
  for (const n of [1, 2, 3]) put(n, { Email: 'no e-mail' });
  const { runId } = await lab().run(tenant, bucket);
  for (const n of [1, 2, 3]) put(n, ...customers(n, n));
  for (let round = 0; ; round += 1) {
    const killAt = round * KILL_EVERY;
    const { dying, store, planUntilKilled } = aMortalProcess();
    const replay = await lab().startReplay(runId, { overrides: { store } });
    replay.waiting.push(replay.trigger);
    dying.killAt = killAt;
    if (!(await planUntilKilled(replay))) {
      expect(killAt).toBeGreaterThan(20);
      return;
    }
    if (round % 2 === 0) replay.waiting.splice(0);
    await replay.resume();
    await replay.resume();
    await replay.deliverAll(round % 4 < 2 ? undefined : newestFirst);
    const { status, files, rows, error } = await replay.shown();
    const expected = { status: 'succeeded', files: finished(3), rows: stored(3), error: null };
    expect({ killAt, status, files, rows, error }).toEqual({ killAt, ...expected });
  }
});

it.each([
  ['its run was cancelled', ({ cancel }: { cancel: () => Promise<unknown> }) => cancel()],
  ['its bucket can no longer be listed', ({ deny }: { deny: () => unknown }) => deny()],
  ['its files have been read', ({ finish }: { finish: () => Promise<unknown> }) => finish()],
])(
  'publishes what it has put into a lane for another run, though %s before it comes again (R-371)',
  async (_, happen) => {
    const { tenant, bucket } = await lab().openShop();
    const { operator } = lab();
    let isAway = false;
    const startIn = async (folder: string) => {
      bucket.put(`${folder}customers.ndjson`, ndjson(customers(1, 1)));
      const publisher: EventPublisher = {
        async publish(_topic, event) {
          await Promise.resolve();
          if (isAway) throw new Error('Pub/Sub is away.');
          started.publish(event);
        },
      };
      const overrides = { tenantConcurrency: 1, publisher };
      const started: StartedRun = lab().start(tenant, bucket, { folders: [folder], overrides });
      await started.deliver(started.trigger);
      const { runId } = await started.shown();
      const cancel = () => cancelRun(runId, operator.deadline(), operator);
      return { started, runId, cancel, plan: started.waiting.shift()! };
    };
    const first = await startIn('first/');
    await first.started.deliver(first.plan);
    const waits = await startIn('waits/');
    await waits.started.deliver(waits.plan);
    await first.cancel();
    const later = await startIn('later/');
    isAway = true;
    await expect(later.started.deliver(later.plan)).rejects.toThrow('Pub/Sub is away.');
    isAway = false;
    const { store, deadline } = operator;
    const finish = async () => {
      const [file] = await store.list(runFilesPath(later.runId), { limit: 2 }, deadline());
      await store.commit([{ set: file!.path, data: { ...file!.data, status: 'finished' } }], deadline());
    };
    await happen({ cancel: later.cancel, deny: () => bucket.denyAccess(), finish });
    await later.started.deliver(later.plan);
    const published = later.started.waiting.map(({ event }) => event);
    expect(published).toContainEqual(expect.objectContaining({ step: 'unit', runId: waits.runId }));
  },
);

it('hands out only what is still to be read when a page is planned again', async () => {
  const { started } = await startPlanning();
  const plan = started.waiting.shift()!;
  await started.deliver(plan);
  const first = started.waiting.map(({ event }) => isPlan(event));
  expect(first).toEqual([false, false, false, true]);
  await started.deliver(started.waiting.shift()!);
  await started.deliver(plan);
  const again = started.waiting.slice(first.length - 1).map(({ event }) => isPlan(event));
  expect(again).toEqual([false, false, true]);
  await started.deliverAll();
  expect(await started.shown()).toMatchObject({ status: 'succeeded', files: finished(FILES), rows: stored(FILES) });
});

it('gives files positions behind those of the pages and folders before, but for what is not read (R-370)', async () => {
  const { tenant, bucket } = await lab().openShop();
  const folders = ['a/', 'b/'];
  for (const folder of folders) {
    for (let n = 1; n <= PLAN_PAGE_OBJECTS; n += 1) bucket.put(`${folder}1-notes-${n}.txt`, 'of nothing');
    for (let n = 1; n <= FILES; n += 1) bucket.put(`${folder}customers-${n}.ndjson`, ndjson(customers(n, n)));
  }
  const started = lab().start(tenant, bucket, { folders });
  await started.deliver(started.trigger);
  const plan = started.waiting.filter(({ event }) => isPlan(event));
  for (let next = plan.pop(); next; next = plan.pop()) {
    await started.deliver(next);
    plan.push(...started.waiting.splice(0).filter(({ event }) => isPlan(event)));
  }
  expect(await positionsOf((await started.shown()).runId, lab().operator)).toEqual(
    folders.flatMap((folder, before) =>
      [1, 2, 3, 4, 5, 6, 7].map((n, index) => [before * FILES + index, `${folder}customers-${n}.ndjson`]),
    ),
  );
});
