/** A preview says what the historical run right after it does, for drawn shops. */
import type { RecordKind } from '../../shared/domain/identity';
import type { TenantOptions } from '../../shared/operations/tenants';
import { FAULTS_SEED, ofTier } from '../faults/tier';
import { snapshotOf } from '../support/database-snapshot';
import { encodeRecords } from '../support/file-formats';
import { SeededRandom } from '../support/seeded-random';
import { item, order, product, useDatedFiles } from './dated-files';

/** So that files are read one after the other, as their messages are delivered, and rows are stale in both or none. */
jest.mock<object>('../../shared/limits/transfers', () => ({
  ...jest.requireActual<object>('../../shared/limits/transfers'),
  UNIT_FILES: 1,
}));

const { lab, hoursAgo, afterwards, api, deleteBy } = useDatedFiles();

const SHOPS = ofTier(6, 60);
const IDS = ['a', 'b', 'c', 'd'];
const FORMATS = ['ndjson', 'json', 'csv'] as const;
const TENANTS: readonly TenantOptions[] = [{}, { customerIdentifier: 'customerid' }, { productIdentifier: 'sku' }];

/** Draws records, rows and deletions that meet each other. */
class Draws {
  constructor(private readonly random: SeededRandom) {}

  oneOf<T>(values: readonly T[]): T {
    return values[Math.floor(this.random.fraction() * values.length)]!;
  }

  chance(probability: number): boolean {
    return this.random.fraction() < probability;
  }

  many<T>(most: number, draw: () => T): T[] {
    return Array.from({ length: Math.floor(this.random.fraction() * (most + 1)) }, draw);
  }

  record(kind: RecordKind): object {
    const id = this.oneOf(IDS);
    const own = {
      Name: this.oneOf(IDS),
      EmailOptin: this.chance(0.5),
      ...(this.chance(0.5) && { SmsOptin: this.chance(0.5) }),
    };
    if (kind === 'products') return product(id, [id, ...this.many(2, () => this.oneOf(IDS))].filter(isFirst), { ProductName: this.oneOf(IDS) }); // prettier-ignore
    if (kind === 'orders') return order(id, { TotalRevenue: this.oneOf([1, 2]), OrderItems: this.many(2, () => item(this.oneOf(IDS))).filter(isFirstItem) }); // prettier-ignore
    return { ...own, ...this.customer(id) };
  }

  private customer(id: string): object {
    const email = { Email: `${this.oneOf(IDS)}@x.com` };
    return this.oneOf([{ CustomerId: id }, { Email: `${id}@x.com` }, { CustomerId: id, ...email }]);
  }

  row(kind: RecordKind, times: readonly Date[]): object {
    const time = this.oneOf(times).toISOString();
    if (this.chance(0.05)) return { Email: 1, ProductId: 1, OrderId: 1 };
    if (this.chance(0.7)) return { ...this.record(kind), ...(this.chance(0.3) && { UpdatedAt: time }) };
    const id = this.oneOf(IDS);
    const DeletedAt = time;
    if (kind === 'customers') return { ...this.customer(id), DeletedAt };
    if (kind === 'orders') return { OrderId: id, ...(this.chance(0.5) && { Sku: this.oneOf(IDS) }), DeletedAt };
    return { ProductId: id, ...(this.chance(0.5) && { VariantId: `v-${this.oneOf(IDS)}` }), DeletedAt };
  }
}

const isFirst = (value: string, index: number, values: readonly string[]) => values.indexOf(value) === index;
const isFirstItem = ({ Sku }: { Sku: string }, index: number, items: readonly { Sku: string }[]) =>
  items.findIndex((each) => each.Sku === Sku) === index;

it('says what the run right after it does, and changes nothing, whatever is stored, deleted and in the files (R-94)', async () => {
  const { store, deadline } = lab().operator;
  for (let shopNumber = 0; shopNumber < SHOPS; shopNumber += 1) {
    const seed = `preview ${FAULTS_SEED} ${shopNumber}`;
    const draws = new Draws(new SeededRandom(seed));
    const shop = await lab().openShop(TENANTS[shopNumber % TENANTS.length]);
    for (const kind of ['customers', 'products', 'orders'] as const) {
      for (const batch of draws.many(3, () => draws.many(4, () => draws.record(kind)))) await api(shop, kind, batch);
    }
    const times = [hoursAgo(2), await afterwards()];
    for (const id of draws.many(3, () => draws.oneOf(IDS))) {
      const targets = [
        { type: 'customer', customerId: null, email: `${id}@x.com` },
        { type: 'product', productId: id },
        { type: 'order', orderId: id },
      ] as const;
      await deleteBy(shop, draws.oneOf(targets), draws.oneOf(['applied', 'pending'] as const));
    }
    times.push(await afterwards());
    for (const n of [1, 2, 3, 4]) {
      const kind = draws.oneOf(['customers', 'products', 'orders'] as const);
      const rows = draws.many(12, () => draws.row(kind, times));
      const format = draws.oneOf(FORMATS);
      shop.bucket.put(
        `${n}/${kind}.${format}`,
        encodeRecords(rows, format),
        draws.oneOf([hoursAgo(1), new Date(times[2]!)]),
      );
    }
    const before = await snapshotOf(store, deadline);
    const previewed = await lab().run(shop.tenant, shop.bucket, { kind: 'preview' });
    const [after, report] = [await snapshotOf(store, deadline, previewed.runId), await lab().report(previewed.runId)];
    const run = await lab().run(shop.tenant, shop.bucket, { kind: 'historical' });
    const outcomeOf = ({ status, files, rows, changes, ignoredFields, error }: typeof run) => ({ status, files, rows, changes, ignoredFields, error }); // prettier-ignore
    expect({ seed, ...outcomeOf(previewed), report }).toEqual({
      seed,
      ...outcomeOf(run),
      report: await lab().report(run.runId),
    });
    expect({ seed, after }).toEqual({ seed, after: before });
  }
});
