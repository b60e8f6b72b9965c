/** A row that is exactly as old as what is stored or was deleted is not older than that, and counts (D-54). */
import { deadlineIn } from '../../../shared/platform/deadline';
import { deletionFlagPath, recordPath, skuPath, tombstonePath } from '../../../shared/documents/paths';
import type { DocumentData } from '../../../shared/domain/records/document';
import type { RecordKind } from '../../../shared/domain/identity';
import { customerIdentities, orderRecordId, productRecordId, skuEntryId } from '../../../shared/domain/identity';
import { EventLoopShare } from '../../../shared/platform/async/event-loop-share';
import { locateRow } from '../../../shared/transfers/reading/rows/located-row';
import { RowApplier } from '../../../shared/transfers/reading/rows/row-applier';
import { addTombstones, partDeletionsOf, deletedAtOf } from '../../../shared/workspace/tombstones';
import { joinDocument } from '../../../shared/workspace/kept-tombstones';
import { Workspace } from '../../../shared/workspace/workspace';
import { NO_EXPECTATION } from '../../../shared/transfers/reading/slice';
import { SeededRandom } from '../../support/seeded-random';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { aTenant, TENANT_ID } from '../support/tenant';

const NOON = new Date('2026-03-01T12:00:00.000Z');
const before = new Date(NOON.getTime() - 1);
const after = new Date(NOON.getTime() + 1);
const NEXT_DAY = new FixedClock(Date.parse('2026-03-02T12:00:00.000Z'));

const dated = (data: DocumentData): DocumentData => ({ ...data, revision: { id: 's', asOf: NOON } });
const item = (Sku: string) => ({ ProductId: 'p', Sku, Quantity: 1, Price: 1 });
const order = (...skus: string[]) => ({ OrderId: 'o', Currency: 'EUR', OrderItems: skus.map(item) });
const product = (ProductId: string, ...skus: string[]) => ({
  ProductId,
  ProductVariants: skus.map((Sku) => ({ VariantId: `v-${Sku}`, Sku })),
});
const deletedItem = { target: { type: 'orderItem', orderId: 'o', productId: null, sku: 'b' }, deletedAt: NOON };
const deletedVariant = { target: { type: 'variant', productId: 'P', variantId: 'v-b' }, deletedAt: NOON };
const at = {
  order: recordPath(TENANT_ID, 'orders', orderRecordId('o')),
  product: recordPath(TENANT_ID, 'products', productRecordId('P')),
  orderTombstone: tombstonePath(TENANT_ID, 'orders', orderRecordId('o')),
  productTombstone: tombstonePath(TENANT_ID, 'products', productRecordId('P')),
  customerTombstone: tombstonePath(TENANT_ID, 'customers', customerIdentities({ Email: 'a@x.com' })[0]!),
  entry: (sku: string) => skuPath(TENANT_ID, skuEntryId(sku)),
};

/** The document of a deleted order. */
const stub = (tombstone: DocumentData) => joinDocument({ record: undefined, tombstone })!;

/** Applies one row to what is stored. @returns its outcome and the Skus of the parts that its record then has */
async function applyRow(
  kind: RecordKind,
  stored: Readonly<Record<string, DocumentData>>,
  dto: object,
  time: Date,
  productIdentifier: 'productid' | 'sku' = 'productid',
): Promise<string[]> {
  const store = new MemoryDocumentStore(NEXT_DAY);
  await store.commit([{ set: deletionFlagPath(TENANT_ID, kind), data: { state: 'lowered' } }]);
  for (const [set, data] of Object.entries(stored)) await store.commit([{ set, data }]);
  const context = { tenant: aTenant({ productIdentifier }), kind, revision: 't', uploadedAt: NOON, now: NOON };
  const deadline = deadlineIn(1_000, NEXT_DAY);
  const workspace = new Workspace(store, deadline);
  const applier = new RowApplier(workspace, context, { store, clock: NEXT_DAY, random: new SeededRandom() }, deadline);
  const row = locateRow({ dto, at: time }, context);
  await applier.load([row], NO_EXPECTATION);
  const { outcome } = await applier.apply(row, new EventLoopShare());
  await applier.finish();
  const parts = workspace.get(row.path)?.OrderItems ?? workspace.get(row.path)?.ProductVariants ?? [];
  return [outcome, ...(parts as unknown as { Sku: string }[]).map(({ Sku }) => Sku)];
}

type ApplyRowArgs = Parameters<typeof applyRow>;

it.each<[string, ApplyRowArgs[0], ApplyRowArgs[1], object, ApplyRowArgs[4], string[], string[]]>([
  [
    'record',
    'orders',
    { [at.order]: dated(order('a')) },
    order('b'),
    'productid',
    ['stale', 'a'],
    ['stored', 'a', 'b'],
  ],
  [
    'deletion of the record',
    'orders',
    { [at.order]: stub({ deletedAt: NOON }) },
    order('b'),
    'productid',
    ['stale'],
    ['stored', 'b'],
  ],
  [
    'deletion of the customer',
    'customers',
    { [at.customerTombstone]: { deletedAt: NOON } },
    { Email: 'a@x.com' },
    'productid',
    ['stale'],
    ['stored'],
  ],
  [
    'deletion of a Sku',
    'products',
    { [at.entry('b')]: { deletedAt: NOON } },
    product('P', 'b'),
    'sku',
    ['stale'],
    ['stored', 'b'],
  ],
  [
    'deletion of an item that a tombstone remembers',
    'orders',
    { [at.order]: stub({ partDeletions: [deletedItem] }) },
    order('a', 'b'),
    'productid',
    ['stored', 'a'],
    ['stored', 'a', 'b'],
  ],
  [
    'deletion of a variant that a tombstone remembers',
    'products',
    { [at.productTombstone]: { partDeletions: [deletedVariant] } },
    product('P', 'a', 'b'),
    'sku',
    ['stored', 'a'],
    ['stored', 'a', 'b'],
  ],
])('a %s', async (_, kind, stored, dto, identifier, older, equal) => {
  expect(await applyRow(kind, stored, dto, before, identifier)).toEqual(older);
  expect(await applyRow(kind, stored, dto, NOON, identifier)).toEqual(equal);
  expect(await applyRow(kind, stored, dto, after, identifier)).toEqual(equal);
});

it.each<[string, ApplyRowArgs[0], string, DocumentData, object, ApplyRowArgs[4]]>([
  ['an item', 'orders', at.order, { ...order('a'), partDeletions: [deletedItem] }, order('b'), 'productid'],
  [
    'a variant',
    'products',
    at.product,
    { ...product('P', 'a'), partDeletions: [deletedVariant] },
    product('P', 'b'),
    'productid',
  ],
  [
    'a variant by Sku',
    'products',
    at.product,
    { ...product('P', 'a'), partDeletions: [deletedVariant] },
    product('P', 'b'),
    'sku',
  ],
])('a deletion of %s that its record remembers, which is older', async (_, kind, path, data, dto, identifier) => {
  const old = { [path]: { ...data, revision: { id: 's', asOf: new Date(0) } } };
  expect(await applyRow(kind, old, dto, before, identifier)).toEqual(['stored', 'a']);
  expect(await applyRow(kind, old, dto, NOON, identifier)).toEqual(['stored', 'a', 'b']);
});

it('a deletion of a variant of a product that the row takes over (D-54)', async () => {
  const data = { ...product('P', 'a'), partDeletions: [deletedVariant] as unknown as DocumentData[] };
  const stored = {
    [at.product]: { ...data, revision: { id: 's', asOf: new Date(0) } },
    [at.entry('a')]: { products: [productRecordId('P')] },
  };
  expect(await applyRow('products', stored, product('Q', 'a', 'b'), before, 'sku')).toEqual(['stored', 'a']);
  expect(await applyRow('products', stored, product('Q', 'a', 'b'), NOON, 'sku')).toEqual(['stored', 'a', 'b']);
});

it('a record that is deleted twice at one time keeps what was deleted after that only', async () => {
  const id = orderRecordId('o');
  const workspace = new Workspace(new MemoryDocumentStore(NEXT_DAY), deadlineIn(1_000, NEXT_DAY));
  await workspace.load([at.orderTombstone]);
  const later = { ...deletedItem, deletedAt: after };
  workspace.put(at.orderTombstone, { partDeletions: [deletedItem, later] as unknown as DocumentData[] });
  await addTombstones(workspace, TENANT_ID, 'orders', [id], NOON);
  await addTombstones(workspace, TENANT_ID, 'orders', [id], NOON);
  expect(deletedAtOf(workspace.get(at.orderTombstone))).toEqual(NOON);
  expect(partDeletionsOf(workspace.get(at.orderTombstone))).toEqual([later]);
});
