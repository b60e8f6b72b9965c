/** Which rows of a file delete, what they delete, and what is wrong with them (D-52, R-27). */
import type { RecordKind } from '../../../shared/domain/identity';
import { MAX_PARTS, MAX_VALIDATION_MESSAGES } from '../../../shared/domain/limits';
import type { TimedRow } from '../../../shared/transfers/reading/rows/located-row';
import { noteIgnoredFields, requireValidRow } from '../../../shared/transfers/reading/rows/row-validator';
import type { ValidationErrors } from '../../../shared/validation/validation-failed';
import { ValidationFailed } from '../../../shared/validation/validation-failed';
import { aTenant } from '../support/tenant';

const file = new Date('2026-03-01T00:00:00Z');
const latest = new Date('2026-03-02T00:00:00Z');
const AT = '2026-02-01T10:00:00Z';
const at = new Date(AT);
const tenant = aTenant({ requiredFields: ['Language'] });

const valid = (kind: RecordKind, record: object): TimedRow =>
  requireValidRow({ line: 1, record }, kind, tenant, { file, latest });

function errorsOf(kind: RecordKind, record: object): ValidationErrors {
  try {
    valid(kind, record);
  } catch (error) {
    if (error instanceof ValidationFailed) return error.errors;
    throw error;
  }
  return {};
}

const NO_ITEM = 'At least one of ProductId, Sku must have a value; leave both out to delete the order.';
const item = (Sku: string) => ({ ProductId: 'p', Sku, Quantity: 1, Price: 1 });

it.each<[RecordKind, object, object]>([
  ['customers', { Email: ' A@x.com' }, { type: 'customer', email: 'a@x.com', customerId: null }],
  ['customers', { CustomerId: ' 7 ', Email: '' }, { type: 'customer', email: null, customerId: '7' }],
  [
    'customers',
    { CustomerId: '7', Email: 'a@x.com', Name: 5 },
    { type: 'customer', email: 'a@x.com', customerId: '7' },
  ],
  ['products', { ProductId: ' p', ProductVariants: 'not looked at' }, { type: 'product', productId: 'p' }],
  ['products', { ProductId: 'p', VariantId: ' v' }, { type: 'variant', productId: 'p', variantId: 'v' }],
  ['products', { ProductId: 'p', VariantId: null }, { type: 'product', productId: 'p' }],
  ['orders', { OrderId: 'o', ProductId: null, Sku: null }, { type: 'order', orderId: 'o' }],
  ['orders', { OrderId: 'o', Currency: 'XYZ', OrderItems: [1] }, { type: 'order', orderId: 'o' }],
  ['orders', { OrderId: 'o', Sku: 's' }, { type: 'orderItem', orderId: 'o', productId: null, sku: 's' }],
  [
    'orders',
    { OrderId: 'o', ProductId: 'p', Sku: null },
    { type: 'orderItem', orderId: 'o', productId: 'p', sku: null },
  ],
  ['orders', { OrderId: 'o', ProductId: 'p', Sku: 's' }, { type: 'orderItem', orderId: 'o', productId: 'p', sku: 's' }],
])('%s %j with DeletedAt deletes what it identifies; nothing else of it counts (R-27)', (kind, record, target) => {
  const row = valid(kind, { ...record, DeletedAt: AT, UpdatedAt: 'not looked at' });
  expect(row).toMatchObject({ at, deletesOnly: true, deletions: [{ target, at }] });
});

it.each([undefined, null, '', '  '])('is an ordinary row where DeletedAt is %p', (DeletedAt) => {
  const record = { OrderId: 'o', Currency: 'EUR', DeletedAt, OrderItems: [{ ...item('s'), DeletedAt }] };
  expect(valid('orders', record)).toEqual({ dto: record, at: file });
});

it.each<[RecordKind, object, ValidationErrors]>([
  ['products', { ProductId: 'p', VariantId: '', DeletedAt: AT }, { VariantId: ['The VariantId field is required.'] }],
  ['products', { ProductId: 'p', VariantId: ' ', DeletedAt: AT }, { VariantId: ['The VariantId field is required.'] }],
  ['orders', { OrderId: 'o', Sku: '', ProductId: '', DeletedAt: AT }, { '': [NO_ITEM] }],
  ['orders', { OrderId: 'o', ProductId: ' ', Sku: null, DeletedAt: AT }, { '': [NO_ITEM] }],
  ['customers', {}, { '': ['At least one of CustomerId, Email must have a value.'] }],
  ['customers', { Email: 'x' }, { Email: ['The field Email must be an e-mail address.'] }],
  ['products', { VariantId: 'v' }, { ProductId: ['The ProductId field is required.'] }],
  ['products', { ProductId: 'p', VariantId: 7 }, { VariantId: ['The field VariantId must be a string.'] }],
  ['orders', { OrderId: ' ' }, { OrderId: ['The OrderId field is required.'] }],
  [
    'orders',
    { OrderId: 'o', Sku: 'x'.repeat(51) },
    { Sku: ['The field Sku must be a string with a maximum length of 50.'] },
  ],
])('a %s row %j with DeletedAt is bad (R-52)', (kind, record, errors) => {
  expect(errorsOf(kind, { ...record, DeletedAt: AT })).toEqual(errors);
});

const MALFORMED = 'The field DeletedAt must be an ISO 8601 date or date-time.';
const FUTURE = 'The field DeletedAt must not be in the future.';
it.each([
  ['yesterday', MALFORMED],
  ['2026-02-30', MALFORMED],
  [17, MALFORMED],
  [true, MALFORMED],
  ['2026-03-02T00:00:00.001Z', FUTURE],
])('a DeletedAt of %p is bad, of a record and of a part', (DeletedAt, message) => {
  expect(errorsOf('customers', { Email: 'a@x.com', DeletedAt })).toEqual({ DeletedAt: [message] });
  const OrderItems = [item('a'), { Sku: 's', DeletedAt }];
  expect(errorsOf('orders', { OrderId: 'o', Currency: 'EUR', OrderItems })).toEqual({
    'OrderItems[1].DeletedAt': [message],
  });
});

it('takes a DeletedAt of the latest moment that is not in the future', () => {
  expect(valid('customers', { Email: 'a@x.com', DeletedAt: latest.toISOString() })).toMatchObject({ at: latest });
});

describe('a row with nested elements that have DeletedAt', () => {
  const EARLIER = '2026-01-01T00:00:00Z';

  it('only deletes where it says nothing else of its record, from the oldest to the newest', () => {
    const OrderItems = [
      { ProductId: 'p', DeletedAt: AT, Quantity: 'x' },
      { Sku: 's', DeletedAt: EARLIER },
    ];
    expect(valid('orders', { OrderId: 'o', OrderItems, UpdatedAt: 'not looked at' })).toEqual({
      dto: { OrderId: 'o' },
      at,
      deletesOnly: true,
      deletions: [
        { target: { type: 'orderItem', orderId: 'o', productId: null, sku: 's' }, at: new Date(EARLIER) },
        { target: { type: 'orderItem', orderId: 'o', productId: 'p', sku: null }, at },
      ],
    });
  });

  it.each([{ ProductName: 'x' }, { ProductName: null }, { Taxonomy: [] }])(
    'stores its record without them where it has other fields: %j',
    (own) => {
      const record = {
        ProductId: 'p',
        ...own,
        ProductVariants: [{ VariantId: 'v', DeletedAt: AT }],
        UpdatedAt: EARLIER,
      };
      expect(valid('products', record)).toEqual({
        dto: { ...record, ProductVariants: [] },
        at: new Date(EARLIER),
        deletions: [{ target: { type: 'variant', productId: 'p', variantId: 'v' }, at }],
      });
    },
  );

  it('stores its other elements', () => {
    const kept = { VariantId: 'w', Sku: 's' };
    const row = valid('products', { ProductId: 'p', ProductVariants: [{ VariantId: 'v', DeletedAt: AT }, kept] });
    expect(row.dto).toMatchObject({ ProductVariants: [kept] });
    expect(row.deletions).toHaveLength(1);
    expect(row.deletesOnly).toBeUndefined();
  });

  it('names all that is wrong at the places that elements have in the row (D-52)', () => {
    const OrderItems = [{ DeletedAt: AT }, { ...item('a'), Quantity: 'x' }, { Sku: 7, DeletedAt: AT }, { Sku: 'b' }];
    expect(errorsOf('orders', { OrderId: 'o', OrderItems })).toEqual({
      'OrderItems[2].Sku': ['The field Sku must be a string.'],
      Currency: ['The Currency field is required.'],
      'OrderItems[1].Quantity': ['The field Quantity must be an integer.'],
      'OrderItems[3].ProductId': ['The ProductId field is required.'],
      'OrderItems[3].Quantity': ['The Quantity field is required.'],
      'OrderItems[3].Price': ['The Price field is required.'],
    });
    expect(errorsOf('orders', { OrderId: 'o', OrderItems: [{ Sku: ' ', DeletedAt: AT }] })).toEqual({
      'OrderItems[0]': ['At least one of ProductId, Sku must have a value.'],
    });
    expect(errorsOf('products', { ProductId: 'p', ProductVariants: [{ DeletedAt: AT }] })).toEqual({
      'ProductVariants[0].VariantId': ['The VariantId field is required.'],
    });
  });

  it('has as many elements and messages as any other row at most (D-22)', () => {
    const wrong = (count: number) => Array.from({ length: count }, () => ({ Sku: 's', DeletedAt: 'x' }));
    const messages = errorsOf('orders', { OrderId: 'o', OrderItems: wrong(500) });
    expect(Object.keys(messages)).toHaveLength(MAX_VALIDATION_MESSAGES);
    const some = Array.from({ length: MAX_PARTS / 2 }, () => item('s'));
    const many = errorsOf('orders', {
      OrderId: 'o',
      Currency: 'EUR',
      OrderItems: [...some, ...wrong(MAX_PARTS / 2 + 1)],
    });
    expect(many).toEqual({
      OrderItems: [`The field OrderItems must be an array with a maximum length of ${MAX_PARTS}.`],
    });
  });
});

it.each<[RecordKind, object, readonly string[]]>([
  ['customers', { Email: 'a@x.com', DeletedAt: AT, VariantId: 'v' }, ['VariantId']],
  ['products', { ProductId: 'p', VariantId: 'v', DeletedAt: AT }, []],
  ['products', { ProductId: 'p', VarientId: 'v', DeletedAt: AT }, ['VarientId']],
  ['products', { ProductId: 'p', VariantId: 'v', DeletedAt: null, ProductVariants: [] }, ['VariantId']],
  ['products', { ProductId: 'p', ProductVariants: [{ VariantId: 'v', DeletedAt: AT }] }, []],
  ['orders', { OrderId: 'o', ProductId: 'p', Sku: 's', DeletedAt: AT, UpdatedAt: AT }, []],
  ['orders', { OrderId: 'o', Currency: 'EUR', Sku: 's' }, ['Sku']],
])('of the %s row %j the ignored fields are %j (D-21)', (kind, record, expected) => {
  const ignored = new Set<string>();
  noteIgnoredFields(record, kind, ignored);
  expect([...ignored]).toEqual(expected);
});

it('keeps an ignored field of another row that means something in the next one', () => {
  const ignored = new Set<string>();
  noteIgnoredFields({ OrderId: 'o', Currency: 'EUR', Sku: 's' }, 'orders', ignored);
  noteIgnoredFields({ OrderId: 'o', Sku: 's', DeletedAt: AT }, 'orders', ignored);
  expect([...ignored]).toEqual(['Sku']);
});
