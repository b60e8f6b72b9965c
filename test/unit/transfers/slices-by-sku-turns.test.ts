/** A slice of products by Sku while deletions may be pending: each Sku is hashed once, a few in each turn. */
import { skuEntryId } from '../../../shared/domain/identity';
import { deletionFlagPath } from '../../../shared/documents/paths';
import { SlicesInMemory } from './slices-in-memory';

jest.mock('../../../shared/limits/platform', () => ({
  ...jest.requireActual<object>('../../../shared/limits/platform'),
  EVENT_LOOP_SHARE_MS: 0,
}));
jest.mock('../../../shared/domain/identity', () => {
  const identity = jest.requireActual<{ skuEntryId: (sku: string) => string }>('../../../shared/domain/identity');
  return { ...identity, skuEntryId: jest.fn(identity.skuEntryId) };
});

const PRODUCTS = 40;
const VARIANTS = 50;

it('hashes the variants of each row once while the flag is raised, those of a few rows in each turn', async () => {
  const slices = new SlicesInMemory('products', { productIdentifier: 'sku' });
  await slices.put(deletionFlagPath(slices.tenant.tenantId, 'products'), { state: 'raised' });
  const hashed = jest.mocked(skuEntryId);
  hashed.mockClear();
  let mostInOneTurn = 0;
  let inAll = 0;
  let isOver = false;
  const look = () => {
    mostInOneTurn = Math.max(mostInOneTurn, hashed.mock.calls.length);
    inAll += hashed.mock.calls.length;
    hashed.mockClear();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const rows = Array.from({ length: PRODUCTS }, (__, product) => ({
    ProductId: `p${product}`,
    ProductVariants: Array.from({ length: VARIANTS }, (_, variant) => ({
      VariantId: `v${variant}`,
      Sku: `s${product}-${variant}`,
    })),
  }));
  await slices.commitInOrder([rows]);
  isOver = true;
  look();
  expect(inAll).toBeGreaterThanOrEqual(PRODUCTS * VARIANTS);
  expect(inAll).toBeLessThan(1.1 * PRODUCTS * VARIANTS);
  expect(mostInOneTurn).toBeLessThanOrEqual(2 * VARIANTS);
});
