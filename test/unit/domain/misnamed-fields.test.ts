/** Fields that are ignored and were meant as known ones. */
import { customerSchema } from '../../../shared/domain/dto/customer';
import { orderSchema } from '../../../shared/domain/dto/order';
import { productSchema } from '../../../shared/domain/dto/product';
import { runToEnd } from '../../../shared/domain/records/parts';
import type { MisnamedField, MoreFields } from '../../../shared/domain/warnings/misnamed-fields';
import { compileMisnamedFieldFinder, warnOfMisnamed } from '../../../shared/domain/warnings/misnamed-fields';
import { NO_WARNINGS, toShownWarnings } from '../../../shared/domain/warnings/warning';
import { warningOf } from '../../support/warnings';

const SCHEMAS = { customers: customerSchema, products: productSchema, orders: orderSchema };
type Kind = keyof typeof SCHEMAS;

/** Each misnamed field of a record as `code: sent → expected`. */
function found(kind: Kind, record: unknown, more?: MoreFields): string[] {
  const fields = runToEnd(compileMisnamedFieldFinder(SCHEMAS[kind], more)(record));
  return fields.map(({ code, field, expected }) => `${code}: ${field} → ${expected}`);
}

it.each<[Kind, object, string[]]>([
  ['customers', { email: 'x', EMAILOPTIN: true }, ['fieldCase: email → Email', 'fieldCase: EMAILOPTIN → EmailOptin']],
  ['customers', { whatsappoptin: true }, ['fieldCase: whatsappoptin → WhatsappOptin']], // the longest name
  ['orders', { orderid: '1', orderItems: [] }, ['fieldCase: orderid → OrderId', 'fieldCase: orderItems → OrderItems']],
  ['orders', { OrderItems: [{ SKU: '1' }] }, ['fieldCase: OrderItems.SKU → OrderItems.Sku']],
  ['orders', { 'orderitems.sku': '1' }, ['fieldCase: orderitems.sku → OrderItems.Sku']],
  ['products', { ProductVariants: [{ stock: 1 }] }, ['fieldCase: ProductVariants.stock → ProductVariants.Stock']],
])('of %s are those in another case, in the record and in its parts: %j (R-102)', (kind, record, expected) => {
  expect(found(kind, record)).toEqual(expected);
});

it.each<[Kind, object, string[]]>([
  ['orders', { ProductId: 'tea', sku: 't', Quantity: 1, PRICE: 2 }, [
    'itemsDropped: ProductId → OrderItems.ProductId', 'itemsDropped: sku → OrderItems.Sku',
    'itemsDropped: Quantity → OrderItems.Quantity', 'itemsDropped: PRICE → OrderItems.Price',
  ]],
  ['products', { ProductId: '1', variantid: 'v', Sku: 's' }, [
    'variantsDropped: variantid → ProductVariants.VariantId', 'variantsDropped: Sku → ProductVariants.Sku',
  ]],
])('of %s are the fields that each part must have, beside those of the record: %j (R-103)', (kind, record, expected) => {
  expect(found(kind, record)).toEqual(expected);
}); // prettier-ignore

it('takes a field of the record in another case for that, although its parts have one of that name (R-103)', () => {
  expect(found('products', { productid: '1', productname: 'Tea' })).toEqual([
    'fieldCase: productid → ProductId',
    'fieldCase: productname → ProductName',
  ]);
  const both = { properties: { Sku: {}, OrderItems: { items: orderSchema.properties.OrderItems.items } } };
  expect(runToEnd(compileMisnamedFieldFinder(both)({ sku: '1' }))).toEqual([
    { code: 'fieldCase', field: 'sku', expected: 'Sku' },
  ]);
});

it('of a list that no warning is about are those in another case, and none beside it (R-102, R-103)', () => {
  const items = { properties: { Sku: {} }, required: ['Sku'] };
  const find = compileMisnamedFieldFinder({ properties: { Gifts: { items } } });
  expect(runToEnd(find({ sku: '1', Gifts: [{ sku: '1' }] }))).toEqual([
    { code: 'fieldCase', field: 'Gifts.sku', expected: 'Gifts.Sku' },
  ]);
});

it('names an expected field once, by the last of its spellings, in all parts together (R-102)', () => {
  expect(found('customers', { email: 'x', EMAIL: 'y' })).toEqual(['fieldCase: EMAIL → Email']);
  const record = { OrderItems: [{ sku: '1' }, { Sku: '1' }, { SKU: '2', price: 1 }] };
  expect(found('orders', record)).toEqual([
    'fieldCase: OrderItems.SKU → OrderItems.Sku',
    'fieldCase: OrderItems.price → OrderItems.Price',
  ]);
});

it.each<[Kind, unknown]>([
  ['customers', { Email: 'x', EmailOptin: true, CustomerId: '1' }],
  ['customers', { Mail: 'x', 'e-mail': 'x', Emails: 'x', İEmail: 'x', '': 1, toString: 1, constructor: 1 }],
  ['customers', { UpdatedAt: 'x', updatedat: 'x' }],
  ['products', { ProductId: '1', Name: 'Tea', Stock: 1, ProductVariants: [{ VariantId: '1', Sku: '1', Extra: 1 }] }],
  ['orders', { OrderId: '1', Size: 'L', OrderItems: [{ ProductId: 'tea', Sku: '1' }] }],
  ['orders', { OrderItems: null }],
  ['orders', { OrderItems: { sku: '1' } }],
  ['orders', { OrderItems: [null, 'sku', ['sku'], 1] }],
  ['orders', null],
  ['orders', 'orderid'],
  ['orders', ['orderid']],
  ['orders', undefined],
])('of %s are none in %j (R-102)', (kind, record) => {
  expect(found(kind, record)).toEqual([]);
});

it('knows the fields that rows of files have beside those of the schema (D-58, R-102)', () => {
  const more = { ofRecord: ['UpdatedAt'], ofPart: ['DeletedAt'] };
  expect(found('orders', { UpdatedAt: 'x', OrderItems: [{ DeletedAt: 'x' }] }, more)).toEqual([]);
  expect(found('orders', { updatedat: 'x', OrderItems: [{ deletedAt: 'x' }] }, more)).toEqual([
    'fieldCase: updatedat → UpdatedAt',
    'fieldCase: OrderItems.deletedAt → OrderItems.DeletedAt',
  ]);
});

it('pauses after every part, so that a record of many lets other requests in', () => {
  const find = compileMisnamedFieldFinder(orderSchema);
  expect([...find({ OrderItems: [{}, {}, {}] })]).toHaveLength(3);
  expect([...find({ OrderItems: [] })]).toHaveLength(0);
});

it('warns of an element once for each code, with all its fields and its place (R-102, R-103)', () => {
  const fields: MisnamedField[] = [
    { code: 'itemsDropped', field: 'sku', expected: 'OrderItems.Sku' },
    { code: 'fieldCase', field: 'email', expected: 'Email' },
    { code: 'itemsDropped', field: 'Price', expected: 'OrderItems.Price' },
  ];
  expect(toShownWarnings(warnOfMisnamed(NO_WARNINGS, fields, { line: 7 }))).toEqual([
    warningOf('fieldCase', 1, [{ line: 7, field: 'email', expected: 'Email' }]),
    warningOf('itemsDropped', 1, [
      { line: 7, field: 'sku', expected: 'OrderItems.Sku' },
      { line: 7, field: 'Price', expected: 'OrderItems.Price' },
    ]),
  ]);
  expect(warnOfMisnamed(NO_WARNINGS, [], { line: 7 })).toEqual(NO_WARNINGS);
});
