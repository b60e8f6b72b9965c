/**
 * What batches read and write whose products, with their index entries, are more than a commit or more than memory: as
 * much as they hold, however often they are named. The bounds are small, so that small products are large ones.
 */
import { MergeQueue } from '../../../shared/records/merge-queue';
import { deadlineIn } from '../../../shared/platform/deadline';
import { recordsPath } from '../../../shared/documents/paths';
import type { UpsertProductDto } from '../../../shared/domain/dto/product';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { overriding } from '../../support/overriding';
import { SeededRandom } from '../../support/seeded-random';
import { upsertProductsBySku } from '../../support/upserts';
import { aTenant } from '../support/tenant';

jest.mock('../../../shared/limits/records', () => ({
  ...jest.requireActual<object>('../../../shared/limits/records'),
  COMMIT_BYTES: 40_000,
  SKU_COMMIT_BYTES: 120_000,
  SKU_COMMIT_EXTRA_BYTES: 8_000,
  SKU_PLAN_BYTES: 100_000,
  SKU_PLAN_ENTRIES: 800,
  SKU_PLAN_CHANGES: 200_000,
}));

/** A product of these takes more than a commit. */
const VARIANTS = 200;
const tenant = aTenant({ productIdentifier: 'sku' });
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

const product = (name: string): UpsertProductDto => ({
  ProductId: name,
  ProductVariants: numbers(VARIANTS).map((number) => ({ VariantId: `v${number}`, Sku: `${name}-${number}` })),
});
const claim = (ProductId: string, Sku: string): UpsertProductDto => ({
  ProductId,
  ProductVariants: [{ VariantId: 'v', Sku }],
});

interface Documents {
  readonly read: number;
  readonly written: number;
}

/** Stores batches one after the other. @returns what the last one read and wrote */
async function documentsOf(...batches: (readonly UpsertProductDto[])[]): Promise<Documents> {
  const clock = new FixedClock();
  const store = new ObservedDocumentStore(new MemoryDocumentStore(clock));
  for (const batch of batches) {
    store.calls.length = 0;
    await upsertProductsBySku(batch, tenant, deadlineIn(1_000, clock), {
      store,
      clock,
      random: new SeededRandom(),
      mergeQueue: new MergeQueue(),
    });
  }
  const sum = (calls: ObservedDocumentStore['calls']) => calls.reduce((total, { paths }) => total + paths.length, 0);
  return { read: sum(store.reads), written: sum(store.writes) };
}

const FEW = 50;

it('writes a product once that is moved again and again, beside others that are', async () => {
  const names = numbers(8).map((number) => `p${number}`);
  const moves = numbers(6).flatMap((move) => names.map((name) => claim(`${name}-moved${move}`, `${name}-${move}`)));
  const { written } = await documentsOf(names.map(product), moves);
  expect(written).toBeLessThan(names.length * VARIANTS + FEW);
});

it('writes a product once that is moved between small products which it meets', async () => {
  const moves = numbers(20).flatMap((move) => [
    claim(`moved${move}`, `p-${move}`),
    claim(`small${move}`, `small-${move}`),
    claim(`moved${move}`, `small-${move}`),
  ]);
  const { written } = await documentsOf([product('p')], [...numbers(8).map((n) => product(`q${n}`)), ...moves]);
  expect(written).toBeLessThan(9 * VARIANTS + 6 * FEW);
});

it.each([4, 16])(
  'reads the entries of %d new products four times: to plan, to try and to write them',
  async (count) => {
    const { read, written } = await documentsOf(numbers(count).map((number) => product(`p${number}`)));
    expect(written).toBe(count * (VARIANTS + 1));
    expect(read).toBeLessThan(4 * written + FEW);
  },
);

describe('large batches about the same products, at once in one instance', () => {
  /** Sends as many at once, of one instance or of one for each. @returns how many commits were in conflict */
  async function conflictsOf(batches: (readonly UpsertProductDto[])[], isOneInstance: boolean): Promise<number> {
    const clock = new FixedClock();
    const memory = new MemoryDocumentStore(clock);
    let conflicts = 0;
    const store = overriding(memory, {
      async commit(writes) {
        await new Promise(setImmediate);
        const outcome = await memory.commit(writes);
        if (outcome === 'conflict') conflicts += 1;
        return outcome;
      },
    });
    const shared = new MergeQueue();
    const send = (batch: readonly UpsertProductDto[]) => {
      const queue = isOneInstance ? shared : new MergeQueue();
      return upsertProductsBySku(batch, tenant, deadlineIn(60_000, clock), { store, clock, random: new SeededRandom(), mergeQueue: queue }); // prettier-ignore
    };
    await Promise.all(batches.map(send));
    const stored = await memory.list(recordsPath(tenant.tenantId, 'products'), { limit: 100 });
    expect(stored).toHaveLength(batches[0]?.length ?? 0);
    return conflicts;
  }

  const batches = numbers(4).map(() => numbers(6).map((number) => product(`p${number}`)));

  it('take turns: none is in conflict with another, and all are stored (R-40)', async () => {
    expect(await conflictsOf(batches, true)).toBe(0);
  });

  it('of several instances all are stored, too: conditions decide', async () => {
    expect(await conflictsOf(batches, false)).toBeGreaterThan(0);
  });
});
