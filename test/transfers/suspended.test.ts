/** Transfers of a suspended tenant rest: nothing is read or lost, and they go on when it is resumed. */
import { listRuns } from '../../shared/operations/transfers';
import { resumeTenant, suspendTenant } from '../../shared/operations/tenants/suspension';
import type { EventPublisher } from '../../shared/events/event-publisher';
import { drainDeletions } from '../../shared/deletions/apply-deletion';
import { remove, upsert } from '../support/api-writes';
import type { Shop, StartedRun } from '../support/transfer-lab';
import { useTransferLab } from '../support/transfer-lab';
import { customers, ndjson, stored } from './numbered-customers';

const lab = useTransferLab();
const customersOf = ({ tenant }: Shop) => lab().records(tenant, 'customers');
const suspend = ({ tenant }: Shop) => suspendTenant(tenant.tenantId, lab().operator);
const runsOf = ({ tenant }: Shop) => listRuns(tenant.tenantId, lab().operator);

/** Resumes the tenant; what that publishes is delivered to the run. */
async function resume({ tenant }: Shop, started: StartedRun): Promise<void> {
  const publisher: EventPublisher = {
    publish: (_topic, event) => {
      started.publish(event);
      return Promise.resolve();
    },
  };
  const operator = { ...lab().operator, publisher };
  await resumeTenant(tenant.tenantId, operator);
}

/** Delivers what comes, as often as its job fires. */
async function fire(started: StartedRun, times = 1): Promise<void> {
  for (let time = 0; time < times; time += 1) started.publish(started.trigger.event);
  await started.deliverAll();
}

it('start no run: the triggers of a job leave one that rests, which then reads what came meanwhile (R-211)', async () => {
  const shop = await lab().openShop();
  shop.bucket.put('customers-1.ndjson', ndjson(customers(1, 20)));
  const started = lab().start(shop.tenant, shop.bucket);
  await suspend(shop);
  await fire(started, 3);
  expect([await customersOf(shop), started.waiting]).toEqual([[], []]);
  expect(await runsOf(shop)).toMatchObject([{ status: 'running', rows: stored(0) }]);

  shop.bucket.put('customers-2.ndjson', ndjson(customers(21, 30)));
  await resume(shop, started);
  await started.deliverAll();
  expect(await runsOf(shop)).toMatchObject([{ status: 'succeeded', rows: stored(30) }]);
  expect(await customersOf(shop)).toHaveLength(30);
});

it('do not go on: a run that was under way keeps its files and its progress, and ends as it would have (R-211)', async () => {
  const shop = await lab().openShop();
  for (const file of [1, 2, 3]) {
    shop.bucket.put(`customers-${file}.ndjson`, ndjson(customers(file * 1_000, file * 1_000 + 599)));
  }
  const started = lab().start(shop.tenant, shop.bucket, { overrides: { stepSeconds: 1e-9 } }); // hands over each chunk
  await started.deliver(started.trigger);
  await started.deliver(started.waiting.shift()!); // plans
  await started.deliver(started.waiting.shift()!); // reads a chunk of one file
  const before = await customersOf(shop);
  expect(before.length).toBeGreaterThan(0);
  expect(before.length).toBeLessThan(1_800);

  await suspend(shop);
  await started.deliverAll();
  expect(await customersOf(shop)).toHaveLength(before.length);
  expect(await started.shown()).toMatchObject({ status: 'running' });

  await resume(shop, started);
  await started.deliverAll();
  expect(await started.shown()).toMatchObject({ status: 'succeeded', rows: stored(1_800) });
  expect(await customersOf(shop)).toHaveLength(1_800);
});

it('keep a historical run and a replay that were asked for before, and start them then (R-211)', async () => {
  const shop = await lab().openShop();
  shop.bucket.put('customers.ndjson', `${ndjson(customers(1, 5))}{"Email":"no e-mail"}\n`);
  const { runId } = await lab().run(shop.tenant, shop.bucket);
  shop.bucket.put('customers.ndjson', ndjson(customers(1, 6)));
  const historical = lab().start(shop.tenant, shop.bucket, { kind: 'historical' });
  const replay = await lab().startReplay(runId);
  await suspend(shop);
  for (const started of [historical, replay]) {
    started.waiting.push(started.trigger);
    await started.deliverAll();
    expect(await started.shown()).toMatchObject({ status: 'running' });
  }
  await resume(shop, historical); // the steps of both
  await historical.deliverAll();
  expect(await historical.shown()).toMatchObject({ status: 'succeeded', rows: stored(6) });
  expect((await replay.shown()).status).not.toBe('running');
});

it('start when the tenant is resumed while the trigger is handled: no run is left behind (R-211)', async () => {
  const shop = await lab().openShop();
  shop.bucket.put('customers.ndjson', ndjson(customers(1, 3)));
  const { operator } = lab();
  await suspend(shop);
  let isResumed = false;
  /** The tenant is resumed, and its runs are looked for, before the run of the trigger is stored. */
  const store = new Proxy(operator.store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        if (name === 'commit' && !isResumed) {
          isResumed = true;
          await resumeTenant(shop.tenant.tenantId, operator);
        }
        return (method as (...all: unknown[]) => Promise<unknown>).apply(target, args);
      };
    },
  });
  const started = lab().start(shop.tenant, shop.bucket, { overrides: { store } });
  await fire(started);
  expect(isResumed).toBe(true);
  expect(await runsOf(shop)).toMatchObject([{ status: 'succeeded', rows: stored(3) }]);
});

it('leave those of another tenant of the organization alone (R-211)', async () => {
  const shop = await lab().openShop();
  const sister = await lab().createTenant({ organization: shop.tenant.organizationId });
  shop.bucket.put('customers.ndjson', ndjson(customers(1, 4)));
  await suspend(shop);
  expect(await lab().run(sister, shop.bucket)).toMatchObject({ status: 'succeeded', rows: stored(4) });
  expect(await customersOf(shop)).toEqual([]);
});

it('do not keep accepted deletions from being applied (R-212)', async () => {
  const shop = await lab().openShop();
  const { operator } = lab();
  await upsert(shop.tenant, 'customers', [{ Email: 'ann@x.com' }, { Email: 'bob@x.com' }], operator);
  await remove(shop.tenant, { type: 'customer', email: 'ann@x.com', customerId: null }, 'pending', operator);
  await suspend(shop);
  expect(await drainDeletions(shop.tenant, 'customers', operator.deadline(), operator)).toBe(true);
  expect(await customersOf(shop)).toMatchObject([{ Email: 'bob@x.com' }]);
});
