/** Random batches of products that meet through their Skus (D-03): nothing is lost, and the index tells the truth. */
import fc from 'fast-check';
import { DEFAULT_SETTINGS, parseTenantId } from '../../../shared/domain/tenant';
import type { Tenant } from '../../../shared/domain/tenant';
import type { UpsertProductDto } from '../../../shared/domain/dto/product';
import { deadlineIn } from '../../../shared/deadline';
import { idOf, recordsPath, skuPath, skusPath } from '../../../shared/documents/paths';
import { productRecordId, skuEntryId } from '../../../shared/domain/identity';
import { holdersOf, reindex, skuDeletedAt } from '../../../shared/records/sku-index';
import { upsertProductsBySku } from '../../../shared/records/upsert-products-by-sku';
import { Workspace } from '../../../shared/records/workspace';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { SeededRandom } from '../../support/seeded-random';

const tenant = {
  ...DEFAULT_SETTINGS,
  productIdentifier: 'sku',
  tenantId: parseTenantId('11111111-1111-4111-8111-111111111111'),
  organizationId: 'o',
} as Tenant;

const sku = fc.constantFrom('A', 'B', 'C', 'D', 'E');
const product = fc
  .record({ id: fc.constantFrom('P1', 'P2', 'P3', 'P4'), skus: fc.array(sku, { maxLength: 3 }) })
  .map(({ id, skus }): UpsertProductDto => ({
    ProductId: id,
    ProductVariants: skus.map((Sku) => ({ VariantId: `v-${Sku}`, Sku })),
  }));

it('keeps every Sku ever sent in some product, one product an id, and an index entry for each holder', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(product, { minLength: 1, maxLength: 5 }), { maxLength: 6 }), async (batches) => {
      const clock = new FixedClock();
      const store = new MemoryDocumentStore();
      const dependencies = { store, clock, random: new SeededRandom() };
      for (const batch of batches) await upsertProductsBySku(batch, tenant, deadlineIn(1000, clock), dependencies);

      const stored = await store.list(recordsPath(tenant.tenantId, 'products'), { limit: 100 });
      const held = stored.flatMap(({ path, data }) =>
        (data.ProductVariants as { Sku: string }[]).map(({ Sku }) => `${skuEntryId(Sku)} ${idOf(path)}`),
      );
      const entries = await store.list(skusPath(tenant.tenantId), { limit: 100 });
      const indexed = entries.flatMap(({ path, data }) =>
        (data.products as string[]).map((id) => `${idOf(path)} ${id}`),
      );
      expect(indexed.sort()).toEqual(held.sort());
      const sent = new Set(
        batches.flat().flatMap(({ ProductVariants }) => ProductVariants.map(({ Sku }) => skuEntryId(Sku))),
      );
      expect(new Set(held.map((line) => line.split(' ')[0]))).toEqual(sent);
      const last = batches.at(-1)?.at(-1);
      if (last) expect(stored.map(({ data }) => data.ProductId)).toContain(last.ProductId);
    }),
    { numRuns: 500 },
  );
});

it.each([
  ['brings and has', 'P1', 6_000, 6_000],
  ['has and takes over', 'Q1', 0, 1],
])(
  'stores nothing of a batch of which one product %s more variants than a commit indexes (D-30, R-04)',
  async (_, id, from, count) => {
    const clock = new FixedClock();
    const store = new MemoryDocumentStore();
    const upsert = (batch: readonly UpsertProductDto[]) =>
      upsertProductsBySku(batch, tenant, deadlineIn(1000, clock), { store, clock, random: new SeededRandom() });
    const withSkus = (ProductId: string, from: number, count: number): UpsertProductDto => ({
      ProductId,
      ProductVariants: Array.from({ length: count }, (_, place) => ({ VariantId: 'v', Sku: String(from + place) })),
    });
    await upsert([withSkus('P1', 0, 6_000)]);
    await upsert([withSkus('Q1', 20_000, 6_000)]);
    const stored = () => store.list(recordsPath(tenant.tenantId, 'products'), { limit: 100 });
    const before = await stored();
    const batch = [withSkus('A', -1, 1), withSkus('B', -2, 1), withSkus(id, from, count)];
    await expect(upsert(batch)).rejects.toMatchObject({ errors: { '[2].ProductVariants': [expect.any(String)] } });
    expect(await stored()).toEqual(before);
  },
);

it('remembers the last deletion of a Sku that two products held, whichever is applied first (D-54)', async () => {
  const path = skuPath(tenant.tenantId, skuEntryId('A'));
  const [first, second] = [productRecordId('P1'), productRecordId('P2')];
  const record = { ProductId: 'P', ProductVariants: [{ VariantId: 'v', Sku: 'A' }] };
  const workspace = new Workspace(new MemoryDocumentStore(), deadlineIn(1000, new FixedClock()));
  await workspace.load([path]);
  for (const id of [first, second]) reindex(workspace, tenant.tenantId, id, undefined, record);
  expect(skuDeletedAt(workspace.get(path))).toBeUndefined();
  reindex(workspace, tenant.tenantId, second, record, undefined, new Date(2));
  expect(skuDeletedAt(workspace.get(path))).toBeUndefined();
  reindex(workspace, tenant.tenantId, first, record, undefined, new Date(1));
  expect(skuDeletedAt(workspace.get(path))).toEqual(new Date(2));
  reindex(workspace, tenant.tenantId, first, undefined, record);
  expect(holdersOf(workspace.get(path))).toEqual([first]);
  expect(skuDeletedAt(workspace.get(path))).toBeUndefined();
});
