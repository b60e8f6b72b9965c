/** Runs that are cancelled: nothing more of them is read, and what is stored stays and is counted. */
import { systemClock } from '../../shared/platform/clock';
import { cancelRun } from '../../shared/transfers/runs/finish-run';
import { firstStep } from '../../shared/transfers/runs/resume-run';
import { STOP_POLL_MS } from '../../shared/limits/transfers';
import { changingCommits, overriding } from '../support/overriding';
import type { RunOptions, Shop, StartedRun } from '../support/transfer-lab';
import { changesDto, NO_CONSENTS } from '../support/stored-run';
import { useTransferLab } from '../support/transfer-lab';
import { customers, finished, KNOWN_BY_ID, ndjson, noFiles, stored } from './numbered-customers';

/** So that each file has a message of its own, as large ones have. */
jest.mock<object>('../../shared/limits/transfers', () => ({
  ...jest.requireActual<object>('../../shared/limits/transfers'),
  UNIT_FILES: 1,
}));

const lab = useTransferLab();
const customersOf = ({ tenant }: Shop) => lab().records(tenant, 'customers');

/** Cancels a run as the route does. */
async function cancel(started: StartedRun): Promise<void> {
  const { runId } = await started.shown();
  const { operator } = lab();
  expect(await cancelRun(runId, operator.deadline(), operator)).toBe(true);
  started.publish(firstStep(runId, {}));
}

it('a file that is being read ends within moments, and the next run reads it as a whole (R-80)', async () => {
  const shop = await lab().openShop(KNOWN_BY_ID);
  shop.bucket.put('customers.ndjson', ndjson(customers(1, 8_000)));
  const { store } = lab().operator;
  let jumpMs = 0;
  let commits = 0;
  const overrides: RunOptions['overrides'] = {
    clock: overriding(systemClock, { nowMs: () => systemClock.nowMs() + jumpMs }),
    store: overriding(store, {
      commit: async (writes, deadline) => {
        const outcome = await store.commit(writes, deadline);
        if (!writes.some((write) => 'set' in write && write.set.includes('/customers/'))) return outcome;
        commits += 1;
        if (commits === 3) {
          await cancel(started);
          jumpMs = STOP_POLL_MS; // the step looks again
        }
        return outcome;
      },
    }),
  };
  const started = lab().start(shop.tenant, shop.bucket, { overrides });
  started.waiting.push(started.trigger);
  await started.deliverAll();
  const { status, files, rows, changes, error, finishedAt } = await started.shown();
  expect({ status, files, error }).toEqual({ status: 'cancelled', files: { ...noFiles, found: 1 }, error: null });
  expect(finishedAt).not.toBeNull();
  expect(rows.read).toBeGreaterThan(800);
  expect(rows.read).toBeLessThan(8_000);
  expect(rows).toEqual(stored(rows.read));
  const granted = (count: number) => ({ EmailOptin: { ...NO_CONSENTS, Granted: count } });
  const grantedFirst = Math.floor(rows.read / 2); // by every other customer
  expect(changes).toEqual(changesDto({ Created: rows.read }, granted(grantedFirst)));
  expect(await customersOf(shop)).toHaveLength(rows.read);

  const next = await lab().run(shop.tenant, shop.bucket);
  expect(next).toMatchObject({ status: 'succeeded', files: finished(1), rows: { read: 8_000 } });
  const read = { Created: 8_000 - rows.read, Unchanged: rows.read };
  expect(next.changes).toEqual(changesDto(read, granted(4_000 - grantedFirst)));
});

it('files that wait are not read, and a repeated or late message changes nothing (R-80)', async () => {
  const shop = await lab().openShop();
  for (const name of ['customers-1.ndjson', 'customers-2.ndjson']) shop.bucket.put(name, ndjson(customers(1, 10)));
  const started = lab().start(shop.tenant, shop.bucket);
  await started.deliver(started.trigger);
  const [plan] = started.waiting.splice(0);
  await started.deliver(plan!);
  const fileSteps = [...started.waiting];
  expect(fileSteps).toHaveLength(2);
  await cancel(started);
  await started.deliverAll();
  const ended = await started.shown();
  expect(ended).toMatchObject({ status: 'cancelled', files: { ...noFiles, found: 2 }, rows: stored(0) });
  for (const message of [started.trigger, plan!, ...fileSteps]) await started.deliver(message);
  await started.deliverAll();
  expect(await started.shown()).toEqual(ended);
  expect(await customersOf(shop)).toEqual([]);
});

describe('a file that ends after the first sums of its cancelled run', () => {
  /** Cancels and sums a run just before its file ends. @param dies whether the worker dies once the file has ended */
  async function endAfterSums(dies: boolean) {
    const shop = await lab().openShop();
    shop.bucket.put('customers.ndjson', ndjson(customers(1, 3)));
    let hasEnded = false;
    const store = changingCommits(lab().operator.store, async (commit, writes) => {
      const endsFile = writes.some(
        (write) => 'data' in write && 'object' in write.data && write.data.status !== 'pending',
      );
      if (!endsFile || hasEnded) return commit();
      hasEnded = true;
      await cancel(started);
      await started.deliver(started.waiting.pop()!);
      expect(await started.shown()).toMatchObject({ status: 'cancelled', files: { found: 1, finished: 0 } });
      const outcome = await commit();
      if (dies) throw new Error('The process died.');
      return outcome;
    });
    const started = lab().start(shop.tenant, shop.bucket, { overrides: { store } });
    started.waiting.push(started.trigger);
    return started;
  }

  it('is summed by its step (R-80)', async () => {
    const started = await endAfterSums(false);
    await started.deliverAll();
    expect(await started.shown()).toMatchObject({ status: 'cancelled', files: finished(1), rows: stored(3) });
  });

  it('is summed by the next delivery when its worker dies (R-80)', async () => {
    const started = await endAfterSums(true);
    for (const _ of ['trigger', 'plan']) await started.deliver(started.waiting.shift()!);
    const [file] = started.waiting;
    await expect(started.deliver(file!)).rejects.toThrow('died');
    await started.deliverAll();
    expect(await started.shown()).toMatchObject({ status: 'cancelled', files: finished(1), rows: stored(3) });
  });
});

it('a run that has ended is not cancelled any more (R-80)', async () => {
  const shop = await lab().openShop();
  shop.bucket.put('customers.ndjson', ndjson(customers(1, 3)));
  const { runId } = await lab().run(shop.tenant, shop.bucket);
  const { operator } = lab();
  expect(await cancelRun(runId, operator.deadline(), operator)).toBe(false);
});
