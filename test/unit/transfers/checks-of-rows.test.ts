/** What the commit of a file's rows checks while deletions may be pending: each check is a read for a row. */
import { isCheck } from '../../../shared/documents/document-store';
import { deletionFlagPath } from '../../../shared/documents/paths';
import type { RecordKind } from '../../../shared/domain/identity';
import type { TenantSettings } from '../../../shared/domain/tenant';
import { SlicesInMemory } from './slices-in-memory';

const ANN = { Email: 'ann@x.com', CustomerId: '1' };
const ITEM = { ProductId: 'p', Sku: 's', Quantity: 1, Price: 1 };
const ORDER = { OrderId: 'o', Email: 'ann@x.com', Currency: 'EUR', OrderDate: '2026-01-01', OrderItems: [ITEM] };
const PRODUCT = { ProductId: 'p', ProductVariants: [{ VariantId: 'v', Sku: 's' }] };

/** The collections of what is checked, of one row beside a raised flag. */
async function checksOf(
  kind: RecordKind,
  row: object,
  before: readonly object[] = [],
  settings: Partial<TenantSettings> = {},
): Promise<string[]> {
  const slices = new SlicesInMemory(kind, { customerIdentifier: 'email', ...settings });
  await slices.put(deletionFlagPath(slices.tenant.tenantId, kind), { state: 'raised' });
  await slices.applyAll(before);
  const { counts, writes } = await slices.apply([row]);
  expect(counts).toMatchObject({ stored: 1, stale: 0 });
  return writes
    .filter(isCheck)
    .map(({ check }) => check.split('/').at(-2) ?? '')
    .sort();
}

it.each<[string, RecordKind, object, object[], string[]]>([
  ['a known customer', 'customers', ANN, [ANN], ['deletionFlags']],
  ['a known customer by one identifier', 'customers', { Email: 'ann@x.com' }, [ANN], ['deletionFlags']],
  ['a new customer', 'customers', ANN, [], ['deletionFlags', 'tombstones', 'tombstones']],
  [
    'a customer with another identifier than before',
    'customers',
    { ...ANN, CustomerId: '2' },
    [ANN],
    ['deletionFlags', 'tombstones', 'tombstones', 'tombstones'],
  ],
  [
    'a customer without an identifier that he had',
    'customers',
    { ...ANN, CustomerId: null },
    [ANN],
    ['deletionFlags', 'tombstones'],
  ],
  ['a known customer in another spelling', 'customers', { ...ANN, Email: 'Ann@X.com' }, [ANN], ['deletionFlags']],
  ['a new order', 'orders', ORDER, [], ['deletionFlags']],
  ['a new product', 'products', PRODUCT, [], ['deletionFlags', 'tombstones']],
  ['a known product', 'products', PRODUCT, [PRODUCT], ['deletionFlags']],
])('checks of %s that is no newer than its file (R-411)', async (_, kind, row, before, checked) => {
  expect(await checksOf(kind, row, before)).toEqual(checked);
});

it('checks what may be pending for a product by Sku (R-411)', async () => {
  const checked = await checksOf('products', PRODUCT, [], { productIdentifier: 'sku' });
  expect(checked).toEqual(expect.arrayContaining(['deletionFlags', 'deletions', 'tombstones']));
});
