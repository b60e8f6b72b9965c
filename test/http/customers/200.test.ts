import { gzipSync } from 'node:zlib';
import { envelopeOf, expectAnswer, NOW } from '../api';
import { describeBatchDeletions } from '../suites/batch-deletions';
import { describeSuccess } from '../suites/success';
import { recordPath } from '../../../shared/documents/paths';
import { customerRecordId } from '../../../shared/domain/identity';
import { parseTenantId } from '../../../shared/domain/tenant';
import { keyedWrite } from '../../../shared/workspace/customer-keys';
import { toCustomerDocument } from '../../../shared/workspace/record-documents';
import { requestedIds } from '../../support/deletions';
import type { StoreCall } from '../../support/observed-document-store';
import { useTestService } from '../../support/test-service';
import { indexesOf, warningOf } from '../../support/warnings';
import { TRACED } from '../../support/traces';

describeSuccess('customers');
describeBatchDeletions('customers');

const service = useTestService('customers');
const saved = (count: number, more: object = {}) =>
  envelopeOf('customers', true, 'Customers saved.', { count, created: count, updated: 0, processedAt: NOW, ...more });
const removed = (customerId: string | null, email: string | null) =>
  envelopeOf('customers', true, 'Customer removed.', { customerId, email, deletedAt: NOW });

describe('POST /customers/<tenant_id>', () => {
  it('stores a new customer with every default (Spec §2.2, D-13)', async () => {
    const { tenantId, key } = await service().createCaller({ defaultLanguage: 'tr' });
    await service().request('POST', `/customers/${tenantId}`, {
      key,
      json: [{ Email: 'Ada@Example.com', Name: 'Ada' }],
    });
    expect(await service().records(tenantId, 'customers')).toMatchObject([
      {
        Email: 'Ada@Example.com',
        Name: 'Ada',
        Language: 'tr',
        EmailOptin: false,
        SmsOptin: false,
        WhatsappOptin: false,
        AppPushOptin: false,
        GdprOptin: false,
        IsExcluded: false,
      },
    ]);
  });

  it('updates the customer that is stored, and leaves omitted fields as they are (Spec §2.2, D-12)', async () => {
    const { tenantId, key } = await service().createCaller();
    const path = `/customers/${tenantId}`;
    await service().request('POST', path, { key, json: [{ Email: 'ada@example.com', Name: 'Ada', EmailOptin: true }] });
    await service().request('POST', path, {
      key,
      json: [{ Email: ' ADA@example.com', Surname: 'Lovelace', Name: null }],
    });
    const [customer, ...others] = await service().records(tenantId, 'customers');
    expect(others).toEqual([]);
    expect(customer).toMatchObject({ Surname: 'Lovelace', EmailOptin: true });
    expect(customer).not.toHaveProperty('Name');
  });

  it('counts every element, also of one customer (Spec §4.2, D-07)', async () => {
    const { tenantId, key } = await service().createCaller();
    const json = [{ Email: 'ada@example.com' }, { Email: 'ada@example.com', Name: 'Ada' }, { CustomerId: 'C-2' }];
    expectAnswer(
      await service().request('POST', `/customers/${tenantId}`, { key, json }),
      200,
      saved(3, { created: 2, warnings: [warningOf('emailMissing', 1, indexesOf(2))] }),
    );
    expect(await service().records(tenantId, 'customers')).toHaveLength(2);
  });

  it('counts the customers that are created and updated, each once (R-81)', async () => {
    const { tenantId, key } = await service().createCaller();
    const post = (json: object[]) => service().request('POST', `/customers/${tenantId}`, { key, json });
    const [ada, bob, eve] = ['ada', 'bob', 'eve'].map((name) => ({ Email: `${name}@example.com` }));
    expectAnswer(await post([ada!, bob!]), 200, saved(2));
    expectAnswer(await post([ada!, eve!, eve!, ada!]), 200, saved(4, { created: 1, updated: 1 }));
    await service().request('DELETE', `/customers/${tenantId}?email=bob@example.com`, { key });
    expectAnswer(await post([ada!, bob!]), 200, saved(2, { created: 1, updated: 1 }));
  });

  it('takes an empty batch (D-31)', async () => {
    const { tenantId, key } = await service().createCaller();
    expectAnswer(await service().request('POST', `/customers/${tenantId}`, { key, json: [] }), 200, saved(0));
  });

  it('takes 1000 customers (Spec §8)', async () => {
    const { tenantId, key } = await service().createCaller();
    const json = Array.from({ length: 1000 }, (_, index) => ({ CustomerId: `C-${index}` }));
    const warnings = [warningOf('emailMissing', 1000, indexesOf(0, 1, 2, 3, 4))];
    expectAnswer(
      await service().request('POST', `/customers/${tenantId}`, { key, json }),
      200,
      saved(1000, { warnings }),
    );
    expect(await service().records(tenantId, 'customers')).toHaveLength(1000);
  });

  it('stores all thirteen fields at their longest (Spec §2.2, D-10)', async () => {
    const { tenantId, key } = await service().createCaller();
    const customer = {
      CustomerId: 'c'.repeat(100),
      Email: `${'e'.repeat(243)}@example.com`,
      Name: 'n'.repeat(100),
      Surname: 's'.repeat(300),
      Phone: '+'.repeat(20),
      Language: 'zh-Hant-TW',
      Username: 'u'.repeat(500),
      EmailOptin: true,
      SmsOptin: true,
      WhatsappOptin: true,
      AppPushOptin: true,
      GdprOptin: true,
      IsExcluded: true,
    };
    expectAnswer(await service().request('POST', `/customers/${tenantId}`, { key, json: [customer] }), 200, saved(1));
    expect(await service().records(tenantId, 'customers')).toMatchObject([customer]);
  });

  it('names the fields that it did not store, and stores the rest (D-21, D-58)', async () => {
    const { tenantId, key } = await service().createCaller();
    const json = [
      { Email: 'ada@example.com', EmailOptIn: true, email: 'x@example.com', Name: 'Ada' },
      { Email: 'bob@example.com', EmailOptIn: true, UpdatedAt: '2026-01-01' },
    ];
    const answer = await service().request('POST', `/customers/${tenantId}`, { key, json });
    const examples = [
      { index: 0, field: 'EmailOptIn', expected: 'EmailOptin' },
      { index: 0, field: 'email', expected: 'Email' },
    ];
    const warnings = [warningOf('fieldCase', 2, examples)];
    expectAnswer(answer, 200, saved(2, { ignoredFields: ['EmailOptIn', 'email', 'UpdatedAt'], warnings }));
    const [customer] = await service().records(tenantId, 'customers');
    expect(customer).not.toHaveProperty('EmailOptIn');
  });

  it('names at most 20 fields that it did not store (D-21)', async () => {
    const { tenantId, key } = await service().createCaller();
    const unknown = Array.from({ length: 30 }, (_, index) => [`Unknown${index}`, 1]);
    const json = [{ Email: 'ada@example.com', ...(Object.fromEntries(unknown) as object) }];
    const { json: body } = await service().request('POST', `/customers/${tenantId}`, { key, json });
    expect((body as { data: { ignoredFields: string[] } }).data.ignoredFields).toHaveLength(20);
  });

  it('takes a gzip body (D-33)', async () => {
    const { tenantId, key } = await service().createCaller();
    const raw = gzipSync(JSON.stringify([{ Email: 'ada@example.com' }]));
    const headers = { 'content-encoding': 'gzip' };
    expectAnswer(await service().request('POST', `/customers/${tenantId}`, { key, raw, headers }), 200, saved(1));
    expect(await service().records(tenantId, 'customers')).toMatchObject([{ Email: 'ada@example.com' }]);
  });

  it('uses tenant settings that changed since the last request (Spec §2.1)', async () => {
    const { tenantId, organizationId, key } = await service().createCaller();
    const path = `/customers/${tenantId}`;
    const json = [{ CustomerId: 'C-1', Email: 'ada@example.com' }];
    expect((await service().request('POST', path, { key, json })).status).toBe(200);
    await service().createTenant(organizationId, { requiredFields: ['Language'] }, tenantId);
    expect((await service().request('POST', path, { key, json })).status).toBe(400);
    await service().createTenant(organizationId, { customerIdentifier: 'customerid' }, tenantId);
    expect(
      (await service().request('POST', path, { key, json: [{ CustomerId: 'C-1', Email: 'bob@example.com' }] })).status,
    ).toBe(200);
    expect((await service().request('POST', path, { key, json: [{ CustomerId: 'C-1', Name: 'Ada' }] })).status).toBe(
      200,
    );
    expect(await service().records(tenantId, 'customers')).toHaveLength(2);
  });
});

describe('DELETE /customers/<tenant_id>', () => {
  it.each([
    ['customerId=C-1', removed('C-1', null)],
    ['email=ada@example.com', removed(null, 'ada@example.com')],
    ['email=ada%40example.com&customerId=C%201', removed('C 1', 'ada@example.com')],
    ['customerId=C+1', removed('C 1', null)],
    ['email=ada%2Bnews%40example.com', removed(null, 'ada+news@example.com')],
    ['email=ada+news@example.com', removed(null, 'ada+news@example.com')],
    ['email=+ada@example.com', removed(null, '+ada@example.com')],
    ['customerId=&email=ada@example.com', removed(null, 'ada@example.com')],
    ['customerId=%2525', removed('%25', null)],
    ['customerId=a=b', removed('a=b', null)],
    ['utm=1&customerId=C-1', removed('C-1', null)],
  ])('echoes what it accepted of ?%s (Spec §4.3, D-45, R-07)', async (query, expected) => {
    const { tenantId, key } = await service().createCaller();
    expectAnswer(await service().request('DELETE', `/customers/${tenantId}?${query}`, { key }), 200, expected);
  });

  it('has stored the deletion and published what it left, and nothing else, when it answers (Spec §1)', async () => {
    const { tenantId, key } = await service().createCaller();
    await service().request('DELETE', `/customers/${tenantId}?customerId=C-1&email=ada@example.com`, { key });
    const pending = await service().pendingDeletions(tenantId);
    expect(pending).toHaveLength(2); // no customer matches, so that each identifier counts
    expect(service().publisher.published).toEqual([
      {
        topic: 'deletions',
        event: {
          tenantId,
          deletionIds: expect.any(Array) as string[],
          removal: { entries: expect.any(Object) as object, customers: [] },
        },
        attributes: TRACED,
      },
    ]);
    expect([...requestedIds(service().publisher)].sort()).toEqual(pending);
  });

  it('removes the customer once the event is delivered, and repeats do nothing (Spec §1, §4.3)', async () => {
    const { tenantId, key } = await service().createCaller();
    await service().request('POST', `/customers/${tenantId}`, {
      key,
      json: [{ Email: 'Ada@example.com' }, { Email: 'bob@example.com' }],
    });
    await service().request('DELETE', `/customers/${tenantId}?email=ada@EXAMPLE.com`, { key });
    await service().deliverDeletions();
    await service().deliverDeletions();
    expect(await service().records(tenantId, 'customers')).toMatchObject([{ Email: 'bob@example.com' }]);
    expect(await service().pendingDeletions(tenantId)).toEqual([]);
  });

  it('reads four documents, and writes and removes three and two, from the request to its application (R-51)', async () => {
    const { tenantId, key } = await service().createCaller();
    const tenant = await service().admissionStore.findTenant(parseTenantId(tenantId)!, service().deadline());
    await service().store.commit([keyedWrite(tenant!, undefined, service().random)], service().deadline());
    const json = [{ Email: 'ada@example.com' }, { Email: 'bob@example.com' }];
    await service().request('POST', `/customers/${tenantId}`, { key, json });
    await service().request('DELETE', `/customers/${tenantId}?email=bob@example.com`, { key }); // raises the flag
    await service().deliverDeletions();
    service().publisher.published.length = 0;
    service().store.forget();
    await service().request('DELETE', `/customers/${tenantId}?email=ada@example.com`, { key });
    const collections = (calls: readonly StoreCall[]) =>
      calls.flatMap(({ paths }) => paths.map((path) => path.split('/').at(-2))).sort();
    expect(collections(service().store.reads)).toEqual(['apiKeys', 'customers', 'deletionFlags', 'tenants']);
    expect(collections(service().store.writes)).toEqual(['deletions', 'rateCounters', 'tombstones']);
    service().store.forget();
    await service().deliverDeletions();
    expect(service().store.reads).toEqual([]);
    expect(collections(service().store.writes)).toEqual(['customers', 'deletions']);
    expect(await service().records(tenantId, 'customers')).toEqual([]);
  });

  it('reads what a message names in one call, where something has changed', async () => {
    const { tenantId, key } = await service().createCaller();
    await service().request('DELETE', `/customers/${tenantId}?email=ada@example.com`, { key });
    await service().deliverDeletions();
    service().store.forget();
    await service().deliverDeletions();
    const reads = service().store.reads.filter(({ paths }) => paths.some((path) => /\/deletions(\/|$)/.test(path)));
    expect(reads.map(({ method }) => method)).toEqual(['getSome']);
  });

  it('lets an upsert that is accepted later survive, however late the event is (D-41)', async () => {
    const { tenantId, key } = await service().createCaller();
    const json = [{ Email: 'ada@example.com', Name: 'first' }];
    await service().request('POST', `/customers/${tenantId}`, { key, json });
    await service().request('DELETE', `/customers/${tenantId}?email=ada@example.com`, { key });
    await service().request('POST', `/customers/${tenantId}`, {
      key,
      json: [{ Email: 'ada@example.com', Surname: 'second' }],
    });
    await service().deliverDeletions();
    const [customer] = await service().records(tenantId, 'customers');
    expect(customer).toMatchObject({ Surname: 'second' });
    expect(customer).not.toHaveProperty('Name');
  });
});

describe('POST /customers/<tenant_id>/deletions', () => {
  const CUSTOMERS = [
    { CustomerId: 'C-1', Email: 'ada@example.com' },
    { CustomerId: 'C-2', Email: 'bob@example.com' },
  ];
  const ADA = { Email: ' ADA@example.com' };
  const BOB_OR_ADA = { CustomerId: 'C-2', Email: 'ada@example.com' };

  it.each([
    ['reaches Bob where Ada is gone', [ADA, BOB_OR_ADA], []],
    ['leaves Bob where it finds Ada', [BOB_OR_ADA, ADA], ['C-2']],
    ['takes a blank identifier as none', [{ CustomerId: 'C-2', Email: ' ' }], ['C-1']],
    ['takes null as none', [{ CustomerId: null, Email: 'bob@example.com' }], ['C-1']],
  ])('%s: elements count in their order (R-50, D-43)', async (_title, json, left) => {
    const { tenantId, key } = await service().createCaller();
    await service().request('POST', `/customers/${tenantId}`, { key, json: CUSTOMERS });
    expect((await service().request('POST', `/customers/${tenantId}/deletions`, { key, json })).status).toBe(200);
    await service().deliverDeletions();
    const customers = await service().records(tenantId, 'customers');
    expect(customers.map(({ CustomerId }) => CustomerId)).toEqual(left);
  });
});

describe('GET /customers/<tenant_id>', () => {
  const CUSTOMERS = [
    { CustomerId: 'C-1', Email: 'Ada@example.com', Name: 'Ada' },
    { CustomerId: 'C-1', Email: 'ada+news@example.com' },
    { CustomerId: 'C-2', Email: 'bob@example.com' },
    { CustomerId: 'C-1' },
    { Email: '+eve@example.com' },
  ];

  it.each([
    ['email=ada@EXAMPLE.com', ['Ada@example.com']],
    ['email=%20ada@example.com%20', ['Ada@example.com']],
    ['email=ada+news@example.com', ['ada+news@example.com']],
    ['email=ada%2Bnews@example.com', ['ada+news@example.com']],
    ['email=+eve@example.com', ['+eve@example.com']],
    ['customerId=C-1', ['Ada@example.com', 'ada+news@example.com', null]],
    ['customerId=+C-1+', ['Ada@example.com', 'ada+news@example.com', null]],
    ['customerId=c-1', []],
    ['customerId=&email=bob@example.com', ['bob@example.com']],
    ['email=%20&customerId=C-2', ['bob@example.com']],
    ['email=bob@example.com&customerId=C-2', ['bob@example.com']],
    ['email=BOB@example.com&customerId=%20C-2', ['bob@example.com']],
    ['email=bob@example.com&customerId=C-1', []],
    ['email=+eve@example.com&customerId=C-1', []],
    ['email=nobody@example.com', []],
    ['utm=1&email=bob@example.com', ['bob@example.com']],
    [`email=${'x'.repeat(5_000)}`, []],
    ['email=%00&customerId=..%2F..', []],
    ['customerId=__proto__', []],
  ])('finds the customers who match all identifiers in ?%s (R-70, D-01)', async (query, found) => {
    for (const customerIdentifier of ['email', 'customerid'] as const) {
      const { tenantId, organizationId, key } = await service().createCaller();
      const path = `/customers/${tenantId}`;
      await service().request('POST', path, { key, json: CUSTOMERS });
      // Stored by e-mail: whichever identifier has priority now finds them.
      await service().createTenant(organizationId, { customerIdentifier }, tenantId);
      const { status, json } = await service().request('GET', `${path}?${query}`, { key });
      const { message, data } = json as { message: string; data: { records: { Email?: string }[] } };
      expect([status, message, Object.keys(data)]).toEqual([200, 'Customers found.', ['records']]);
      expect(data.records.map(({ Email }) => Email ?? null).sort()).toEqual([...found].sort());
    }
  });

  it('shows the fields as records get prints them, in their order, with both times in UTC (R-68)', async () => {
    const { tenantId, key } = await service().createCaller({ defaultLanguage: 'tr' });
    const path = `/customers/${tenantId}`;
    await service().request('POST', path, {
      key,
      json: [{ Name: 'Ada', Email: 'ada@example.com', CustomerId: 'C-1' }],
    });
    const { json } = await service().request('GET', `${path}?customerId=C-1`, { key });
    const [record] = (json as { data: { records: object[] } }).data.records;
    expect(JSON.stringify(record)).toBe(
      '{"CustomerId":"C-1","Email":"ada@example.com","Name":"Ada","Language":"tr","EmailOptin":false,"SmsOptin":false,' +
        '"WhatsappOptin":false,"AppPushOptin":false,"GdprOptin":false,"IsExcluded":false,' +
        '"updatedAt":"1970-01-01T00:00:00.000Z","asOf":"1970-01-01T00:00:00.000Z"}',
    );
  });

  it('says since when a record is true where a file has said so (R-68)', async () => {
    const { tenantId, key } = await service().createCaller();
    const customer = { Email: 'ada@example.com' };
    const at = recordPath(parseTenantId(tenantId)!, 'customers', customerRecordId(customer, 'email'));
    const data = toCustomerDocument(customer, { id: 'r', asOf: new Date('2025-12-24T10:00:00Z') });
    await service().store.commit([{ set: at, data }], service().deadline());
    const { json } = await service().request('GET', `/customers/${tenantId}?email=ada@example.com`, { key });
    expect(json).toMatchObject({
      data: { records: [{ updatedAt: '1970-01-01T00:00:00.000Z', asOf: '2025-12-24T10:00:00.000Z' }] },
    });
  });

  it('shows at most 100 customers, and says so when there are more (R-70)', async () => {
    const { tenantId, key } = await service().createCaller();
    const path = `/customers/${tenantId}`;
    const json = Array.from({ length: 101 }, (_, n) => ({ Email: `c${n}@example.com`, CustomerId: 'C-1' }));
    const find = async () =>
      ((await service().request('GET', `${path}?customerId=C-1`, { key })).json as { data: object }).data;
    await service().request('POST', path, { key, json: json.slice(1) });
    expect(await find()).toEqual({ records: expect.any(Array) as unknown });
    await service().request('POST', path, { key, json });
    expect(await find()).toEqual({ records: expect.any(Array) as unknown, hasMore: true });
    expect((await find()) as { records: object[] }).toHaveProperty('records.length', 100);
    const one = await service().request('GET', `${path}?customerId=C-1&email=c7@example.com`, { key });
    expect(one.json).toMatchObject({ data: { records: [{ Email: 'c7@example.com' }] } });
  });
});
