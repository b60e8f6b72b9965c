/**
 * Rows of a file that are applied together do what they do one after the other, whatever is stored and was deleted
 * (D-54, R-11).
 */
import * as fc from 'fast-check';
import { deadlineIn } from '../../../shared/platform/deadline';
import { raiseFlag } from '../../../shared/deletions/pending-flag';
import { recordsPath, skusPath, tombstonesPath } from '../../../shared/documents/paths';
import type { DeletionTarget } from '../../../shared/domain/deletion';
import type { RecordKind } from '../../../shared/domain/identity';
import type { TenantSettings } from '../../../shared/domain/tenant';
import { EventLoopShare } from '../../../shared/platform/async/event-loop-share';
import type { TimedRow } from '../../../shared/transfers/reading/rows/located-row';
import { MergeQueue } from '../../../shared/records/merge-queue';
import { locateRow } from '../../../shared/transfers/reading/rows/located-row';
import type { RowOutcome } from '../../../shared/transfers/reading/rows/row-applier';
import { RowApplier } from '../../../shared/transfers/reading/rows/row-applier';
import { PresencePredictor } from '../../../shared/records/presence-predictor';
import { Workspace } from '../../../shared/workspace/workspace';
import { NO_EXPECTATION } from '../../../shared/transfers/reading/slice';
import { ofTier } from '../../faults/tier';
import { remove, upsert } from '../../support/api-writes';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { SeededRandom } from '../../support/seeded-random';
import { aTenant } from '../support/tenant';

const HISTORIES = ofTier(400, 20_000);
const SECOND_MS = 1_000;

type Drawn<T> = fc.Arbitrary<T>;

/** Something that happens to a shop; it takes a second. */
type Event = { readonly sent: object } | { readonly deleted: DeletionTarget } | { readonly row: DrawnRow };

/** A row of a file that was written so many seconds before the last event, or deletes as of then, or both. */
interface DrawnRow {
  readonly dto: object;
  readonly age: number;
  readonly deletions?: readonly DrawnDeletion[];
  readonly deletesOnly?: true;
}

const NAMES = fc.constantFrom('one', 'two', 'three');
const PRODUCT_IDS = fc.constantFrom('X', 'Y', 'Z');
const ORDER_IDS = fc.constantFrom('X', 'Y');
const SKUS = fc.constantFrom('a', 'b', 'c');

const products = fc.record({
  ProductId: PRODUCT_IDS,
  ProductName: NAMES,
  ProductVariants: fc.array(
    SKUS.map((Sku) => ({ VariantId: `v-${Sku}`, Sku })),
    { maxLength: 2 },
  ),
});
const orders = fc.record({
  OrderId: ORDER_IDS,
  Currency: fc.constant('EUR'),
  OrderItems: fc.array(
    fc.record({
      ProductId: fc.constantFrom('p', 'q'),
      Sku: SKUS,
      Quantity: fc.constantFrom(1, 2),
      Price: fc.constant(1),
    }),
    { maxLength: 2 },
  ),
});
const email: Drawn<string> = fc.constantFrom('a@x.com', 'b@x.com');
const customerId: Drawn<string> = fc.constantFrom('1', '2');
const customers = fc
  .record({ Email: fc.option(email), CustomerId: fc.option(customerId), Name: NAMES }, { requiredKeys: ['Name'] })
  .filter(({ Email, CustomerId }) => [Email, CustomerId].some((id) => typeof id === 'string'));

const recordsOf: Record<RecordKind, Drawn<object>> = { customers, products, orders };
const targetsOf: Record<RecordKind, Drawn<DeletionTarget>> = {
  customers: fc.record({ type: fc.constant('customer' as const), email: fc.option(email, { nil: null }), customerId }),
  products: fc.oneof(
    fc.record({ type: fc.constant('product' as const), productId: PRODUCT_IDS }),
    fc.record({
      type: fc.constant('variant' as const),
      productId: PRODUCT_IDS,
      variantId: SKUS.map((sku) => `v-${sku}`),
    }),
  ),
  orders: fc.oneof(
    fc.record({ type: fc.constant('order' as const), orderId: ORDER_IDS }),
    fc.record({
      type: fc.constant('orderItem' as const),
      orderId: ORDER_IDS,
      productId: fc.option(fc.constantFrom('p', 'q')),
      sku: SKUS,
    }),
  ),
};

interface DrawnDeletion {
  readonly target: DeletionTarget;
  readonly age: number;
}

/** A shop on the store in memory, with everything that a test does to it. */
class Shop {
  private readonly clock = new FixedClock();
  private readonly store = new MemoryDocumentStore(this.clock);
  private readonly tenant;
  private readonly operator;

  constructor(
    private readonly kind: RecordKind,
    settings: Partial<TenantSettings>,
  ) {
    const { clock, store } = this;
    this.tenant = aTenant(settings);
    const deadline = () => deadlineIn(SECOND_MS, clock);
    this.operator = {
      store,
      clock,
      random: new SeededRandom(),
      presencePredictor: new PresencePredictor(),
      mergeQueue: new MergeQueue(),
      deadline,
    };
  }

  async happen(event: Event): Promise<void> {
    const { tenant, kind, operator } = this;
    if ('sent' in event) await upsert(tenant, kind, [event.sent], operator);
    else if ('deleted' in event) await remove(tenant, event.deleted, 'applied', operator);
    else await this.applySlice([this.timed(event.row)]);
    this.clock.advance(SECOND_MS);
  }

  /** At this moment's clock, which stands still while rows are applied. */
  timed({ dto, age, deletions, deletesOnly }: DrawnRow): TimedRow {
    const at = (seconds: number) => new Date(this.clock.nowMs() - seconds * SECOND_MS);
    const timed = deletions?.map((deletion) => ({ target: deletion.target, at: at(deletion.age) }));
    const ordered = timed?.sort((a, b) => a.at.getTime() - b.at.getTime());
    return { dto, at: at(age), ...(ordered && { deletions: ordered }), ...(deletesOnly && { deletesOnly }) };
  }

  async applySlice(timedRows: readonly TimedRow[]): Promise<RowOutcome[]> {
    const { kind, tenant, store, clock, operator } = this;
    const now = new Date(clock.nowMs());
    const context = { tenant, kind, revision: 'revision', uploadedAt: now, now };
    const deadline = operator.deadline();
    await raiseFlag(tenant.tenantId, kind, {}, deadline, operator); // as slices do that delete
    const workspace = new Workspace(store, deadline);
    const rows = timedRows.map((row) => locateRow(row, context));
    const applier = new RowApplier(workspace, context, operator, deadline);
    await applier.load(rows, NO_EXPECTATION);
    const share = new EventLoopShare();
    const outcomes: RowOutcome[] = [];
    for (const row of rows) {
      if (!applier.isLoaded(row)) await applier.load([row], NO_EXPECTATION); // by what a row before it has deleted
      outcomes.push(await applier.apply(row, share));
    }
    await applier.finish();
    expect(await store.commit(workspace.toWrites())).not.toBe('conflict');
    return outcomes;
  }

  /** The records, the index by Sku and the tombstones, without what tells one write from another. */
  async stored(): Promise<object[]> {
    const { tenantId } = this.tenant;
    const collections = [recordsPath(tenantId, this.kind), skusPath(tenantId), tombstonesPath(tenantId)];
    const documents = await Promise.all(collections.map((collection) => this.store.list(collection, { limit: 1_000 })));
    return documents.flat().map(({ path, data }) => ({ ...data, path, revision: undefined }));
  }
}

/** Rows that store, that delete a record or a part of it, and that do both. */
function rowsOf(kind: 'orders' | 'products'): Drawn<DrawnRow> {
  const dtoOf = (target: DeletionTarget): object =>
    'orderId' in target ? { OrderId: target.orderId } : { ProductId: idOfProduct(target), ProductVariants: [] };
  const idOfProduct = (target: DeletionTarget) => ('productId' in target ? target.productId : '');
  const deletion = fc.record({ target: targetsOf[kind], age: fc.nat(8) });
  const deleting = deletion.map(({ target, age }) => {
    return { dto: dtoOf(target), age, deletions: [{ target, age }], deletesOnly: true as const };
  });
  const both = fc.record({ dto: recordsOf[kind], age: fc.nat(8), deletions: fc.array(deletion, { maxLength: 2 }) });
  const ofItsOwn = both.map(({ dto, age, deletions }) => {
    const id = dto as { OrderId?: string; ProductId?: string };
    const parts = deletions.flatMap(({ target, age: deletedAge }): DrawnDeletion[] => {
      if (target.type === 'orderItem') return [{ target: { ...target, orderId: id.OrderId! }, age: deletedAge }];
      if (target.type === 'variant') return [{ target: { ...target, productId: id.ProductId! }, age: deletedAge }];
      return [];
    });
    return parts.length === 0 ? { dto, age } : { dto, age, deletions: parts };
  });
  return fc.oneof(fc.record({ dto: recordsOf[kind], age: fc.nat(8) }), deleting, ofItsOwn);
}

it.each<[RecordKind, Partial<TenantSettings>]>([
  ['products', { productIdentifier: 'sku' }],
  ['products', { productIdentifier: 'productid' }],
  ['orders', {}],
  ['customers', { customerIdentifier: 'email' }],
  ['customers', { customerIdentifier: 'customerid' }],
])('%s, %j (R-11, R-27, R-85)', async (kind, settings) => {
  const row = kind === 'customers' ? fc.record({ dto: recordsOf[kind], age: fc.nat(8) }) : rowsOf(kind);
  const event: Drawn<Event> = fc.oneof(
    fc.record({ sent: recordsOf[kind] }),
    fc.record({ deleted: targetsOf[kind] }),
    fc.record({ row }),
  );
  const history = fc.array(event, { maxLength: 6 });
  const slice = fc.array(row, { minLength: 2, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(history, slice, async (events, drawn) => {
      const [together, apart] = [new Shop(kind, settings), new Shop(kind, settings)];
      for (const shop of [together, apart]) for (const each of events) await shop.happen(each);
      const rows = drawn.map((each) => together.timed(each));
      const outcomes: RowOutcome[] = [];
      for (const each of rows) outcomes.push(...(await apart.applySlice([each])));
      expect(await together.applySlice(rows)).toEqual(outcomes);
      expect(await together.stored()).toEqual(await apart.stored());
    }),
    { numRuns: HISTORIES },
  );
});
