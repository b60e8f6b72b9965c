/** Batches of products identified by Sku, upserted and compared with the plainest way to do it. */
import { MergeQueue } from '../../../shared/records/merge-queue';
import * as fc from 'fast-check';
import { deadlineIn } from '../../../shared/platform/deadline';
import { recordsPath, skuPath, skusPath } from '../../../shared/documents/paths';
import type { UpsertProductDto } from '../../../shared/domain/dto/product';
import { productRecordId, skuEntryId } from '../../../shared/domain/identity';
import { fromDocument } from '../../../shared/workspace/record-documents';
import { ValidationFailed } from '../../../shared/validation/validation-failed';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { SeededRandom } from '../../support/seeded-random';
import { upsertProductsBySku } from '../../support/upserts';
import { NaiveProductsBySku } from './naive-products-by-sku';
import { aTenant } from './tenant';

const SKUS = ['A', 'B', 'C', 'D', 'E', 'F'];

const product: fc.Arbitrary<UpsertProductDto> = fc
  .record({
    ProductId: fc.constantFrom('P1', 'P2', 'P3', 'P4', 'P5'),
    ProductName: fc.option(fc.constantFrom('one', 'two'), { nil: undefined }),
    skus: fc.array(fc.constantFrom(...SKUS), { maxLength: 3 }),
    stock: fc.nat(9),
  })
  .map(({ ProductId, ProductName, skus, stock }) => ({
    ProductId,
    ...(ProductName !== undefined && { ProductName }),
    ProductVariants: skus.map((Sku, index) => ({
      VariantId: `v${index}`,
      Sku,
      ...(index % 2 === 0 && { Stock: stock }),
    })),
  }));

const tenant = aTenant({ productIdentifier: 'sku' });
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

interface Expectation {
  /** Whether products that hold one Sku are listed in the order in which they took it. */
  readonly keepsOrder: boolean;
  /** A batch of which a product would have more is refused, and changes nothing (D-30). */
  readonly maxVariants: number;
}

/** Expects that batches leave what their elements leave one after the other, and count what has become of them. */
export async function expectSameAsNaive(runs: number, { keepsOrder, maxVariants }: Expectation): Promise<void> {
  const batches = fc.array(fc.array(product, { minLength: 1, maxLength: 7 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(batches, async (drawn) => {
      const clock = new FixedClock();
      const store = new ObservedDocumentStore(new MemoryDocumentStore(clock));
      const dependencies = { store, clock, random: new SeededRandom(), mergeQueue: new MergeQueue() };
      let naive = new NaiveProductsBySku();
      for (const batch of drawn) {
        const next = naive.copy();
        const fits = batch.map((each) => next.upsert(each).ProductVariants.length <= maxVariants).every(Boolean);
        const upserted = upsertProductsBySku(batch, tenant, deadlineIn(1000, clock), dependencies);
        if (fits) expect(await upserted).toEqual(next.counts());
        else await expect(upserted).rejects.toThrow(ValidationFailed);
        if (fits) naive = next;
        const stored = await store.list(
          recordsPath(tenant.tenantId, 'products'),
          { limit: 100 },
          deadlineIn(1000, clock),
        );
        const records = stored.map(({ data }) => plain(fromDocument(data)));
        const expected = [...naive.products.values()].map(plain);
        expect(records).toHaveLength(expected.length);
        expect(records).toEqual(expect.arrayContaining(expected));
        const entries = await store.list(skusPath(tenant.tenantId), { limit: 100 }, deadlineIn(1000, clock));
        const listed = new Map(entries.map(({ path, data }) => [path, data.products as unknown as string[]]));
        const inOrder = (ids: readonly string[] = []) => (keepsOrder ? ids : [...ids].sort());
        for (const [sku, ids] of naive.holders) {
          const found = listed.get(skuPath(tenant.tenantId, skuEntryId(sku)));
          expect([sku, inOrder(found)]).toEqual([sku, inOrder(ids.map(productRecordId))]);
        }
        expect(listed.size).toBe(naive.holders.size);
      }
    }),
    { numRuns: runs },
  );
}
