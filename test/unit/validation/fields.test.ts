/** What a field of a record may hold, and what its errors say. */
import type { Kind } from '../support/batches';
import { accepts, elementBatch, errors, ITEM, itemBatch, KINDS, VARIANT, variantBatch } from '../support/batches';
import { aTenant } from '../support/tenant';

const without = (object: object, field: string) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== field));

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
