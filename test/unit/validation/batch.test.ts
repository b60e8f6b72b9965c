import * as fc from 'fast-check';
import { MAX_PARTS } from '../../../shared/domain/limits';
import type { Tenant } from '../../../shared/domain/tenant';
import { compileBatchValidator } from '../../../shared/validation/batch';
import { customerBatch } from '../../../shared/validation/customer-batch';
import { orderBatch } from '../../../shared/validation/order-batch';
import { productBatch } from '../../../shared/validation/product-batch';
import { customers, orders, products } from '../support/dtos';
import { errorsOf } from '../support/errors-of';
import { aTenant } from '../support/tenant';

const tenant = aTenant();
const KINDS = {
  customers: { validate: compileBatchValidator(customerBatch), minimal: { Email: 'a@x.io' }, max: 1000 },
  products: {
    validate: compileBatchValidator(productBatch),
    minimal: { ProductId: 'p', ProductVariants: [] },
    max: 200,
  },
  orders: { validate: compileBatchValidator(orderBatch), minimal: { OrderId: 'o', Currency: 'USD' }, max: 500 },
} as const;
type Kind = keyof typeof KINDS;
const NAMES = Object.keys(KINDS) as Kind[];

const VARIANT = { VariantId: 'v', Sku: 's' };
const ITEM = { ProductId: 'p', Sku: 's', Quantity: 1, Price: 1 };
const variantBatch = (variant: object) => [{ ProductId: 'p', ProductVariants: [{ ...VARIANT, ...variant }] }];
const itemBatch = (item: object) => [{ OrderId: 'o', Currency: 'USD', OrderItems: [{ ...ITEM, ...item }] }];
const elementBatch = (kind: Kind, element: object) => [{ ...KINDS[kind].minimal, ...element }];

const errors = (kind: Kind, body: unknown, of: Tenant = tenant) => errorsOf(() => KINDS[kind].validate(body, of));
const accepts = (kind: Kind, body: unknown[], of: Tenant = tenant) => {
  expect(KINDS[kind].validate(body, of).records).toStrictEqual(body);
};
const without = (object: object, field: string) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== field));

describe('a batch', () => {
  it.each(NAMES)('of %s that is no array is refused (Spec §4, D-32)', (kind) => {
    for (const body of [null, undefined, {}, KINDS[kind].minimal, 'text', 1, true, { length: 0 }]) {
      expect(errors(kind, body)).toStrictEqual({ '': ['The request body must be a JSON array.'] });
    }
  });

  it.each(NAMES)('of %s may be empty (D-31)', (kind) => {
    expect(KINDS[kind].validate([], tenant)).toStrictEqual({ records: [], ignoredFields: [] });
  });

  it.each(NAMES)('of %s may have the maximum of records, and not one more (Spec §8, D-31)', (kind) => {
    const { minimal, max } = KINDS[kind];
    accepts(
      kind,
      Array.from({ length: max }, () => minimal),
    );
    expect(
      errors(
        kind,
        Array.from({ length: max + 1 }, () => minimal),
      ),
    ).toStrictEqual({
      '': [`The batch must contain at most ${max} records.`],
    });
  });

  it('of too many records is refused before they are looked at (D-31)', () => {
    expect(
      errors(
        'products',
        Array.from({ length: 201 }, () => null),
      ),
    ).toStrictEqual({
      '': ['The batch must contain at most 200 records.'],
    });
  });

  it.each(NAMES)('of %s says which element is no object (D-15)', (kind) => {
    const body = [KINDS[kind].minimal, null, 'x', 1, true, [], [KINDS[kind].minimal]];
    const expected = [1, 2, 3, 4, 5, 6].map((index) => [`[${index}]`, ['The element must be an object.']]);
    expect(errors(kind, body)).toStrictEqual(Object.fromEntries(expected));
  });

  it('may repeat an identifier: its elements are applied in their order (D-07)', () => {
    for (const kind of NAMES) accepts(kind, [KINDS[kind].minimal, KINDS[kind].minimal]);
  });

  it.each([
    ['customers', customers],
    ['products', products],
    ['orders', orders],
  ] as const)('of valid %s is accepted as it is', (kind, element: fc.Arbitrary<unknown>) => {
    fc.assert(fc.property(fc.array(element, { maxLength: 5 }), (batch) => accepts(kind, batch)));
  });

  it.each(NAMES)('of whatever JSON ends with records or with violations, and with nothing else: %s (D-30)', (kind) => {
    const nearly = fc.dictionary(
      fc.constantFrom(
        'Email',
        'CustomerId',
        'ProductId',
        'ProductVariants',
        'OrderId',
        'Currency',
        'OrderItems',
        '__proto__',
        '',
      ),
      fc.jsonValue({ maxDepth: 2 }),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(nearly, fc.jsonValue()), { minLength: 1, maxLength: 3 }), (batch) => {
        const parsed = JSON.parse(JSON.stringify(batch)) as unknown[];
        try {
          expect(KINDS[kind].validate(parsed, tenant).records).toHaveLength(parsed.length);
        } catch (error) {
          const found = errorsOf(() => { throw error; });
          expect(Object.values(found).flat().length).toBeGreaterThan(0);
          expect(Object.values(found).flat().every((message) => message !== '')).toBe(true);
        } // prettier-ignore
      }),
      { numRuns: 200 },
    );
  });
});

describe('a required field', () => {
  const cases = [
    ['products', 'ProductId', '[0].ProductId', (value: object) => elementBatch('products', value)],
    ['products', 'VariantId', '[0].ProductVariants[0].VariantId', variantBatch],
    ['products', 'Sku', '[0].ProductVariants[0].Sku', variantBatch],
    ['orders', 'OrderId', '[0].OrderId', (value: object) => elementBatch('orders', value)],
    ['orders', 'Currency', '[0].Currency', (value: object) => elementBatch('orders', value)],
    ['orders', 'ProductId', '[0].OrderItems[0].ProductId', itemBatch],
    ['orders', 'Sku', '[0].OrderItems[0].Sku', itemBatch],
  ] as const;

  it.each(cases)(
    'of %s is missing when %s is omitted, null or blank (Spec §7.2, D-12, D-14): %s',
    (kind, field, path, batchOf) => {
      const omitted = JSON.parse(JSON.stringify(batchOf({ [field]: undefined }))) as unknown;
      for (const body of [
        omitted,
        ...[null, '', ' ', '\u00a0\u3000\ufeff', '\n', ' '.repeat(1000)].map((value) => batchOf({ [field]: value })),
      ]) {
        expect(errors(kind, body)).toStrictEqual({ [path]: [`The ${field} field is required.`] });
      }
    },
  );

  it.each(['Quantity', 'Price'])('%s of an item is missing when it is omitted or null (Spec §7.2)', (field) => {
    const path = `[0].OrderItems[0].${field}`;
    expect(errors('orders', itemBatch({ [field]: null }))).toStrictEqual({
      [path]: [`The ${field} field is required.`],
    });
    const omitted = [{ OrderId: 'o', Currency: 'USD', OrderItems: [without(ITEM, field)] }];
    expect(errors('orders', omitted)).toStrictEqual({ [path]: [`The ${field} field is required.`] });
  });

  it('ProductVariants is missing when it is omitted or null, and may be empty (Spec §2.3)', () => {
    const expected = { '[0].ProductVariants': ['The ProductVariants field is required.'] };
    expect(errors('products', [{ ProductId: 'p' }])).toStrictEqual(expected);
    expect(errors('products', elementBatch('products', { ProductVariants: null }))).toStrictEqual(expected);
    accepts('products', [{ ProductId: 'p', ProductVariants: [] }]);
  });

  it('of each nested element is named with its own place (Spec §7.2)', () => {
    const body = [KINDS.orders.minimal, { OrderId: 'o', OrderItems: [ITEM, {}, without(ITEM, 'Sku')] }];
    expect(errors('orders', body)).toStrictEqual({
      '[1].Currency': ['The Currency field is required.'],
      '[1].OrderItems[1].ProductId': ['The ProductId field is required.'],
      '[1].OrderItems[1].Sku': ['The Sku field is required.'],
      '[1].OrderItems[1].Quantity': ['The Quantity field is required.'],
      '[1].OrderItems[1].Price': ['The Price field is required.'],
      '[1].OrderItems[2].Sku': ['The Sku field is required.'],
    });
  });

  it('is missing when only the prototype of the JSON has it', () => {
    const body = JSON.parse('[{"__proto__":{"ProductId":"p","ProductVariants":[]}}]') as unknown;
    expect(Object.keys(errors('products', body))).toStrictEqual(['[0].ProductId', '[0].ProductVariants']);
  });
});

describe('a customer', () => {
  const message = (index: number) => `Element [${index}]: at least one of CustomerId, Email must have a value.`;

  it.each([{}, { Email: null }, { CustomerId: '' }, { Email: ' \t', CustomerId: '\u3000' }, { Name: 'Ada' }])(
    'without an identifier is refused at the empty path: %j (Spec §2.2 rule 1, §7.2)',
    (customer) => {
      expect(errors('customers', [KINDS.customers.minimal, customer])).toStrictEqual({ '': [message(1)] });
    },
  );

  it.each([
    { Email: 'a@x.io' },
    { CustomerId: '1' },
    { Email: '', CustomerId: '1' },
    { Email: 'a@x.io', CustomerId: ' ' },
  ])('with one identifier is accepted: %j (Spec §2.2 rule 1)', (customer) => accepts('customers', [customer]));

  it('whose only identifier has a wrong type hears of the type alone (D-15)', () => {
    expect(errors('customers', [{ CustomerId: 7 }])).toStrictEqual({
      '[0].CustomerId': ['The field CustomerId must be a string.'],
    });
  });

  it('is listed once for each of several without an identifier (D-22)', () => {
    expect(errors('customers', [{}, KINDS.customers.minimal, {}])).toStrictEqual({ '': [message(0), message(2)] });
  });
});

describe('fields that a tenant enforces', () => {
  const strict = aTenant({ requiredFields: ['Language', 'GdprOptin'] });

  it.each<[object, object]>([
    [
      {},
      { '[0].Language': ['The Language field is required.'], '[0].GdprOptin': ['The GdprOptin field is required.'] },
    ],
    [{ Language: null, GdprOptin: false }, { '[0].Language': ['The Language field is required.'] }],
    [{ Language: 'en', GdprOptin: null }, { '[0].GdprOptin': ['The GdprOptin field is required.'] }],
    [{ Language: 'en', GdprOptin: 'yes' }, { '[0].GdprOptin': ['The field GdprOptin must be a boolean.'] }],
  ])('are missing in %j (Spec §2.1, §7.2, D-12)', (customer, expected) => {
    expect(errors('customers', elementBatch('customers', customer), strict)).toStrictEqual(expected);
  });

  it.each(['', ' '])('are only missing, and nothing else, when they are %j (D-12)', (blank) => {
    expect(errors('customers', elementBatch('customers', { Language: blank, GdprOptin: true }), strict)).toStrictEqual({
      '[0].Language': ['The Language field is required.'],
    });
  });

  it('may be false, and are not asked of another tenant, nor of other records (Spec §2.1)', () => {
    accepts('customers', elementBatch('customers', { Language: 'en', GdprOptin: false }), strict);
    accepts('customers', elementBatch('customers', {}));
    accepts('products', elementBatch('products', {}), strict);
    accepts('orders', elementBatch('orders', {}), strict);
  });
});

describe('the length of a text', () => {
  const element = (kind: Kind) => (value: object) => elementBatch(kind, value);
  it.each([
    ['customers', 'CustomerId', 100, '[0]', element('customers')],
    ['customers', 'Name', 100, '[0]', element('customers')],
    ['customers', 'Surname', 300, '[0]', element('customers')],
    ['customers', 'Phone', 20, '[0]', element('customers')],
    ['customers', 'Username', 500, '[0]', element('customers')],
    ['products', 'ProductId', 100, '[0]', element('products')],
    ['products', 'ProductName', 200, '[0]', element('products')],
    ['products', 'VariantId', 100, '[0].ProductVariants[0]', variantBatch],
    ['products', 'Sku', 200, '[0].ProductVariants[0]', variantBatch],
    ['products', 'Name', 600, '[0].ProductVariants[0]', variantBatch],
    ['products', 'Image', 2000, '[0].ProductVariants[0]', variantBatch],
    ['products', 'Size', 50, '[0].ProductVariants[0]', variantBatch],
    ['products', 'Color', 50, '[0].ProductVariants[0]', variantBatch],
    ['products', 'BrandName', 200, '[0].ProductVariants[0]', variantBatch],
    ['products', 'Url', 2000, '[0].ProductVariants[0]', variantBatch],
    ['orders', 'OrderId', 100, '[0]', element('orders')],
    ['orders', 'CustomerId', 100, '[0]', element('orders')],
    ['orders', 'ProductId', 100, '[0].OrderItems[0]', itemBatch],
    ['orders', 'Sku', 50, '[0].OrderItems[0]', itemBatch],
    ['orders', 'Size', 50, '[0].OrderItems[0]', itemBatch],
    ['orders', 'Color', 50, '[0].OrderItems[0]', itemBatch],
  ] as const)(
    'of %s, %s, is at most %d characters (Spec §2, D-10, D-11, D-21)',
    (kind, field, length, base, batchOf) => {
      accepts(kind, batchOf({ [field]: 'x'.repeat(length) }));
      accepts(kind, batchOf({ [field]: '😀'.repeat(length) }));
      expect(errors(kind, batchOf({ [field]: 'x'.repeat(length + 1) }))).toStrictEqual({
        [`${base}.${field}`]: [`The field ${field} must be a string with a maximum length of ${length}.`],
      });
    },
  );

  it.each(['customers', 'orders'] as const)(
    'of the Email of %s is at most 255 characters (Spec §2.2, D-11)',
    (kind) => {
      accepts(kind, elementBatch(kind, { Email: `${'x'.repeat(250)}@x.io` }));
      expect(errors(kind, elementBatch(kind, { Email: `${'x'.repeat(251)}@x.io` }))).toStrictEqual({
        '[0].Email': ['The field Email must be a string with a maximum length of 255.'],
      });
    },
  );

  it('of a Language is at most 10 characters, which zh-Hant-TW has (Spec §2.2)', () => {
    accepts('customers', elementBatch('customers', { Language: 'zh-Hant-TW' }));
    expect(errors('customers', elementBatch('customers', { Language: 'zho-Hant-TW' }))).toStrictEqual({
      '[0].Language': ['The field Language must be a string with a maximum length of 10.'],
    });
  });

  it('has no bound for the Brand of an item (Spec §2.6)', () => {
    accepts('orders', itemBatch({ Brand: 'x'.repeat(100_000) }));
  });
});

describe('the type of a value', () => {
  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    'a string': [1, 0, true, {}, [], ['x']],
    'an integer': ['1', '', true, {}, [], 1.5, -0.1, 2 ** 31, -(2 ** 31) - 1, 1e300, 1e999, 9007199254740993],
    'a number': ['1', 'NaN', true, {}, [], 1e999, -1e999],
    'a boolean': ['true', 'false', '', 0, 1, {}, []],
    'an array': ['x', 1, true, {}, { length: 0 }],
  };
  const element = (kind: Kind) => (value: object) => elementBatch(kind, value);

  it.each([
    ['customers', 'an e-mail', 'Email', 'a string', '[0]', element('customers')],
    ['customers', 'a text', 'Name', 'a string', '[0]', element('customers')],
    ['customers', 'a language', 'Language', 'a string', '[0]', element('customers')],
    ['customers', 'a consent', 'EmailOptin', 'a boolean', '[0]', element('customers')],
    ['products', 'an identifier', 'ProductId', 'a string', '[0]', element('products')],
    ['products', 'a list', 'Taxonomy', 'an array', '[0]', element('products')],
    ['products', 'a list of parts', 'ProductVariants', 'an array', '[0]', element('products')],
    ['products', 'an identifier', 'Sku', 'a string', '[0].ProductVariants[0]', variantBatch],
    ['products', 'an int', 'Stock', 'an integer', '[0].ProductVariants[0]', variantBatch],
    ['products', 'a double', 'SalePrice', 'a number', '[0].ProductVariants[0]', variantBatch],
    ['orders', 'a currency', 'Currency', 'a string', '[0]', element('orders')],
    ['orders', 'a date', 'OrderDate', 'a string', '[0]', element('orders')],
    ['orders', 'an int', 'TotalQuantity', 'an integer', '[0]', element('orders')],
    ['orders', 'a double', 'TotalRevenue', 'a number', '[0]', element('orders')],
    ['orders', 'a list of parts', 'OrderItems', 'an array', '[0]', element('orders')],
    ['orders', 'an int', 'Quantity', 'an integer', '[0].OrderItems[0]', itemBatch],
    ['orders', 'a double', 'Price', 'a number', '[0].OrderItems[0]', itemBatch],
    ['orders', 'a flag', 'IsGift', 'a boolean', '[0].OrderItems[0]', itemBatch],
  ] as const)('of %s, %s (%s), must be %s: nothing is converted (D-15)', (kind, _, field, type, base, batchOf) => {
    for (const value of wrong[type]!) {
      expect([value, errors(kind, batchOf({ [field]: value }))]).toStrictEqual([
        value,
        { [`${base}.${field}`]: [`The field ${field} must be ${type}.`] },
      ]);
    }
  });

  it('of the entries of Taxonomy is a string, of nested parts an object (D-15)', () => {
    const product = { ProductId: 'p', Taxonomy: ['a', 1, null], ProductVariants: [null, 'v', [], VARIANT] };
    expect(errors('products', [product])).toStrictEqual({
      '[0].Taxonomy[1]': ['The field Taxonomy must be a string.'],
      '[0].Taxonomy[2]': ['The field Taxonomy must be a string.'],
      '[0].ProductVariants[0]': ['The field ProductVariants must be an object.'],
      '[0].ProductVariants[1]': ['The field ProductVariants must be an object.'],
      '[0].ProductVariants[2]': ['The field ProductVariants must be an object.'],
    });
  });

  it.each([0, -0, 1.0, -1, 2 ** 31 - 1, -(2 ** 31)])('int may be %d, from edge to edge of 32 bits (D-15)', (value) => {
    accepts('orders', itemBatch({ Quantity: value }));
  });

  it.each([0, -0, -12.5, 1e308, 5e-324, 0.1])('double may be %d, refunds included (Spec §2.5, D-15)', (value) => {
    accepts('orders', itemBatch({ Price: value }));
  });

  it('double read from 1e999 is refused, as JSON makes infinity of it (D-15)', () => {
    const body = JSON.parse(
      '[{"OrderId":"o","Currency":"USD","TotalRevenue":1e999,"UniqueQuantity":-1e999}]',
    ) as unknown;
    expect(errors('orders', body)).toStrictEqual({
      '[0].TotalRevenue': ['The field TotalRevenue must be a number.'],
      '[0].UniqueQuantity': ['The field UniqueQuantity must be an integer.'],
    });
  });

  it('of every optional field may be null (D-12)', () => {
    const nulls = (...fields: string[]) => Object.fromEntries(fields.map((field) => [field, null]));
    accepts('customers', [{ Email: 'a@x.io', ...nulls('CustomerId', 'Name', 'Surname', 'Phone', 'Language', 'Username', 'EmailOptin', 'SmsOptin', 'WhatsappOptin', 'AppPushOptin', 'GdprOptin', 'IsExcluded') }]);
    accepts('products', [{ ...KINDS.products.minimal, ...nulls('ProductName', 'Taxonomy', 'IsOfflineExclusive') }]);
    accepts('products', variantBatch(nulls('Name', 'Image', 'Size', 'Color', 'Stock', 'OriginalPrice', 'SalePrice', 'Currency', 'IsAvailable', 'Language', 'BrandName', 'Url')));
    accepts('orders', [{ ...KINDS.orders.minimal, ...nulls('Email', 'CustomerId', 'TotalQuantity', 'TotalRevenue', 'OrderDate', 'UniqueQuantity', 'IsOrderCancelled', 'OrderItems') }]);
    accepts('orders', itemBatch(nulls('Size', 'Color', 'Brand', 'IsGift', 'OriginalPrice')));
  }); // prettier-ignore
});

describe('the form of a text', () => {
  const element = (kind: Kind) => (value: object) => elementBatch(kind, value);
  const EMAIL = 'The field Email must be an e-mail address.';
  const LANGUAGE = 'The field Language must be an IETF BCP 47 tag of the form language[-script][-region].';
  const CURRENCY = 'The field Currency must be an ISO 4217 currency code.';
  const DATE = 'The field OrderDate must be an ISO 8601 date or date-time.';

  it.each<[string, Kind, string, string, string]>([
    ['D-17', 'customers', '[0].Email', 'a@b@c', EMAIL],
    ['D-17', 'customers', '[0].Email', 'a b@c', EMAIL],
    ['D-17', 'customers', '[0].Email', 'a\ud800@x.io', EMAIL],
    ['D-17', 'orders', '[0].Email', '@x.io', EMAIL],
    ['D-16', 'customers', '[0].Language', 'en_US', LANGUAGE],
    ['D-16', 'customers', '[0].Language', '', LANGUAGE],
    ['D-16', 'products', '[0].ProductVariants[0].Language', 'english', LANGUAGE],
    ['D-14', 'orders', '[0].Currency', 'ABC', CURRENCY],
    ['D-14', 'products', '[0].ProductVariants[0].Currency', '€', CURRENCY],
    ['D-18', 'orders', '[0].OrderDate', '2026-02-30', DATE],
    ['D-18', 'orders', '[0].OrderDate', '', DATE],
    ['R-06', 'customers', '[0].Name', '\ud83d', 'The field Name must be well-formed Unicode text.'],
    ['R-06', 'orders', '[0].OrderId', 'a\udc00b', 'The field OrderId must be well-formed Unicode text.'],
    ['R-06', 'orders', '[0].OrderItems[0].Brand', '\ude00\ud83d', 'The field Brand must be well-formed Unicode text.'],
  ])('(%s) of %s at %s must not be %j', (_, kind, path, value, message) => {
    const field = path.slice(path.lastIndexOf('.') + 1);
    const batchOf = path.includes('Variants') ? variantBatch : path.includes('Items') ? itemBatch : element(kind);
    expect(errors(kind, batchOf({ [field]: value }))).toStrictEqual({ [path]: [message] });
  });

  it('of the entries of Taxonomy is well-formed Unicode, named by its place (R-06)', () => {
    expect(errors('products', elementBatch('products', { Taxonomy: ['ok', '\ud800'] }))).toStrictEqual({
      '[0].Taxonomy[1]': ['The field Taxonomy must be well-formed Unicode text.'],
    });
  });

  it.each([
    ['customers', element('customers'), { Email: ' A@X.io\n', Language: ' EN ' }],
    [
      'customers',
      element('customers'),
      { Name: 'line\r\nbreak\0', Surname: '😀', Phone: '=1+1', Username: '<script>' },
    ],
    ['orders', element('orders'), { Currency: 'usd', Email: '', CustomerId: ' ', OrderDate: '2024-02-29' }],
    ['products', variantBatch, { Currency: ' ', Size: '', OriginalPrice: 1, SalePrice: 2 }],
  ] as const)('of %s is free otherwise (D-01, D-14, D-16, D-17, D-19)', (kind, batchOf, value) => {
    accepts(kind, batchOf(value));
  });
});

describe('several violations', () => {
  it('are all listed: of one field, of one element and of every element (D-22)', () => {
    const body = [
      { Email: 'x', Name: 'x'.repeat(101), EmailOptin: 1 },
      { Email: 'x'.repeat(256), Language: 'no language' },
      {},
    ];
    expect(errors('customers', body)).toStrictEqual({
      '[0].Email': ['The field Email must be an e-mail address.'],
      '[0].Name': ['The field Name must be a string with a maximum length of 100.'],
      '[0].EmailOptin': ['The field EmailOptin must be a boolean.'],
      '[1].Email': expect.arrayContaining([
        'The field Email must be an e-mail address.',
        'The field Email must be a string with a maximum length of 255.',
      ]) as unknown,
      '[1].Language': expect.arrayContaining([
        'The field Language must be an IETF BCP 47 tag of the form language[-script][-region].',
        'The field Language must be a string with a maximum length of 10.',
      ]) as unknown,
      '': ['Element [2]: at least one of CustomerId, Email must have a value.'],
    });
  });

  const count = (found: Readonly<Record<string, readonly string[]>>) => Object.values(found).flat().length;

  it('are listed up to 100 messages, the first ones (D-22)', () => {
    expect(
      count(
        errors(
          'customers',
          Array.from({ length: 100 }, () => ({})),
        ),
      ),
    ).toBe(100);
    const found = errors(
      'customers',
      Array.from({ length: 1000 }, () => ({})),
    );
    expect(found).toStrictEqual({
      '': Array.from(
        { length: 100 },
        (_, index) => `Element [${index}]: at least one of CustomerId, Email must have a value.`,
      ),
    });
  });

  it('are cut in the middle of an element too (D-22)', () => {
    const found = errors('orders', [
      { OrderId: 'o', Currency: 'USD', OrderItems: Array.from({ length: 50 }, () => ({})) },
    ]);
    expect(count(found)).toBe(100);
    expect(Object.keys(found)).toContain('[0].OrderItems[24].Price');
    expect(Object.keys(found)).not.toContain('[0].OrderItems[25].ProductId');
  });

  it('never let a part of the batch through (D-30)', () => {
    expect(errors('orders', [KINDS.orders.minimal, { OrderId: 'o' }])).toStrictEqual({
      '[1].Currency': ['The Currency field is required.'],
    });
  });
});

describe('a violation at a random place', () => {
  const wrongOrderField = fc.constantFrom<[string, unknown]>(
    ['OrderId', ' '], ['Email', 'no mail'], ['CustomerId', 'x'.repeat(101)], ['TotalQuantity', 1.5], ['TotalRevenue', '1'],
    ['OrderDate', '2026-02-30'], ['Currency', null], ['UniqueQuantity', 2 ** 31], ['IsOrderCancelled', 'no'], ['OrderItems', {}],
  ); // prettier-ignore
  const wrongItemField = fc.constantFrom<[string, unknown]>(
    ['ProductId', null], ['Sku', 'x'.repeat(51)], ['Quantity', '1'], ['Price', null], ['Size', 'x'.repeat(51)], ['Color', 1],
    ['Brand', '\ud800'], ['IsGift', 0], ['OriginalPrice', Infinity],
  ); // prettier-ignore
  const wrongVariantField = fc.constantFrom<[string, unknown]>(
    ['VariantId', ''], ['Sku', 'x'.repeat(201)], ['Name', {}], ['Stock', -(2 ** 31) - 1], ['SalePrice', NaN], ['Currency', 'XYZ'],
    ['Language', 'e'], ['IsAvailable', 'true'], ['Url', 'x'.repeat(2001)],
  ); // prettier-ignore
  const place = fc.nat();

  it('is reported at exactly that element and field (Spec §7.2)', () => {
    fc.assert(
      fc.property(
        fc.array(orders, { minLength: 1, maxLength: 6 }),
        place,
        wrongOrderField,
        (batch, random, [field, value]) => {
          const index = random % batch.length;
          const planted = batch.map((order, at) => (at === index ? { ...order, [field]: value } : order));
          expect(Object.keys(errors('orders', planted))).toStrictEqual([`[${index}].${field}`]);
        },
      ),
    );
  });

  it('is reported at exactly that item and field (Spec §7.2)', () => {
    fc.assert(
      fc.property(fc.array(orders, { minLength: 1, maxLength: 6 }), place, place, wrongItemField, (batch, random, randomItem, [field, value]) => {
        const index = random % batch.length;
        const lines = [...(batch[index]!.OrderItems ?? []), ITEM];
        const line = randomItem % lines.length;
        const OrderItems = lines.map((item, at) => (at === line ? { ...item, [field]: value } : item));
        const planted = batch.map((order, at) => (at === index ? { ...order, OrderItems } : order));
        expect(Object.keys(errors('orders', planted))).toStrictEqual([`[${index}].OrderItems[${line}].${field}`]);
      }),
    ); // prettier-ignore
  });

  it('is reported at exactly that variant and field (Spec §7.2)', () => {
    fc.assert(
      fc.property(fc.array(products, { minLength: 1, maxLength: 6 }), place, place, wrongVariantField, (batch, random, randomVariant, [field, value]) => {
        const index = random % batch.length;
        const all = [...batch[index]!.ProductVariants, VARIANT];
        const at = randomVariant % all.length;
        const ProductVariants = all.map((variant, of) => (of === at ? { ...variant, [field]: value } : variant));
        const planted = batch.map((product, of) => (of === index ? { ...product, ProductVariants } : product));
        expect(Object.keys(errors('products', planted))).toStrictEqual([`[${index}].ProductVariants[${at}].${field}`]);
      }),
    ); // prettier-ignore
  });
});

describe('unknown fields', () => {
  const ignored = (kind: Kind, body: unknown) => KINDS[kind].validate(body, tenant).ignoredFields;

  it('are named by distinct paths, as a misspelt consent must not be lost unseen (D-21)', () => {
    const misspelt = { Email: 'a@x.io', emailoptin: true, EmailOptIn: true };
    expect(ignored('customers', [misspelt, misspelt, { ...misspelt, email: 'x' }])).toStrictEqual([
      'emailoptin',
      'EmailOptIn',
      'email',
    ]);
  });

  it('of variants and items are named after their list, whatever their place (D-21)', () => {
    const variants = [
      { ...VARIANT, Colour: 'red' },
      { ...VARIANT, Colour: 'blue', Color: 'blue', SizeNumeric: 1 },
    ];
    expect(ignored('products', [{ ProductId: 'p', Color: 'red', ProductVariants: variants }])).toStrictEqual([
      'Color',
      'ProductVariants.Colour',
      'ProductVariants.SizeNumeric',
    ]);
    expect(ignored('orders', itemBatch({ BrandName: 'x', OrderItems: [] }))).toStrictEqual([
      'OrderItems.BrandName',
      'OrderItems.OrderItems',
    ]);
  });

  it('are looked for no deeper than the specification goes (D-21)', () => {
    expect(ignored('customers', [{ Email: 'a@x.io', Address: { Street: { No: 1 } } }])).toStrictEqual(['Address']);
  });

  it('may have the names of an object’s own machinery (D-21)', () => {
    const body = JSON.parse(
      '[{"Email":"a@x.io","__proto__":{"Name":"x"},"constructor":1,"toString":2,"":3,"UpdatedAt":4}]',
    ) as unknown;
    expect(ignored('customers', body)).toStrictEqual(['__proto__', 'constructor', 'toString', '', 'UpdatedAt']);
  });

  it.each([19, 20, 21, 5000])('are at most 20, here of %d (D-21)', (count) => {
    const extra = Object.fromEntries(Array.from({ length: count }, (_, field) => [`x${field}`, 1]));
    const names = Object.keys(extra).slice(0, 20);
    expect(
      ignored('customers', [
        { Email: 'a@x.io', ...extra },
        { Email: 'a@x.io', y: 1 },
      ]),
    ).toStrictEqual(count < 20 ? [...names, 'y'] : names);
  });

  it('are cut where their name is huge', () => {
    const [path] = ignored('products', variantBatch({ ['x'.repeat(100_000)]: 1 }));
    expect(path).toBe(`ProductVariants.${'x'.repeat(200 - 'ProductVariants.'.length)}`);
  });

  it('are none when all fields are known (D-21)', () => {
    expect(ignored('products', variantBatch({ Color: 'red' }))).toStrictEqual([]);
  });
});

describe('the number of parts', () => {
  it.each([
    ['products', 'ProductVariants', VARIANT],
    ['orders', 'OrderItems', ITEM],
  ] as const)('of one of the %s is bounded before they are looked at (R-04)', (kind, field, part) => {
    const parts = (length: number, of: unknown) => elementBatch(kind, { [field]: Array.from({ length }, () => of) });
    accepts(kind, parts(MAX_PARTS, part));
    expect(errors(kind, parts(MAX_PARTS + 1, null))).toStrictEqual({
      [`[0].${field}`]: [`The field ${field} must be an array with a maximum length of ${MAX_PARTS}.`],
    });
  });
});
