import * as fc from 'fast-check';
import { MAX_PARTS } from '../../../shared/domain/limits';
import type { Kind } from '../support/batches';
import {
  accepts,
  elementBatch,
  errors,
  ITEM,
  itemBatch,
  KINDS,
  NAMES,
  tenant,
  VARIANT,
  variantBatch,
} from '../support/batches';
import { customers, orders, products } from '../support/dtos';
import { errorsOf } from '../support/errors-of';

describe('a batch', () => {
  it.each(NAMES)('of %s that is no array is refused (Spec §4, D-32)', (kind) => {
    for (const body of [null, undefined, {}, KINDS[kind].minimal, 'text', 1, true, { length: 0 }]) {
      expect(errors(kind, body)).toStrictEqual({ '': ['The request body must be a JSON array.'] });
    }
  });

  it.each(['customers', 'products', 'orders', 'deletions'])('in the member %s of an object is refused with a hint (R-107)', (member) => {
    const hint = `Send the array in ${member} by itself, without the object around it.`;
    const refused = { '': ['The request body must be a JSON array.', hint] };
    for (const kind of NAMES) expect(errors(kind, { total: 1, [member]: [] })).toStrictEqual(refused);
    expect(errors('customers', { [member]: {} })).toStrictEqual({ '': ['The request body must be a JSON array.'] });
  }); // prettier-ignore

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
