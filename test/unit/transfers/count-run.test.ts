/** The rows of a run among its tenant's usage. */
import { runFilePath, runPath, tenantPath, usagePath } from '../../../shared/documents/paths';
import type { DocumentData } from '../../../shared/domain/records/document';
import { HOUR_MS, NO_USAGE } from '../../../shared/domain/usage';
import { deadlineIn } from '../../../shared/platform/deadline';
import { sumStoppedRun } from '../../../shared/transfers/runs/ended/settle-run';
import { cancelRun, failRun, finishRunIfDone } from '../../../shared/transfers/runs/finish-run';
import { PLANNING_STEP } from '../../../shared/transfers/runs/steps';
import { findUsage } from '../../../shared/usage/find-usage';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { CollectingLogger, RecordingPublisher } from '../../support/recording-fakes';
import { SeededRandom } from '../../support/seeded-random';

const RUN = 'run';
const TENANT = '11111111-1111-4111-8111-111111111111';
const ROWS = { read: 10, stored: 5, invalid: 2, stale: 1, deleted: 2 };
const COUNTED = { ...NO_USAGE, records: 5, rejected: 2, deletions: 2 };

async function aRun({
  rows = ROWS,
  tenant = {},
  ...run
}: { rows?: typeof ROWS; tenant?: DocumentData; isPreview?: true } = {}) {
  const clock = new FixedClock(); // 2026-03-01T12:00:30Z
  const store = new MemoryDocumentStore(clock);
  await store.commit([
    { set: tenantPath(TENANT), data: { organizationId: 'acme', ...tenant } },
    { set: runFilePath(RUN, 'file'), data: { status: 'finished', rows } },
    { set: runPath(RUN), data: { tenantId: TENANT, status: 'running', isPlanned: true, ...run } },
  ]);
  const dependencies = {
    store,
    clock,
    random: new SeededRandom(),
    publisher: new RecordingPublisher(),
    logger: new CollectingLogger(),
  };
  const usage = async () => {
    const from = new Date('2026-03-01T12:00:00Z');
    const range = { from, to: new Date(from.getTime() + HOUR_MS), step: 'hour' } as const;
    return (await findUsage(TENANT, range, store, () => deadlineIn(1_000, clock))).toShown();
  };
  return { store, clock, dependencies, usage };
}

it('are counted in the hour in which it ended, and of no key (R-181)', async () => {
  const { dependencies, usage } = await aRun();
  await finishRunIfDone(RUN, 'file', dependencies);
  expect(await usage()).toMatchObject({ totals: COUNTED, keys: [], routes: [{ route: 'transfers', ...COUNTED }] });
});

it('are counted of a run that fails, too (R-181)', async () => {
  const { dependencies, usage } = await aRun();
  await failRun(RUN, 'file', 'No access.', dependencies);
  expect((await usage()).totals).toEqual(COUNTED);
});

it('are counted once, by their last sums, of a run that is cancelled while files are read (R-181)', async () => {
  const { store, clock, dependencies, usage } = await aRun();
  await cancelRun(RUN, deadlineIn(1_000, clock), dependencies);
  await sumStoppedRun(RUN, PLANNING_STEP, dependencies);
  expect((await usage()).totals).toEqual(COUNTED);
  clock.advance(HOUR_MS / 2);
  const rows = { ...ROWS, read: 13, stored: 8 };
  await store.commit([{ set: runFilePath(RUN, 'file'), data: { status: 'finished', rows } }]);
  await sumStoppedRun(RUN, 'file', dependencies);
  await sumStoppedRun(RUN, 'file', dependencies);
  expect((await usage()).totals).toEqual({ ...COUNTED, records: 8 });
});

it('are counted by the last sums where two steps end a cancelled run at once (R-181)', async () => {
  const { store, clock, dependencies, usage } = await aRun();
  await cancelRun(RUN, deadlineIn(1_000, clock), dependencies);
  const get = store.get.bind(store);
  const read = jest.spyOn(store, 'get').mockImplementation(async (path) => {
    if (path !== tenantPath(TENANT)) return get(path);
    read.mockRestore(); // the first step has its sums, and not counted them yet
    await store.commit([
      { set: runFilePath(RUN, 'file'), data: { status: 'finished', rows: { ...ROWS, read: 13, stored: 8 } } },
    ]);
    await sumStoppedRun(RUN, 'file', dependencies);
    return get(path);
  });
  await sumStoppedRun(RUN, PLANNING_STEP, dependencies);
  expect((await usage()).totals).toEqual({ ...COUNTED, records: 8 });
});

it.each([
  ['a preview, which stores nothing', { isPreview: true as const }],
  ['a run that has changed nothing', { rows: { read: 3, stored: 0, invalid: 0, stale: 3, deleted: 0 } }],
  ['a tenant that is being erased', { tenant: { erasingSince: new Date(0) } }],
])('are not counted of %s (R-181)', async (_, options) => {
  const { store, dependencies } = await aRun(options);
  await finishRunIfDone(RUN, 'file', dependencies);
  expect(await store.list(usagePath(TENANT), { limit: 1 })).toEqual([]);
});
