/** A product of many variants that is matched by Sku: others have their turn between any few of them. */
import { MergeQueue } from '../../../shared/records/merge-queue';
import { deadlineIn } from '../../../shared/platform/deadline';
import { valueBytes } from '../../../shared/domain/records/document';
import { skuEntryId } from '../../../shared/domain/identity';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { SeededRandom } from '../../support/seeded-random';
import { upsertProductsBySku } from '../../support/upserts';
import { aTenant } from '../support/tenant';

jest.mock('../../../shared/limits/platform', () => ({
  ...jest.requireActual<object>('../../../shared/limits/platform'),
  EVENT_LOOP_SHARE_MS: 0,
}));
jest.mock('../../../shared/domain/limits', () => ({
  ...jest.requireActual<object>('../../../shared/domain/limits'),
  PARTS_BETWEEN_YIELDS: 10,
}));
jest.mock('../../../shared/domain/identity', () => {
  const identity = jest.requireActual<{ skuEntryId: (sku: string) => string }>('../../../shared/domain/identity');
  return { ...identity, skuEntryId: jest.fn(identity.skuEntryId) };
});
jest.mock('../../../shared/domain/records/document', () => {
  const document = jest.requireActual<{ valueBytes: (value: unknown) => number }>(
    '../../../shared/domain/records/document',
  );
  return { ...document, valueBytes: jest.fn(document.valueBytes) };
});

const VARIANTS = 1_000;

it.each([
  ['hashes', jest.mocked(skuEntryId), 1],
  ['measures', jest.mocked(valueBytes), 10],
] as const)('%s the variants of a new product once, a few in each turn', async (_, spied, most) => {
  spied.mockClear();
  let mostInOneTurn = 0;
  let inAll = 0;
  let isOver = false;
  const look = () => {
    mostInOneTurn = Math.max(mostInOneTurn, spied.mock.calls.length);
    inAll += spied.mock.calls.length;
    spied.mockClear();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const clock = new FixedClock();
  const dependencies = {
    store: new MemoryDocumentStore(clock),
    clock,
    random: new SeededRandom(),
    mergeQueue: new MergeQueue(),
  };
  const ProductVariants = Array.from({ length: VARIANTS }, (__, index) => ({
    VariantId: `v${index}`,
    Sku: `s${index}`,
  }));
  const tenant = aTenant({ productIdentifier: 'sku' });
  await upsertProductsBySku([{ ProductId: 'p', ProductVariants }], tenant, deadlineIn(1_000, clock), dependencies);
  isOver = true;
  look();
  expect(mostInOneTurn).toBeLessThanOrEqual(2 * most);
  expect(inAll).toBeGreaterThanOrEqual(VARIANTS);
  expect(inAll).toBeLessThan(1.1 * VARIANTS);
});
