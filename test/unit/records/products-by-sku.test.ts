/** Random batches of products that meet through their Skus (D-03): nothing is lost, and the index tells the truth. */
import { MergeQueue } from '../../../shared/records/merge-queue';
import fc from 'fast-check';
import { DEFAULT_SETTINGS, parseTenantId } from '../../../shared/domain/tenant';
import type { Tenant } from '../../../shared/domain/tenant';
import type { UpsertProductDto } from '../../../shared/domain/dto/product';
import { deadlineIn } from '../../../shared/platform/deadline';
import { writtenPath } from '../../../shared/documents/document-store';
import {
  deletionFlagPath,
  idOf,
  recordPath,
  recordsPath,
  skuPath,
  skusPath,
  tenantPath,
} from '../../../shared/documents/paths';
import { productRecordId, skuEntryId } from '../../../shared/domain/identity';
import { LARGE_RECORD_BYTES, MAX_SKU_HOLDERS, MAX_VARIANTS_BY_SKU } from '../../../shared/limits/records';
import { EventLoopShare } from '../../../shared/platform/async/event-loop-share';
import { locateRow } from '../../../shared/transfers/reading/rows/located-row';
import { RowApplier } from '../../../shared/transfers/reading/rows/row-applier';
import { holdersOf, reindex, skuDeletedAt } from '../../../shared/workspace/sku-index';
import { Workspace } from '../../../shared/workspace/workspace';
import { NO_EXPECTATION } from '../../../shared/transfers/reading/slice';
import { RetryLater } from '../../../shared/platform/retry-later';
import { ValidationFailed } from '../../../shared/validation/validation-failed';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { overriding } from '../../support/overriding';
import { SeededRandom } from '../../support/seeded-random';
import { upsertProductsBySku } from '../../support/upserts';

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
      const dependencies = { store, clock, random: new SeededRandom(), mergeQueue: new MergeQueue() };
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
      upsertProductsBySku(batch, tenant, deadlineIn(1000, clock), {
        store,
        clock,
        random: new SeededRandom(),
        mergeQueue: new MergeQueue(),
      });
    const withSkus = (ProductId: string, from: number, count: number): UpsertProductDto => ({
      ProductId,
      ProductVariants: Array.from({ length: count }, (_, index) => ({ VariantId: 'v', Sku: String(from + index) })),
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
  reindex(workspace, tenant.tenantId, second, record, undefined, () => new Date(2));
  expect(skuDeletedAt(workspace.get(path))).toBeUndefined();
  reindex(workspace, tenant.tenantId, first, record, undefined, () => new Date(1));
  expect(skuDeletedAt(workspace.get(path))).toEqual(new Date(2));
  reindex(workspace, tenant.tenantId, first, undefined, record);
  expect(holdersOf(workspace.get(path))).toEqual([first]);
  expect(skuDeletedAt(workspace.get(path))).toBeUndefined();
});

it('makes a commit depend on what a row of a file was refused for: that it does not fit is true of that alone (R-04)', async () => {
  const clock = new FixedClock();
  const store = new MemoryDocumentStore(clock);
  const ProductVariants = Array.from({ length: MAX_VARIANTS_BY_SKU }, (_, n) => ({ VariantId: `${n}`, Sku: `${n}` }));
  const dependencies = { store, clock, random: new SeededRandom(), mergeQueue: new MergeQueue() };
  await upsertProductsBySku([{ ProductId: 'P1', ProductVariants }], tenant, deadlineIn(1000, clock), dependencies);
  const now = new Date(clock.nowMs());
  const context = { tenant, kind: 'products', revision: 's', uploadedAt: now, now } as const;
  const dto = { ProductId: 'P2', ProductVariants: ['0', 'new'].map((Sku) => ({ VariantId: `v${Sku}`, Sku })) };
  const row = locateRow({ dto, at: new Date(clock.nowMs() + 1000) }, context);
  const deadline = deadlineIn(1000, clock);
  const workspace = new Workspace(store, deadline);
  const applier = new RowApplier(workspace, context, dependencies, deadline);
  await applier.load([row], NO_EXPECTATION);
  await expect(applier.apply(row, new EventLoopShare())).rejects.toThrow(ValidationFailed);
  const writtenPaths = workspace.toWrites().map(writtenPath);
  const products = ['P1', 'P2'].map((id) => recordPath(tenant.tenantId, 'products', productRecordId(id)));
  expect(writtenPaths).toEqual(expect.arrayContaining(products));
});

it('flags a tenant before it stores its first large product (R-17)', async () => {
  const clock = new FixedClock();
  const stored = new MemoryDocumentStore(clock);
  const store = new ObservedDocumentStore(stored);
  const dependencies = { store, clock, random: new SeededRandom(), mergeQueue: new MergeQueue() };
  await stored.commit([{ set: tenantPath(tenant.tenantId), data: {} }]);
  const upsert = (ProductName: string) =>
    upsertProductsBySku(
      [{ ProductId: 'P', ProductName, ProductVariants: [] }],
      tenant,
      deadlineIn(1000, clock),
      dependencies,
    );
  await upsert('small');
  expect((await stored.get(tenantPath(tenant.tenantId)))?.data).toEqual({});
  store.calls.length = 0;
  await upsert('x'.repeat(LARGE_RECORD_BYTES));
  expect((await stored.get(tenantPath(tenant.tenantId)))?.data).toEqual({ hasLargeRecords: true });
  expect(store.writes.map(({ paths }) => paths[0])).toEqual([
    tenantPath(tenant.tenantId),
    recordPath(tenant.tenantId, 'products', productRecordId('P')),
  ]);
});

describe('a Sku that many products hold (R-18)', () => {
  const holders = MAX_SKU_HOLDERS + 20;
  const variant = (Sku: string) => ({ VariantId: Sku, Sku });
  const own = (number: number) => ({ ProductId: `P${number}`, ProductVariants: [variant(`own-${number}`)] });
  const shared = (number: number) => ({
    ...own(number),
    ProductVariants: [variant(`own-${number}`), variant('shared')],
  });
  const entryPath = skuPath(tenant.tenantId, skuEntryId('shared'));
  const numbers = Array.from({ length: holders }, (_, number) => number);

  async function open() {
    const clock = new FixedClock();
    const stored = new MemoryDocumentStore(clock);
    const store = new ObservedDocumentStore(stored);
    const upsert = (batch: readonly UpsertProductDto[]) =>
      upsertProductsBySku(batch, tenant, deadlineIn(1000, clock), {
        store,
        clock,
        random: new SeededRandom(),
        mergeQueue: new MergeQueue(),
      });
    await upsert(numbers.map(own));
    for (const number of numbers) await upsert([shared(number)]);
    return { clock, store, stored, upsert };
  }

  it('is listed for the first of them, and an upsert that names it reads few documents', async () => {
    const { store, stored, upsert } = await open();
    const listed = holdersOf((await stored.get(entryPath))?.data);
    expect(listed).toEqual(numbers.slice(0, MAX_SKU_HOLDERS).map((number) => productRecordId(`P${number}`)));
    store.calls.length = 0;
    await upsert([shared(holders - 1)]);
    const read = new Set(store.calls.filter(({ method }) => method.startsWith('get')).flatMap(({ paths }) => paths));
    expect(read.size).toBeLessThan(MAX_SKU_HOLDERS + 5);
    expect(await stored.count(recordsPath(tenant.tenantId, 'products'))).toBe(holders);
  });

  it('lists another one that is sent with it when there is room', async () => {
    const { clock, stored, upsert } = await open();
    const first = productRecordId('P0');
    const path = recordPath(tenant.tenantId, 'products', first);
    const workspace = new Workspace(stored, deadlineIn(1000, clock));
    await workspace.load([path, entryPath]);
    workspace.put(path, undefined);
    reindex(workspace, tenant.tenantId, first, { ProductId: 'P0', ProductVariants: [variant('shared')] }, undefined);
    await stored.commit(workspace.toWrites());
    await upsert([shared(holders - 1)]);
    const listed = holdersOf((await stored.get(entryPath))?.data);
    expect(listed).toHaveLength(MAX_SKU_HOLDERS);
    expect(listed.at(-1)).toBe(productRecordId(`P${holders - 1}`));
  });

  it('is no deleted Sku for the row of a product that holds it, listed or not (D-54)', async () => {
    const { clock, stored } = await open();
    const deletedAt = new Date(clock.nowMs() + 60_000);
    await stored.commit([{ set: entryPath, data: { deletedAt } }]);
    const flag = deletionFlagPath(tenant.tenantId, 'products');
    await stored.commit([{ set: flag, data: { state: 'lowered' } }]);
    const context = { tenant, kind: 'products', revision: 's', uploadedAt: deletedAt, now: deletedAt } as const;
    const applyRow = async (dto: object) => {
      const deadline = deadlineIn(1000, clock);
      const workspace = new Workspace(stored, deadline);
      const applier = new RowApplier(
        workspace,
        context,
        { store: stored, clock, random: new SeededRandom() },
        deadline,
      );
      const row = locateRow({ dto, at: new Date(clock.nowMs() + 30_000) }, context);
      await applier.load([row], NO_EXPECTATION);
      return (await applier.apply(row, new EventLoopShare())).outcome;
    };
    expect(await applyRow(shared(holders - 1))).toBe('stored');
    expect(await applyRow({ ...shared(0), ProductId: 'another', ProductVariants: [variant('shared')] })).toBe('stale');
  });
});

it.each([10, 80])(
  'moves a product that %d elements claim once, with its index entries, in one commit',
  async (claims) => {
    const clock = new FixedClock();
    const store = new ObservedDocumentStore(new MemoryDocumentStore(clock));
    const upsert = (batch: readonly UpsertProductDto[]) =>
      upsertProductsBySku(batch, tenant, deadlineIn(1000, clock), {
        store,
        clock,
        random: new SeededRandom(),
        mergeQueue: new MergeQueue(),
      });
    const variants = Array.from({ length: 1_000 }, (_, number) => ({ VariantId: `${number}`, Sku: `s${number}` }));
    await upsert([{ ProductId: 'P', ProductVariants: variants }]);
    store.calls.length = 0;
    await upsert(
      variants.slice(0, claims).map((variant, number) => ({ ProductId: `Q${number}`, ProductVariants: [variant] })),
    );
    expect(store.writes.map(({ paths }) => paths.length)).toEqual([1_000 + 2]);
    const read = store.reads.flatMap(({ paths }) => paths);
    expect(read.length).toBeLessThan(1_000 + 2 * claims + 5);
  },
);

it('asks for a repeat, and does not refuse, where a product grew too large when a part of the batch was stored (R-42)', async () => {
  const clock = new FixedClock();
  const memory = new MemoryDocumentStore();
  const random = new SeededRandom();
  const deadline = deadlineIn(1000, clock);
  const large = Array.from({ length: 9_500 }, (_, n) => `${n}`.padEnd(100, '.'));
  const batch = ['P1', 'P2'].map((ProductId) => {
    return { ProductId, Taxonomy: large, ProductVariants: [{ VariantId: 'v', Sku: ProductId }] };
  });
  let commits = 0;
  const store = overriding(memory, {
    async commit(writes) {
      commits += writes.some((write) => 'set' in write && write.set.includes('/products/')) ? 1 : 0;
      if (commits === 2) {
        commits += 1;
        const variants = Array.from({ length: 200 }, (_, n) => ({
          VariantId: `${n}`,
          Sku: `n${n}`,
          Name: 'x'.repeat(600),
        }));
        const other = [{ ProductId: 'P2', ProductVariants: variants }];
        await upsertProductsBySku(other, tenant, deadline, {
          store: memory,
          clock,
          random,
          mergeQueue: new MergeQueue(),
        });
      }
      return memory.commit(writes);
    },
  });
  const upserting = upsertProductsBySku(batch, tenant, deadline, {
    store,
    clock,
    random,
    mergeQueue: new MergeQueue(),
  });
  await expect(upserting).rejects.toBeInstanceOf(RetryLater);
  const repeat = upsertProductsBySku(batch, tenant, deadline, {
    store: memory,
    clock,
    random,
    mergeQueue: new MergeQueue(),
  });
  await expect(repeat).rejects.toBeInstanceOf(ValidationFailed);
});
