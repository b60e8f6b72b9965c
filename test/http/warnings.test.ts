/** What the answer of a batch warns of: `data.warnings` (R-100 to R-103), and batches in an object (R-107). */
import type { RecordKind } from '../../shared/domain/identity';
import { LOOKED_UP_FOR_WARNING, QUERY_VALUES } from '../../shared/limits/records';
import type { TenantSettings } from '../../shared/domain/tenant';
import type { Caller } from '../support/test-service';
import { useTestService } from '../support/test-service';
import { indexesOf, warningOf } from '../support/warnings';
import { expectProblem } from './api';

const service = useTestService('customers', 'products', 'orders');
const callerOf = (settings: Partial<TenantSettings> = {}) => service().createCaller(settings);

const post = async ({ tenantId, key }: Caller, to: string, json: unknown, query = '') => {
  const [kind, ...rest] = to.split('/');
  const path = `/${[kind, tenantId, ...rest].join('/')}${query && `?${query}`}`;
  return service().request('POST', path, { key, json });
};

/** The warnings of a batch that is accepted; undefined: it has none. */
async function warningsOf(caller: Caller, to: string, json: unknown, query = ''): Promise<unknown> {
  const answer = await post(caller, to, json, query);
  expect(answer.status).toBe(200);
  return (answer.json as { data: { warnings?: unknown } }).data.warnings;
}

/** How many queries a batch takes. */
async function queriesOf(caller: Caller, json: unknown): Promise<number> {
  service().store.forget();
  await warningsOf(caller, 'customers', json);
  return service().store.calls.filter(({ method }) => method === 'findWhere').length;
}

const ADA = { Email: 'ada@example.com', CustomerId: 'C-1' };

describe('customers without the priority identifier (R-101)', () => {
  it('are told by their indexes, without any value', async () => {
    const caller = await callerOf();
    const batch = [ADA, { CustomerId: 'C-2' }, { CustomerId: 'C-3', EmailOptin: false }];
    const answer = await post(caller, 'customers', batch);
    expect(answer.json).toMatchObject({ data: { warnings: [warningOf('emailMissing', 2, indexesOf(1, 2))] } });
    expect(JSON.stringify(answer.json)).not.toMatch(/C-[123]|example\.com|stored customer who has both/);
  });

  it('are told of a tenant that goes by CustomerId, too', async () => {
    const caller = await callerOf({ customerIdentifier: 'customerid' });
    const expected = [warningOf('customerIdMissing', 1, indexesOf(1), 'without a CustomerId')];
    expect(await warningsOf(caller, 'customers', [ADA, { Email: 'bob@example.com' }])).toEqual(expected);
    const missed = [warningOf('consentNotApplied', 1, indexesOf(0))];
    expect(await warningsOf(caller, 'customers', [{ Email: ' ADA@example.com', SmsOptin: true }])).toEqual(missed);
  });

  it('say how to reach a stored customer with the same other identifier', async () => {
    const caller = await callerOf();
    await post(caller, 'customers', [ADA]);
    const expected = [warningOf('emailMissing', 2, indexesOf(0, 1), 'send Email and CustomerId together to reach')];
    const batch = [
      { CustomerId: 'C-2', EmailOptin: true },
      { CustomerId: ' C-1 ', Name: 'Ada' },
    ];
    expect(await warningsOf(caller, 'customers', batch)).toEqual(expected);
  });

  it('say nothing of a customer whose deletion is accepted, and not yet applied', async () => {
    const caller = await callerOf();
    await post(caller, 'customers', [{ ...ADA, EmailOptin: true }]);
    const { key, tenantId } = caller;
    const path = `/customers/${tenantId}?email=${ADA.Email}`;
    expect((await service().request('DELETE', path, { key })).status).toBe(200);
    for (const query of ['?validateOnly=true', '']) {
      const answer = await service().request('POST', `/customers/${tenantId}${query}`, {
        key,
        json: [{ CustomerId: 'C-1', EmailOptin: true }],
      });
      expect(answer.json).toMatchObject({ data: { warnings: [warningOf('emailMissing', 1, indexesOf(0))] } });
      expect(answer.text).not.toMatch(/stored customer/);
    }
  });

  it('say that a consent was not applied to that customer, be it given, withdrawn or cleared', async () => {
    const caller = await callerOf();
    await post(caller, 'customers', [{ ...ADA, EmailOptin: true }]);
    for (const EmailOptin of [false, true, null]) {
      const batch = [
        { CustomerId: 'C-1', EmailOptin },
        { CustomerId: 'C-2', EmailOptin },
      ];
      expect(await warningsOf(caller, 'customers', batch)).toEqual([
        warningOf('emailMissing', 1, indexesOf(1)),
        warningOf('consentNotApplied', 1, indexesOf(0), 'keeps the consents that are stored'),
      ]);
    }
    expect(await service().records(caller.tenantId, 'customers')).toContainEqual(
      expect.objectContaining({ Email: ADA.Email, EmailOptin: true }),
    );
  });

  it('see the customers of their own batch, in any order', async () => {
    const caller = await callerOf();
    const withdrawn = { CustomerId: 'C-1', GdprOptin: false };
    const expected = (index: number) => [warningOf('consentNotApplied', 1, indexesOf(index))];
    expect(await warningsOf(caller, 'customers', [ADA, withdrawn])).toEqual(expected(1));
    expect(await warningsOf(await callerOf(), 'customers', [withdrawn, ADA])).toEqual(expected(0));
  });

  it('see no customer of another tenant', async () => {
    const [caller, other] = [await callerOf(), await callerOf()];
    await post(other, 'customers', [ADA]);
    const expected = [warningOf('emailMissing', 1, indexesOf(0))];
    const answer = await post(caller, 'customers', [{ CustomerId: 'C-1', EmailOptin: false }]);
    expect(answer.json).toMatchObject({ data: { warnings: expected } });
    expect(JSON.stringify(answer.json)).not.toContain('stored customer');
  });

  it('cost nothing where all have it, and a bounded number of queries where many lack it', async () => {
    const caller = await callerOf();
    const emails = Array.from({ length: 200 }, (_, index) => ({
      Email: `${index}@example.com`,
      CustomerId: `${index}`,
    }));
    expect(await queriesOf(caller, emails)).toBe(0);
    const few = Array.from({ length: QUERY_VALUES }, (_, index) => ({ CustomerId: `${index}` }));
    expect(await queriesOf(caller, [...few, ...few])).toBe(1);
    const many = Array.from({ length: 1000 }, (_, index) => ({ CustomerId: `${index}` }));
    expect(await queriesOf(caller, many)).toBe(LOOKED_UP_FOR_WARNING / QUERY_VALUES);
  });

  it('are looked up first where they send a consent', async () => {
    const caller = await callerOf();
    await post(caller, 'customers', [ADA]);
    const many = Array.from({ length: 2 * LOOKED_UP_FOR_WARNING }, (_, index) => ({ CustomerId: `X-${index}` }));
    const warnings = await warningsOf(caller, 'customers', [...many, { CustomerId: 'C-1', EmailOptin: false }]);
    expect(warnings).toContainEqual(warningOf('consentNotApplied', 1, indexesOf(many.length)));
  });

  it('are stored also where the look-up fails', async () => {
    const caller = await callerOf();
    await post(caller, 'customers', [ADA]);
    service().store.failing = ({ method }) => method === 'findWhere';
    const batch = [{ CustomerId: 'C-1', EmailOptin: false }];
    expect(await warningsOf(caller, 'customers', batch)).toEqual([warningOf('emailMissing', 1, indexesOf(0))]);
    service().store.failing = () => false;
    expect(await service().records(caller.tenantId, 'customers')).toHaveLength(2);
  });

  it('are told by the indexes of what was sent where invalid elements are skipped (R-66)', async () => {
    const batch = [{ Email: 'no address' }, ADA, { CustomerId: 'C-2' }];
    const warnings = await warningsOf(await callerOf(), 'customers', batch, 'onInvalid=skip');
    expect(warnings).toEqual([warningOf('emailMissing', 1, indexesOf(2))]);
  });

  it('are told by a check that stores nothing (R-82)', async () => {
    const caller = await callerOf();
    await post(caller, 'customers', [ADA]);
    const batch = [{ CustomerId: 'C-1', EmailOptin: false }, { CustomerId: 'C-2' }, { email: 'x', Email: 'x@y.com' }];
    const checked = await warningsOf(caller, 'customers', batch, 'validateOnly=true');
    expect(checked).toEqual([
      warningOf('emailMissing', 1, indexesOf(1)),
      warningOf('consentNotApplied', 1, indexesOf(0)),
      warningOf('fieldCase', 1, [{ index: 2, field: 'email', expected: 'Email' }]),
    ]);
    expect(await warningsOf(caller, 'customers', batch)).toEqual(checked);
  });
});

describe('fields in another case (R-102)', () => {
  it.each<[to: string, element: object, field: string, expected: string]>([
    ['customers', { Email: 'a@b.com', EmailOptIn: true }, 'EmailOptIn', 'EmailOptin'],
    ['products', { ProductId: '1', ProductVariants: [], productname: 'Tea' }, 'productname', 'ProductName'],
    [
      'products',
      { ProductId: '1', ProductVariants: [{ VariantId: '1', Sku: '1', STOCK: 1 }] },
      'ProductVariants.STOCK',
      'ProductVariants.Stock',
    ],
    ['orders', { OrderId: '1', Currency: 'EUR', orderItems: [] }, 'orderItems', 'OrderItems'],
    ['customers/deletions', { Email: 'a@b.com', customerId: '1' }, 'customerId', 'CustomerId'],
    ['products/deletions', { ProductId: '1', variantId: '1' }, 'variantId', 'VariantId'],
    ['orders/deletions', { OrderId: '1', SKU: '1' }, 'SKU', 'Sku'],
  ])('in a batch of %s: %j', async (to, element, field, expected) => {
    const caller = await callerOf();
    const batch = [{ ...element, Unknown: 1 }, element];
    const warnings = [warningOf('fieldCase', 2, [{ index: 0, field, expected }])];
    expect(await warningsOf(caller, to, batch)).toEqual(warnings);
    expect(await warningsOf(caller, to, batch, 'validateOnly=true')).toEqual(warnings);
  });

  it('are counted by elements, also invalid ones, and named once each', async () => {
    const batch = [
      { Email: 'no address', email: 'x' },
      { Email: 'a@b.com', email: 'x', smsoptin: true },
      { Email: 'b@b.com', EMAIL: 'x' },
    ];
    expect(await warningsOf(await callerOf(), 'customers', batch, 'onInvalid=skip')).toEqual([
      warningOf('fieldCase', 3, [
        { index: 0, field: 'email', expected: 'Email' },
        { index: 1, field: 'smsoptin', expected: 'SmsOptin' },
        { index: 2, field: 'EMAIL', expected: 'Email' },
      ]),
    ]);
  });

  it('are found behind any number of other fields, and five are named', async () => {
    const others = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`Other${index}`, 1]));
    const batch = Array.from({ length: 111 }, (_, index) => ({
      Email: `${index}@example.com`,
      ...Object.fromEntries(Object.keys(others).map((name) => [`${name}.${index}`, 1])),
      ...(index === 110 && { NAME: 1, sURNAME: 1, pHONE: 1, lANGUAGE: 1, uSERNAME: 1, gDPROPTIN: 1 }),
    }));
    const names = ['Name', 'Surname', 'Phone', 'Language', 'Username'];
    const [warning, ...more] = (await warningsOf(await callerOf(), 'customers', batch)) as { examples: object[] }[];
    expect(more).toEqual([]);
    expect(warning).toMatchObject({ code: 'fieldCase', count: 1 });
    const examples = names.map((name): unknown => expect.objectContaining({ index: 110, expected: name }));
    expect(warning?.examples).toEqual(examples);
  });

  it.each(['__proto__', 'constructor', 'x'.repeat(10_000), 'İEmail', '', 'toString'])(
    'are no others: %.20s',
    async (name) => {
      const caller = await callerOf();
      const raw = `[{"Email":"a@b.com",${JSON.stringify(name)}:{"email":1}}]`;
      const answer = await service().request('POST', `/customers/${caller.tenantId}`, { key: caller.key, raw });
      expect(answer.status).toBe(200);
      expect((answer.json as { data: object }).data).not.toHaveProperty('warnings');
    },
  );
});

describe('fields of parts beside those of the record (R-103)', () => {
  it('are told for orders and products, in any case', async () => {
    const order = { OrderId: '1', Currency: 'EUR', ProductId: 'tea', sku: 'tea-500', Quantity: 1, Size: 'L' };
    expect(await warningsOf(await callerOf(), 'orders', [order])).toEqual([
      warningOf('itemsDropped', 1, [
        { index: 0, field: 'ProductId', expected: 'OrderItems.ProductId' },
        { index: 0, field: 'sku', expected: 'OrderItems.Sku' },
        { index: 0, field: 'Quantity', expected: 'OrderItems.Quantity' },
      ]),
    ]);
    const product = { ProductId: '1', ProductVariants: [], VariantId: 'tea-500', Name: 'Tea' };
    expect(await warningsOf(await callerOf(), 'products', [product])).toEqual([
      warningOf('variantsDropped', 1, [{ index: 0, field: 'VariantId', expected: 'ProductVariants.VariantId' }]),
    ]);
  });
});

describe('a batch without anything to warn of', () => {
  it.each<[to: string, element: object]>([
    ['customers', { ...ADA, EmailOptin: false, Unknown: 1 }],
    ['products', { ProductId: '1', ProductVariants: [{ VariantId: '1', Sku: '1', Extra: 1 }] }],
    ['orders', { OrderId: '1', Currency: 'EUR', OrderItems: null, Extra: { ProductId: 1 } }],
    ['orders/deletions', { OrderId: '1', ProductId: 'tea', Sku: 'tea-500' }],
  ])('of %s has no warnings (R-100)', async (to, element) => {
    expect(await warningsOf(await callerOf(), to, [element])).toBeUndefined();
  });
});

describe('a batch in an object (R-107)', () => {
  const SENTENCE = 'The request body must be a JSON array.';

  it.each<[kind: RecordKind]>([['customers'], ['products'], ['orders']])(
    'is told which member to send: %s',
    async (kind) => {
      const caller = await callerOf();
      for (const [to, member] of [
        [kind, kind],
        [`${kind}/deletions`, 'deletions'],
        [`${kind}/deletions`, kind],
      ] as const) {
        const hint = `Send the array in ${member} by itself, without the object around it.`;
        for (const query of ['', 'validateOnly=true', 'onInvalid=skip']) {
          expectProblem(await post(caller, to, { other: 1, [member]: [] }, query), { '': [SENTENCE, hint] });
        }
      }
    },
  );

  it.each([{}, { customers: {} }, { Customers: [] }, { data: [] }, null, 'customers', 1])(
    'is no other body: %j',
    async (body) => {
      expectProblem(await post(await callerOf(), 'customers', body), { '': [SENTENCE] });
    },
  );
});
