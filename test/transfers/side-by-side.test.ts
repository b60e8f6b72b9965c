/** Slices of a file whose commits are under way at the same time: as exact as one after the other (D-55, R-15). */
import { Readable } from 'node:stream';
import { REQUEST_DEADLINE_MS } from '../../shared/domain/limits';
import type { TenantOptions } from '../../shared/operations/tenants';
import type { ObjectStorage } from '../../shared/transfers/object-storage';
import { AccessDenied } from '../../shared/transfers/object-storage';
import { upsert } from '../support/api-writes';
import { changesDto } from '../support/stored-run';
import { encodeRecords } from '../support/file-formats';
import { ObservedDocumentStore } from '../support/observed-document-store';
import { overriding, withMethods } from '../support/overriding';
import { useTransferLab } from '../support/transfer-lab';
import type { Customer, Writes } from './slices-of-customers';
import {
  allStored,
  customer,
  customers,
  holding,
  holdsCustomer,
  holdsCustomers,
  namesOf,
  openShop,
  S,
  startAtFile,
  storing,
  untilFileStep,
} from './slices-of-customers';

const lab = useTransferLab();

/**
 * Reads a file, and tells which commits of slices, from 0, were under way when each of them began. Those of `held` are
 * not over before the next one has begun.
 */
async function commitsOf(rows: readonly Customer[], held: readonly number[] = [], options?: TenantOptions) {
  const shop = await openShop(lab(), rows, options);
  const besides: number[][] = [];
  const underWay = new Set<number>();
  const waiting = new Map<number, () => void>();
  const store = storing(lab(), async (_writes, commit) => {
    const index = besides.length;
    besides.push([...underWay]);
    underWay.add(index);
    waiting.get(index - 1)?.();
    const next = held.includes(index) ? new Promise<void>((resolve) => waiting.set(index, resolve)) : undefined;
    const outcome = await commit();
    await next;
    underWay.delete(index);
    return outcome;
  });
  const { rows: counts } = await lab().run(shop.tenant, shop.bucket, { overrides: { store } });
  return { shop, counts, besides };
}

describe('the slices of a file (R-15)', () => {
  it.each(['customerid', 'email'] as const)(
    'are under way two at a time from the second on, each from when the last but one is stored (priority %s)',
    async (customerIdentifier) => {
      const { counts, besides } = await commitsOf(customers(7 * S + 10), [1, 2, 3, 4, 5, 6], { customerIdentifier });
      expect(counts).toEqual(allStored(7 * S + 10));
      expect(besides).toEqual([[], [], [1], [2], [3], [4], [5], [6]]); // the first one takes the leases
    },
  );

  it('are looked for in the database only in the first slice, where that finds nothing', async () => {
    const { tenant, bucket } = await openShop(lab(), customers(5 * S));
    const store = new ObservedDocumentStore(lab().operator.store);
    await lab().run(tenant, bucket, { overrides: { store } });
    const read = store.reads.flatMap(({ paths }) => paths).filter((path) => path.includes('/customers/'));
    expect(read).toHaveLength(S);
  });

  it.each<[string, number, Customer, object]>([
    ['share a customer with the one before', 4 * S + 5, customer(3 * S + 5, { Name: 'Last' }), { stored: 6 * S }],
    [
      'share one with the fourth before, which may not be recorded yet',
      4 * S + 5,
      customer(5, { Name: 'Last' }),
      { stored: 6 * S },
    ],
    [
      'hold one twice',
      4 * S + 5,
      customer(4 * S + 6, { UpdatedAt: '2020-01-01T00:00:00Z', Name: 'First' }),
      { stored: 6 * S },
    ],
    ['hold a bad row', 4 * S + 5, customer(4 * S + 5, { EmailOptin: 'perhaps' }), { stored: 6 * S - 1, invalid: 1 }],
  ])('wait for those before where they %s', async (_why, index, row, expected) => {
    const rows = customers(6 * S).with(index, row);
    const { shop, counts, besides } = await commitsOf(rows, [2]);
    expect(counts).toEqual({ read: 6 * S, invalid: 0, stale: 0, deleted: 0, ...expected });
    expect(besides).toHaveLength(6);
    expect(besides[3]).toEqual([2]);
    expect(besides[4]).toEqual([]);
    const good = rows.filter(({ EmailOptin }) => EmailOptin !== 'perhaps');
    expect(await namesOf(lab(), shop)).toEqual(new Map(good.map(({ CustomerId, Name }) => [CustomerId, Name])));
  });

  it('wait for one that holds a bad row: what is left of the report depends on it', async () => {
    const rows = customers(6 * S).with(4 * S + 5, customer(4 * S + 5, { EmailOptin: 'perhaps' }));
    const { counts, besides } = await commitsOf(rows);
    expect(counts).toEqual({ ...allStored(6 * S - 1), read: 6 * S, invalid: 1 });
    expect(besides).toHaveLength(6);
    expect(besides[5]).toEqual([]);
  });

  it.each([[[2]], [[3]], [[4]], [[5]], [[2, 3]], [[3, 4]], [[4, 5]]])(
    'are read again where somebody writes one of their records, be it of slices %j',
    async (slices) => {
      const shop = await openShop(lab(), customers(6 * S));
      const mine = slices.map((index) => index * S + 5);
      let written: Promise<unknown> | undefined;
      const store = storing(lab(), async (writes, commit) => {
        if (mine.some((n) => holdsCustomer(writes, n))) {
          const newer = mine.map((n) => customer(n, { Name: 'Newer' }));
          await (written ??= upsert(shop.tenant, 'customers', newer, lab().operator));
        }
        return commit();
      });
      const { rows: counts } = await lab().run(shop.tenant, shop.bucket, { overrides: { store } });
      const stale = mine.length;
      expect(counts).toEqual({ read: 6 * S, stored: 6 * S - stale, invalid: 0, stale, deleted: 0 });
      const names = await namesOf(lab(), shop);
      expect(names.size).toBe(6 * S);
      expect(mine.map((n) => names.get(`c${n}`))).toEqual(mine.map(() => 'Newer'));
    },
  );

  it.each([2, 3, 4, 5, 6])('are counted once where the answer to slice %d is lost (R-88)', async (index) => {
    const shop = await openShop(lab(), customers(10 * S));
    let isLost = false;
    let begun = 0;
    const store = storing(lab(), async (writes, commit) => {
      begun += 1;
      const outcome = await commit();
      if (isLost || !holdsCustomer(writes, index * S + 5)) return outcome;
      isLost = true;
      return commit(); // as the adapter does, and meets its own
    });
    const { rows: counts, changes } = await lab().run(shop.tenant, shop.bucket, { overrides: { store } });
    expect({ isLost, counts }).toEqual({ isLost: true, counts: allStored(10 * S) });
    expect(changes).toEqual(changesDto({ Created: 10 * S }));
    expect((await namesOf(lab(), shop)).size).toBe(10 * S);
    expect(begun).toBeLessThanOrEqual(10 + 2); // it again, and perhaps once in vain; all others go on as before
  });

  it('have their whole time to read again, however long those before them took', async () => {
    const rows = customers(6 * S).with(4 * S + 5, customer(3 * S + 5, { Name: 'Last' }));
    const shop = await openShop(lab(), rows);
    const { clock } = lab().operator;
    let lateMs = 0;
    let isFirst = true;
    let calls = 0;
    const committing = storing(lab(), async (writes, commit) => {
      if (!isFirst || !holdsCustomer(writes, 3 * S + 6)) return commit();
      isFirst = false;
      // Until the next one is prepared and waits for it: nothing else is asked of the database.
      for (let quiet = 0, before = calls; quiet < 100; quiet = before === calls ? quiet + 1 : 0) {
        before = calls;
        await clock.sleep(20);
      }
      lateMs += REQUEST_DEADLINE_MS;
      return 'conflict';
    });
    const store = withMethods(committing, (method) => async (...args) => {
      calls += 1;
      return method(...args).finally(() => (calls += 1));
    });
    const overrides = { store, clock: { ...clock, nowMs: () => clock.nowMs() + lateMs } };
    const { rows: counts } = await lab().run(shop.tenant, shop.bucket, { overrides });
    expect({ isFirst, counts }).toEqual({ isFirst: false, counts: allStored(6 * S) });
    expect((await namesOf(lab(), shop)).get(`c${3 * S + 5}`)).toBe('Last');
  });

  it('end with the step where one fails, and the other is over first', async () => {
    const { started, step, deliverTo } = await startAtFile(lab(), customers(6 * S));
    const { store, seen } = holding(lab(), (index) =>
      index === 2 ? Promise.reject(new Error('The database is gone.')) : undefined,
    );
    await expect(deliverTo({ store })).rejects.toThrow('The database is gone.');
    expect(seen).toEqual({ begun: 4, ended: 3 });
    await started.deliver(step);
    await started.deliverAll();
    expect((await started.shown()).rows).toEqual(allStored(6 * S));
  });

  it('report a record that outgrows its document, which is found only when it is applied', async () => {
    const small = Array.from({ length: 3 * S + 50 }, (_, n) => ({ ProductId: `p${n}`, ProductVariants: [] }));
    const Url = `https://x.com/${'x'.repeat(1_900)}`;
    const large = Array.from({ length: 600 }, (_, n) => ({ VariantId: `v${n}`, Sku: `s${n}`, Url }));
    const { tenant, bucket } = await lab().openShop();
    const rows = [...small, { ProductId: 'large', ProductVariants: large }];
    bucket.put('products.ndjson', encodeRecords(rows, 'ndjson'));
    const run = await lab().run(tenant, bucket);
    expect(run.rows).toEqual({ read: rows.length, stored: small.length, invalid: 1, stale: 0, deleted: 0 });
    expect((await lab().report(run.runId)).map(({ line }) => line)).toEqual([rows.length]);
  });

  it('are counted where access is denied before they are recorded (D-56)', async () => {
    const rows = customers(6 * S);
    const shop = await openShop(lab(), rows);
    function* firstRows() {
      yield Buffer.from(encodeRecords(rows.slice(0, 4 * S), 'ndjson'));
      throw new AccessDenied(shop.bucket.name);
    }
    const cut = overriding<ObjectStorage>(lab().storage, { read: () => Readable.from(firstRows()) });
    const run = await lab().run(shop.tenant, shop.bucket, { overrides: { storage: cut } });
    expect(run).toMatchObject({ status: 'failed', rows: allStored(4 * S) });
    expect((await namesOf(lab(), shop)).size).toBe(4 * S);
  });

  it.each([
    ['at once', 0],
    ['though the answer is lost', 1],
  ])('are recorded before a step hands the file over, %s, so that none is stored again', async (_, losses) => {
    const shop = await openShop(lab(), customers(4 * S + 10));
    const { clock, deadline } = lab().operator;
    let commits = 0;
    let lost = 0;
    const store = withMethods(lab().operator.store, (method, name) => async (...args) => {
      const call = () => method(...args.with(-1, deadline())); // whatever the clock below says
      const outcome = await call();
      if (name !== 'commit') return outcome;
      const writes = args[0] as Writes;
      if (holdsCustomers(writes)) commits += 1;
      else if (commits === 4 && lost < losses) return (lost += 1) && call(); // as the adapter does
      return outcome;
    });
    const jumping = { ...clock, nowMs: () => clock.nowMs() + (commits >= 3 ? 300_000 : 0) };
    const started = lab().start(shop.tenant, shop.bucket, { overrides: { store, clock: jumping } });
    await started.deliver(started.trigger);
    const step = await untilFileStep(started);
    await started.deliver(step);
    expect(started.waiting.map(({ event }) => event)).toEqual([step.event]);
    expect(lost).toBe(losses);
    await started.deliverAll();
    expect(commits).toBe(5);
    expect((await started.shown()).rows).toEqual(allStored(4 * S + 10));
  });
});
