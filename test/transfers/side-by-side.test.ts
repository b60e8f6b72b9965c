/** Two slices of a file whose commits are under way at the same time: as exact as one after the other (D-55, R-15). */
import { Readable } from 'node:stream';
import type { DocumentStore } from '../../shared/documents/document-store';
import { runFileFencePath } from '../../shared/documents/paths';
import { FILE_SLICE_ROWS } from '../../shared/domain/limits';
import type { ObjectStorage } from '../../shared/transfers/object-storage';
import { AccessDenied } from '../../shared/transfers/object-storage';
import type { FileStep } from '../../shared/transfers/steps';
import { ofTier } from '../faults/tier';
import { upsert } from '../support/api-writes';
import { encodeRecords } from '../support/file-formats';
import { ObservedDocumentStore } from '../support/observed-document-store';
import { overriding, withMethods } from '../support/overriding';
import type { Shop } from '../support/transfer-lab';
import { useTransferLab } from '../support/transfer-lab';

const lab = useTransferLab();

type Customer = Readonly<Record<string, unknown>> & { readonly CustomerId: string };

const customer = (n: number, more: object = {}): Customer => ({ CustomerId: `c${n}`, Name: `Name ${n}`, ...more });
const customers = (count: number) => Array.from({ length: count }, (_, n) => customer(n));
const allStored = (count: number) => ({ read: count, stored: count, invalid: 0, stale: 0 });

/** A shop with a file of these customers, which was written an hour ago. */
async function openShop(rows: readonly Customer[]): Promise<Shop> {
  const shop = await lab().openShop();
  const anHourAgo = new Date(lab().operator.clock.nowMs() - 3_600_000);
  shop.bucket.put('customers.ndjson', encodeRecords(rows, 'ndjson'), anHourAgo);
  return shop;
}

async function namesOf({ tenant }: Shop): Promise<Map<string, unknown>> {
  const records = (await lab().records(tenant, 'customers')) as Customer[];
  return new Map(records.map(({ CustomerId, Name }) => [CustomerId, Name]));
}

type Around = (writes: Parameters<DocumentStore['commit']>[0], commit: () => Promise<unknown>) => Promise<unknown>;

const holdsCustomers = (writes: Parameters<Around>[0]) =>
  writes.some((write) => 'set' in write && write.set.includes('/customers/'));

/** The lab's store, whose commits of slices a test makes: before, after or in place of its own. */
function storing(around: Around): DocumentStore {
  return withMethods(lab().operator.store, (method, name) => (...args) => {
    const writes = args[0] as Parameters<Around>[0];
    return name === 'commit' && holdsCustomers(writes) ? around(writes, () => method(...args)) : method(...args);
  });
}

/** Reads a file, and tells how many customers there were in each commit and in those that were under way with it. */
async function commitsOf(rows: readonly Customer[]) {
  const shop = await openShop(rows);
  const commits: { readonly customers: number; beside: number }[] = [];
  const underWay = new Set<{ readonly customers: number; beside: number }>();
  const store = storing(async (writes, commit) => {
    const own = {
      customers: writes.filter((write) => 'set' in write && write.set.includes('/customers/')).length,
      beside: [...underWay].reduce((sum, other) => sum + other.customers, 0),
    };
    for (const other of underWay) other.beside += own.customers;
    commits.push(own);
    underWay.add(own);
    const outcome = await commit();
    underWay.delete(own);
    return outcome;
  });
  const { rows: counts } = await lab().run(shop.tenant, shop.bucket, { overrides: { store } });
  return { shop, counts, commits };
}

const S = FILE_SLICE_ROWS;

describe('the slices of a chunk (R-15)', () => {
  it('are under way at once from the second chunk on, two at a time', async () => {
    const { counts, commits } = await commitsOf(customers(4 * S + 10));
    expect(counts).toEqual(allStored(4 * S + 10));
    expect(commits).toEqual([
      { customers: S, beside: 0 }, // takes the fence
      { customers: S, beside: 0 },
      { customers: S, beside: S },
      { customers: S, beside: S },
      { customers: 10, beside: 0 },
    ]);
  });

  it('are looked for in the database only in the first slice, where that finds nothing', async () => {
    const { tenant, bucket } = await openShop(customers(5 * S));
    const store = new ObservedDocumentStore(lab().operator.store);
    await lab().run(tenant, bucket, { overrides: { store } });
    const read = store.reads.flatMap(({ paths }) => paths).filter((path) => path.includes('/customers/'));
    expect(read).toHaveLength(S);
  });

  const chunk = (place: number) => Array.from({ length: 2 * S }, (_, n) => customer(place * 2 * S + n));
  it.each<[string, readonly Customer[], object]>([
    [
      'share a customer',
      [...chunk(0), ...chunk(1).with(S + 5, customer(2 * S + 5, { Name: 'Last' }))],
      { stored: 4 * S, stale: 0, invalid: 0 },
    ],
    [
      'hold one twice',
      [...chunk(0), ...chunk(1).with(S + 5, customer(3 * S + 6, { UpdatedAt: '2020-01-01T00:00:00Z' }))],
      { stored: 4 * S, stale: 0, invalid: 0 },
    ],
    [
      'hold a bad row',
      [...chunk(0), ...chunk(1).with(S + 5, customer(3 * S + 5, { EmailOptin: 'perhaps' }))],
      { stored: 4 * S - 1, stale: 0, invalid: 1 },
    ],
  ])('are stored one after the other where they %s', async (_why, rows, expected) => {
    const { shop, counts, commits } = await commitsOf(rows);
    expect(counts).toEqual({ read: 4 * S, ...expected });
    expect(commits.map(({ beside }) => beside)).toEqual([0, 0, 0, 0]);
    const good = rows.filter(({ EmailOptin }) => EmailOptin !== 'perhaps');
    expect(await namesOf(shop)).toEqual(new Map(good.map(({ CustomerId, Name }) => [CustomerId, Name])));
  });

  it('are read again and stored one after the other where somebody writes one of their records', async () => {
    const rows = customers(4 * S);
    const shop = await openShop(rows);
    let commits = 0;
    const store = storing(async (_writes, commit) => {
      if ((commits += 1) === 3) {
        await upsert(shop.tenant, 'customers', [customer(3 * S + 5, { Name: 'Newer' })], lab().operator);
      }
      return commit();
    });
    const { rows: counts } = await lab().run(shop.tenant, shop.bucket, { overrides: { store } });
    expect(counts).toEqual({ read: 4 * S, stored: 4 * S - 1, invalid: 0, stale: 1 });
    expect((await namesOf(shop)).get(`c${3 * S + 5}`)).toBe('Newer');
  });

  it('report a record that outgrows its document, which is found only when it is placed', async () => {
    const small = Array.from({ length: 3 * S + 50 }, (_, n) => ({ ProductId: `p${n}`, ProductVariants: [] }));
    const Url = `https://x.com/${'x'.repeat(1_900)}`;
    const large = Array.from({ length: 600 }, (_, n) => ({ VariantId: `v${n}`, Sku: `s${n}`, Url }));
    const { tenant, bucket } = await lab().openShop();
    const rows = [...small, { ProductId: 'large', ProductVariants: large }];
    bucket.put('products.ndjson', encodeRecords(rows, 'ndjson'));
    const run = await lab().run(tenant, bucket);
    expect(run.rows).toEqual({ read: rows.length, stored: small.length, invalid: 1, stale: 0 });
    expect((await lab().report(run.runId)).map(({ line }) => line)).toEqual([rows.length]);
  });

  it('are counted where access is denied before they are recorded (D-56)', async () => {
    const rows = customers(6 * S);
    const shop = await openShop(rows);
    function* firstRows() {
      yield Buffer.from(encodeRecords(rows.slice(0, 4 * S), 'ndjson'));
      throw new AccessDenied(shop.bucket.name);
    }
    const cut = overriding<ObjectStorage>(lab().storage, { read: () => Readable.from(firstRows()) });
    const run = await lab().run(shop.tenant, shop.bucket, { overrides: { storage: cut } });
    expect(run).toMatchObject({ status: 'failed', rows: allStored(4 * S) });
    expect((await namesOf(shop)).size).toBe(4 * S);
  });

  it.each([
    ['at once', 0],
    ['though the answer is lost', 1],
  ])('are recorded before a unit of work hands the file over, %s, so that none is stored again', async (_, losses) => {
    const shop = await openShop(customers(4 * S + 10));
    const { clock } = lab().operator;
    let commits = 0;
    let lost = 0;
    const store = withMethods(lab().operator.store, (method, name) => async (...args) => {
      const outcome = await method(...args);
      if (name !== 'commit') return outcome;
      const writes = args[0] as Parameters<Around>[0];
      if (holdsCustomers(writes)) commits += 1;
      else if (commits === 4 && lost < losses) return (lost += 1) && method(...args); // as the adapter does
      return outcome;
    });
    const jumping = { ...clock, nowMs: () => clock.nowMs() + (commits >= 4 ? 300_000 : 0) };
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

/** What becomes of the commit at which a process dies, and of the one that is under way beside it. */
type Death = 'nothing is stored' | 'it is stored' | 'only the other one is stored';

describe('a process that dies at a commit', () => {
  const COUNT = 4 * S + 10;
  /** Of five slices and the end of the file; the third and the fourth are under way at once. */
  const PLACES = ofTier([3, 4], [1, 2, 3, 4, 5, 6]);

  it.each<Death>(['nothing is stored', 'it is stored', 'only the other one is stored'])(
    'loses nothing and counts nothing twice: %s',
    async (death) => {
      for (const place of PLACES) {
        const rows = customers(COUNT);
        const shop = await openShop(rows);
        let commits = 0;
        let isDead = false;
        const dying = withMethods(lab().operator.store, (method, name) => async (...args) => {
          if (isDead) throw new Error('The process is dead.');
          if (name !== 'commit' || (commits += 1) !== place) return method(...args);
          if (death === 'nothing is stored') isDead = true;
          else setImmediate(() => (isDead = true)); // after the commit that is begun at the same time
          if (death === 'it is stored') await method(...args);
          throw new Error('The process dies.');
        });
        const started = lab().start(shop.tenant, shop.bucket);
        await started.deliver(started.trigger); // plans the run
        const step = await untilFileStep(started);
        const dead = lab().start(shop.tenant, shop.bucket, { overrides: { store: dying } });
        await expect(dead.deliver(step)).rejects.toThrow(/dead|dies/);
        expect({ place, commits: commits >= place }).toEqual({ place, commits: true });
        await started.deliver(step);
        await started.deliverAll();
        const { rows: counts, status } = await started.shown();
        expect({ death, place, status, counts }).toEqual({
          death,
          place,
          status: 'succeeded',
          counts: allStored(COUNT),
        });
        expect((await namesOf(shop)).size).toBe(COUNT);
      }
    },
  );
});

/** Delivers what waits until the step that reads the file does, and takes that out. */
async function untilFileStep(started: ReturnType<ReturnType<typeof lab>['start']>) {
  for (;;) {
    const message = started.waiting.shift();
    if (!message) throw new Error('No file is read.');
    if ('fileId' in message.event) return message;
    await started.deliver(message);
  }
}

describe('a worker that stands still while another one reads the file to its end', () => {
  it('stores nothing of an earlier row over a later one, whenever it goes on', async () => {
    // The last row changes a customer of the third chunk, in the slice that is stored beside another one.
    const rows = [...customers(6 * S), customer(5 * S + 5, { Name: 'Last' })];
    const shop = await openShop(rows);
    // One of each slice is there already and newer, so that all records are read.
    const there = Array.from({ length: 6 }, (_, slice) => customer(slice * S));
    await upsert(shop.tenant, 'customers', there, lab().operator);
    const started = lab().start(shop.tenant, shop.bucket);
    await started.deliver(started.trigger);
    const step = await untilFileStep(started);

    let goOn: (() => void) | undefined;
    const standing = new Promise<void>((resolve) => (goOn = resolve));
    const seen = { isReading: false, commits: 0 };
    const slow = withMethods(lab().operator.store, (method, name) => async (...args) => {
      // Reads the third chunk's records only when all is over.
      if (name === 'getAll' && seen.commits >= 2) {
        seen.isReading = true;
        await standing;
      }
      const outcome = await method(...args);
      if (name === 'commit') seen.commits += 1;
      return outcome;
    });
    const other = lab().start(shop.tenant, shop.bucket, { overrides: { store: slow } });
    const stalled = other.deliver(step);
    while (!seen.isReading || seen.commits < 4) await lab().operator.clock.sleep(5);
    await started.deliver(step);
    await started.deliverAll();
    const ended = await started.shown();
    goOn?.();
    await stalled;
    expect((await namesOf(shop)).get(`c${5 * S + 5}`)).toBe('Last');
    expect(await started.shown()).toEqual(ended);
    expect(ended.rows).toEqual({ ...allStored(rows.length - 6), read: rows.length, stale: 6 });
  });

  it('cannot go on once another one has recorded progress, be it a single slice', async () => {
    const shop = await openShop(customers(4 * S + 10));
    const started = lab().start(shop.tenant, shop.bucket);
    await started.deliver(started.trigger);
    const step = await untilFileStep(started);
    let commits = 0;
    const dying = withMethods(lab().operator.store, (method, name) => (...args) => {
      if (name === 'commit' && (commits += 1) === 5) throw new Error('The process dies.');
      return method(...args);
    });
    const dead = lab().start(shop.tenant, shop.bucket, { overrides: { store: dying } });
    await expect(dead.deliver(step)).rejects.toThrow('dies');
    const { store, deadline } = lab().operator;
    const { runId, fileId } = step.event as FileStep;
    const fence = () => store.get(runFileFencePath(runId, fileId), deadline());
    const left = await fence();
    await started.deliver(step);
    expect((await fence())?.version).not.toEqual(left!.version);
    expect((await started.shown()).rows).toEqual(allStored(4 * S + 10));
  });
});
