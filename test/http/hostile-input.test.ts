import { Agent } from 'node:http';
import { gzipSync } from 'node:zlib';
import { MAX_PARTS } from '../../shared/domain/limits';
import { HTTP_FUNCTIONS, useTestService } from '../support/test-service';
import { call, envelopeOf, expectAnswer, expectProblem, hasBody, NOW, problemOf, rowsOf } from './api';

const service = useTestService(...HTTP_FUNCTIONS);
const EMOJI = '🍵'.repeat(100);
const IDS = ['a/b', '.', '..', '__x__', EMOJI, 'a?b#c', '%2F', '%', ' x y ', '\u0000', '<script>', "'; DROP TABLE", 'constructor', '__proto__', '\u202e', 'ﬁ', 'i̇']; // prettier-ignore

describe.each(IDS)('the id %j', (id) => {
  it('is stored, addressed by its encoded path and removed: a product, its variant', async () => {
    const { tenantId, key } = await service().createCaller();
    const encoded = encodeURIComponent(id).replaceAll('.', '%2E');
    const product = {
      ProductId: id,
      ProductVariants: [
        { VariantId: id, Sku: id },
        { VariantId: 'V', Sku: 'S' },
      ],
    };
    const json = [product, { ProductId: 'other', ProductVariants: [] }];
    expect((await service().request('POST', `/products/${tenantId}`, { key, json })).status).toBe(200);
    expect(await service().records(tenantId, 'products')).toHaveLength(2);

    const ofVariant = await service().request('DELETE', `/products/${tenantId}/${encoded}/variants/${encoded}`, {
      key,
    });
    const data = { productId: id, variantId: id, deletedAt: NOW };
    expectAnswer(ofVariant, 200, envelopeOf('products', true, 'Variant removed.', data));
    await service().deliverDeletions();
    const kept = (await service().records(tenantId, 'products')).find(({ ProductId }) => ProductId === id);
    expect(kept?.ProductVariants).toEqual([{ VariantId: 'V', Sku: 'S' }]);

    await service().request('DELETE', `/products/${tenantId}/${encoded}`, { key });
    await service().deliverDeletions();
    expect(await service().records(tenantId, 'products')).toMatchObject([{ ProductId: 'other' }]);
  });

  it('is stored, addressed by its encoded query and path and removed: a customer, an order line', async () => {
    const { tenantId, key } = await service().createCaller();
    const encoded = encodeURIComponent(id).replaceAll('.', '%2E');
    await service().request('POST', `/customers/${tenantId}`, {
      key,
      json: [{ CustomerId: id }, { CustomerId: 'other' }],
    });
    const answer = await service().request('DELETE', `/customers/${tenantId}?customerId=${encoded}`, { key });
    const data = { customerId: id, email: null, deletedAt: NOW };
    expectAnswer(answer, 200, envelopeOf('customers', true, 'Customer removed.', data));

    const item = { Sku: 'S', Quantity: 1, Price: 1 };
    const OrderItems = [
      { ...item, ProductId: id },
      { ...item, ProductId: 'other' },
    ];
    await service().request('POST', `/orders/${tenantId}`, {
      key,
      json: [{ OrderId: id, Currency: 'EUR', OrderItems }],
    });
    await service().request('DELETE', `/orders/${tenantId}/${encoded}/items?productId=${encoded}`, { key });
    await service().deliverDeletions();
    expect(await service().records(tenantId, 'customers')).toMatchObject([{ CustomerId: 'other' }]);
    expect(await service().records(tenantId, 'orders')).toMatchObject([{ OrderItems: [{ ProductId: 'other' }] }]);
  });
});

describe('bodies that reach for the language', () => {
  it('store no field of __proto__, constructor or prototype, and change no other object (D-21)', async () => {
    const { tenantId, key } = await service().createCaller();
    const raw =
      '[{"Email":"ada@example.com","__proto__":{"IsExcluded":true,"polluted":1},"constructor":{"prototype":{"polluted":1}}}]';
    const answer = await service().request('POST', `/customers/${tenantId}`, { key, raw });
    const data = { count: 1, created: 1, updated: 0, processedAt: NOW, ignoredFields: ['__proto__', 'constructor'] };
    expectAnswer(answer, 200, envelopeOf('customers', true, 'Customers saved.', data));
    const [customer] = await service().records(tenantId, 'customers');
    expect(customer).toMatchObject({ IsExcluded: false });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('cannot take a required field from __proto__ (Spec §7.2)', async () => {
    const { tenantId, key } = await service().createCaller();
    const raw = '[{"__proto__":{"OrderId":"O-1","Currency":"EUR"}}]';
    const answer = await service().request('POST', `/orders/${tenantId}`, { key, raw });
    const errors = {
      '[0].OrderId': ['The OrderId field is required.'],
      '[0].Currency': ['The Currency field is required.'],
    };
    expectAnswer(answer, 400, problemOf(answer, errors, { ignoredFields: ['__proto__'] }));
  });

  it('take the last of a field that is there twice, also for validation', async () => {
    const { tenantId, key } = await service().createCaller();
    const raw = '[{"Email":"bad","Email":"ada@example.com"}]';
    expect((await service().request('POST', `/customers/${tenantId}`, { key, raw })).status).toBe(200);
  });

  it('may nest an unknown field 30 levels deep, and no deeper', async () => {
    const { tenantId, key } = await service().createCaller();
    const nested = (levels: number) => `[{"Email":"ada@example.com","x":${'['.repeat(levels)}${']'.repeat(levels)}}]`;
    expect((await service().request('POST', `/customers/${tenantId}`, { key, raw: nested(30) })).status).toBe(200);
    expectProblem(await service().request('POST', `/customers/${tenantId}`, { key, raw: nested(31) }), {
      '': ['The request body must be nested at most 32 levels deep.'],
    });
  });

  it('are not misread for brackets inside texts', async () => {
    const { tenantId, key } = await service().createCaller();
    const json = [{ Email: 'ada@example.com', Name: '["\\'.repeat(33), Username: '[{'.repeat(100) }];
    expect((await service().request('POST', `/customers/${tenantId}`, { key, json })).status).toBe(200);
    expect(await service().records(tenantId, 'customers')).toMatchObject(json);
  });

  it.each([
    ['customers', '[{"CustomerId":"\\ud800"}]', '[0].CustomerId', 'CustomerId'],
    ['customers', '[{"CustomerId":"C-1","Name":"a\\udc00b"}]', '[0].Name', 'Name'],
    [
      'products',
      '[{"ProductId":"P","ProductVariants":[{"VariantId":"\\ud83d","Sku":"S"}]}]',
      '[0].ProductVariants[0].VariantId',
      'VariantId',
    ],
    ['products', '[{"ProductId":"P","Taxonomy":["\\ud83d"],"ProductVariants":[]}]', '[0].Taxonomy[0]', 'Taxonomy'],
    ['orders', '[{"OrderId":"\\udfff\\ud800","Currency":"EUR"}]', '[0].OrderId', 'OrderId'],
  ] as const)('refuse lone surrogates: %s %s (R-06)', async (to, raw, path, field) => {
    const { tenantId, key } = await service().createCaller();
    const answer = await service().request('POST', `/${to}/${tenantId}`, { key, raw });
    expectProblem(answer, { [path]: [`The field ${field} must be well-formed Unicode text.`] });
  });

  it('refuse a lone surrogate in an e-mail (R-06)', async () => {
    const { tenantId, key } = await service().createCaller();
    const answer = await service().request('POST', `/customers/${tenantId}`, {
      key,
      raw: '[{"Email":"\\ud800@example.com"}]',
    });
    expect(answer.status).toBe(400);
  });

  it('count the length of a text in characters: 100 emoji fit, 101 do not (Spec §2.2)', async () => {
    const { tenantId, key } = await service().createCaller();
    expect(
      (await service().request('POST', `/customers/${tenantId}`, { key, json: [{ CustomerId: EMOJI }] })).status,
    ).toBe(200);
    expect(
      (await service().request('POST', `/customers/${tenantId}`, { key, json: [{ CustomerId: `${EMOJI}🍵` }] })).status,
    ).toBe(400);
  });

  it('say at most 200 characters of a huge unknown field’s name (D-21)', async () => {
    const { tenantId, key } = await service().createCaller();
    const json = [{ Email: 'ada@example.com', ['x'.repeat(100_000)]: 1 }];
    const answer = await service().request('POST', `/customers/${tenantId}`, { key, json });
    expect((answer.json as { data: { ignoredFields: string[] } }).data.ignoredFields).toEqual(['x'.repeat(200)]);
  });

  it.each([
    [
      'products',
      [{ ProductId: 'P', ProductVariants: Array.from({ length: MAX_PARTS + 1 }, () => 0) }],
      'ProductVariants',
    ],
    [
      'orders',
      [{ OrderId: 'O', Currency: 'EUR', OrderItems: Array.from({ length: MAX_PARTS + 1 }, () => 0) }],
      'OrderItems',
    ],
  ] as const)('with more parts than a record holds get one message, not one a part: %s', async (to, json, field) => {
    const { tenantId, key } = await service().createCaller();
    const answer = await service().request('POST', `/${to}/${tenantId}`, { key, json });
    const message = `The field ${field} must be an array with a maximum length of ${MAX_PARTS}.`;
    expectProblem(answer, { [`[0].${field}`]: [message] });
  });
});

describe('queries and paths', () => {
  it.each([
    ['customers', '?customerId=a&customerId=b', 'customerId'],
    ['customers', '?email=a@b.c&email=a@b.c', 'email'],
    ['customers', '?customerId=a&customer%49d=b', 'customerId'],
    ['orders', '/O-1/items?sku=a&sku=', 'sku'],
    ['orders', '/O-1/items?productId=a&sku=s&productId=b', 'productId'],
  ] as const)('refuse a parameter that is given twice: /%s/<tenant_id>%s', async (to, rest, name) => {
    const { tenantId, key } = await service().createCaller();
    const answer = await service().request('DELETE', `/${to}/${tenantId}${rest}`, { key });
    expectAnswer(answer, 400, envelopeOf(to, false, `The query parameter ${name} must be given once.`));
    expect(service().publisher.published).toEqual([]);
  });

  it('refuse a job id that is given twice (D-39)', async () => {
    const { key } = await service().createCaller();
    const answer = await service().request('DELETE', '/ingestion/google-cloud-storage/unregister?jobId=a&jobId=b', {
      key,
    });
    expectAnswer(answer, 400, envelopeOf('ingestion', false, 'The query parameter jobId must be given once.'));
  });

  it('do not read an array or an object out of brackets', async () => {
    const { tenantId, key } = await service().createCaller();
    const answer = await service().request('DELETE', `/customers/${tenantId}?customerId[]=a&email[x]=b`, { key });
    expectAnswer(answer, 400, envelopeOf('customers', false, 'Customer ID or email is required.'));
  });

  it('are not resolved: dots stay what they are', async () => {
    const { tenantId, key } = await service().createCaller();
    const answer = await service().request('DELETE', `/products/${tenantId}/x/../P-1`, { key });
    expectAnswer(answer, 404, envelopeOf('products', false, 'Not found.'));
    const dots = await service().request('DELETE', `/products/${tenantId}/..`, { key });
    expectAnswer(dots, 200, envelopeOf('products', true, 'Product removed.', { productId: '..', deletedAt: NOW }));
  });

  it('take an id of thousands of characters', async () => {
    const { tenantId, key } = await service().createCaller();
    const productId = 'p'.repeat(10_000);
    const answer = await service().request('DELETE', `/products/${tenantId}/${productId}`, { key });
    expectAnswer(answer, 200, envelopeOf('products', true, 'Product removed.', { productId, deletedAt: NOW }));
  });
});

describe('a tenant’s data', () => {
  it('is not touched by another tenant of the same organization with the same ids', async () => {
    const one = await service().createCaller();
    const two = await service().createTenant(one.organizationId);
    for (const tenantId of [one.tenantId, two]) {
      await service().request('POST', `/orders/${tenantId}`, {
        key: one.key,
        json: [{ OrderId: 'O-1', Currency: 'EUR' }],
      });
    }
    await service().request('DELETE', `/orders/${two}/O-1`, { key: one.key });
    await service().deliverDeletions();
    expect(await service().records(one.tenantId, 'orders')).toHaveLength(1);
    expect(await service().records(two, 'orders')).toHaveLength(0);
  });

  it('is as it was after any refused request (D-30)', async () => {
    const { tenantId, key } = await service().createCaller();
    const json = [{ CustomerId: 'C-1', Name: 'Ada' }];
    await service().request('POST', `/customers/${tenantId}`, { key, json });
    const before = await service().store.dump();
    const refused = [
      await service().request('POST', `/customers/${tenantId}`, {
        key,
        json: [{ CustomerId: 'C-1', Name: 'Bob' }, {}],
      }),
      await service().request('POST', `/customers/${tenantId}`, { key, json: { CustomerId: 'C-1', Name: 'Bob' } }),
      await service().request('POST', `/customers/${tenantId}`, { key, raw: '[{"CustomerId":"C-1","Name":"Bob"},' }),
      await service().request('POST', `/customers/${tenantId}`, { json }),
      await service().request('POST', `/customers/${tenantId}`, { key, json, headers: { 'content-type': 'text/csv' } }),
      await service().request('PUT', `/customers/${tenantId}`, { key, json }),
      await service().request('POST', `/customers/${tenantId}/C-1`, { key, json }),
      await service().request('DELETE', `/customers/${tenantId}`, { key }),
      await service().request('DELETE', `/customers/${tenantId}?customerId=C-1`),
    ];
    expect(refused.every(({ status }) => status >= 400 && status < 500)).toBe(true);
    expect(await service().store.dump()).toEqual(before);
  });
});

describe('a keep-alive connection', () => {
  it.each(rowsOf(undefined, hasBody))(
    '%s can be used again after an early refusal with an unread body',
    async (_, route) => {
      const caller = await service().createCaller();
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const raw = Buffer.alloc(2 * 1024 * 1024, ' ');
      const refusals = [
        await call(service(), route, { ...caller, key: service().unknownKey() }, { raw, agent }),
        await call(service(), route, caller, { raw, agent, headers: { 'content-type': 'text/plain' } }),
        await call(service(), route, { ...caller, key: '' }, { raw, agent, chunked: true }),
        await service().request('PUT', `/${route.to}${route.path(caller.tenantId)}`, { key: caller.key, raw, agent }),
      ];
      const answer = await call(service(), route, caller, { agent });
      agent.destroy();
      expect([...refusals, answer].map(({ status }) => status)).toEqual([401, 415, 401, 405, 200]);
      expect(new Set([...refusals, answer].map(({ connection }) => connection)).size).toBe(1);
    },
  );

  it.each(rowsOf(undefined, hasBody))(
    '%s can be used again after gzip that is broken, or ends, before its body does (D-32)',
    async (_, route) => {
      const caller = await service().createCaller();
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const headers = { 'content-encoding': 'gzip' };
      const rest = Buffer.alloc(5 * 1024 * 1024);
      const whole = gzipSync(JSON.stringify(route.body?.(caller.tenantId)));
      const broken = await call(service(), route, caller, { raw: rest, headers, agent });
      const ended = await call(service(), route, caller, { raw: Buffer.concat([whole, rest]), headers, agent });
      const answer = await call(service(), route, caller, { agent });
      agent.destroy();
      expectProblem(broken, { '': ['The request body is not valid gzip.'] });
      for (const { status } of [ended, answer]) expect(status).toBe(200);
      expect(new Set([broken, ended, answer].map(({ connection }) => connection)).size).toBe(1);
    },
  );
});
