/** A tenant's settings in the console: read by its organization, changed with the permission `settings`. */
import { deletionFlagPath, recordsPath, tenantPath } from '../../../shared/documents/paths';
import { parseTenantId } from '../../../shared/domain/tenant';
import { PERMISSIONS } from '../../../shared/domain/api-key';
import { listAudit } from '../../../shared/operations/audit';
import { ConsoleVisitor } from '../../support/console-visitor';
import type { Received } from '../../support/http-exchange';
import { operatorOn } from '../../support/memory-operator';
import type { TestService } from '../../support/test-service';
import { useTestService } from '../../support/test-service';
import { envelopeOf, NOW, problemOf } from '../api';

const service = useTestService('console');

const FOREIGN = "The tenant does not belong to the API key's organization.";
const NEEDS_SETTINGS = 'Settings are changed with the permission settings, within its own organization.';

const pathOf = (tenantId: string, rest = '') => `/console/management/tenants/${tenantId}${rest}`;
const dataOf = ({ json }: Received) => (json as { data: Record<string, unknown> }).data;

async function aKeeper() {
  const caller = await service().createCaller();
  const visitor = await ConsoleVisitor.signedIn(service(), caller.key);
  const change = (json: unknown) => visitor.request('POST', pathOf(caller.tenantId), { json });
  const rekey = () => visitor.request('POST', pathOf(caller.tenantId, '/rekey'));
  return { ...caller, visitor, change, rekey };
}

async function settingsAreLacking(): Promise<{ readonly tenantId: string; readonly visitor: ConsoleVisitor }> {
  const { tenantId, organizationId } = await service().createCaller();
  const permissions = PERMISSIONS.filter((permission) => permission !== 'settings');
  const key = await service().createKey(organizationId, { permissions });
  return { tenantId, visitor: await ConsoleVisitor.signedIn(service(), key) };
}

async function storeCustomers(to: TestService, tenantId: string, key: string, count: number): Promise<void> {
  await to.start(['customers']);
  const json = Array.from({ length: count }, (_, n) => ({ Email: `c${n}@x.com`, CustomerId: `id-${n}` }));
  expect((await to.request('POST', `/customers/${tenantId}`, { to: 'customers', key, json })).status).toBe(200);
}

describe('GET a tenant', () => {
  it('is 200 with its settings, whatever the key may do (R-340)', async () => {
    const { tenantId, organizationId } = await service().createCaller({ requiredFields: ['Language'] });
    const key = await service().createKey(organizationId, { permissions: [] });
    const visitor = await ConsoleVisitor.signedIn(service(), key);
    const { status, json } = await visitor.request('GET', pathOf(tenantId.toUpperCase()));
    expect(status).toBe(200);
    expect(json).toEqual(
      envelopeOf('console', true, 'Tenant found.', {
        tenantId,
        organizationId,
        customerIdentifier: 'email',
        productIdentifier: 'productid',
        orderCustomer: 'email',
        defaultLanguage: null,
        requiredFields: ['Language'],
        notifyTopic: null,
        displayName: null,
        suspendedSince: null,
        erasure: null,
        rekeying: { state: 'complete', changedAt: null, repeatAfter: null, pass: null },
      }),
    );
  });

  it('is 400 for what is no GUID, 404 for an unknown one, and for a tenant that is being erased (R-60)', async () => {
    const { visitor, tenantId } = await aKeeper();
    for (const id of ['x', '%20', `${tenantId}x`, `..%2F${tenantId}`])
      expect((await visitor.request('GET', pathOf(id))).status).toBe(400);
    expect((await visitor.request('GET', pathOf(service().unusedTenantId()))).status).toBe(404);
    const data = { erasingSince: new Date(service().clock.nowMs()) };
    await service().store.commit([{ set: tenantPath(tenantId), data, fields: ['erasingSince'] }], service().deadline());
    expect((await visitor.request('GET', pathOf(tenantId))).status).toBe(404);
  });

  it('is 200 for a suspended tenant, and says since when (R-210)', async () => {
    const { visitor, tenantId } = await aKeeper();
    const data = { suspendedSince: new Date(NOW) };
    await service().store.commit(
      [{ set: tenantPath(tenantId), data, fields: ['suspendedSince'] }],
      service().deadline(),
    );
    expect(dataOf(await visitor.request('GET', pathOf(tenantId)))).toMatchObject({ suspendedSince: NOW });
  });
});

describe('changing settings', () => {
  it('is 200 for those of Spec §2.1, and the audit log names the key and the console (R-340)', async () => {
    const { tenantId, organizationId, change, visitor } = await aKeeper();
    const json = {
      customerIdentifier: 'customerid',
      productIdentifier: 'sku',
      orderCustomer: 'customerid',
      defaultLanguage: 'PT-br',
      requiredFields: ['GdprOptin', 'Language'],
    };
    const answer = await change(json);
    expect(answer.status).toBe(200);
    expect(dataOf(answer)).toMatchObject({ ...json, defaultLanguage: 'pt-BR', rekeying: { state: 'due' } });
    expect(dataOf(await visitor.request('GET', pathOf(tenantId)))).toEqual(dataOf(answer));
    const { entries } = await listAudit({ tenant: tenantId }, operatorOn(service().store, service()));
    const { keyId } = dataOf(await visitor.request('GET', '/console/session'));
    expect(entries).toMatchObject([
      { action: 'tenants.update', door: 'console', actor: keyId, organizationId, after: { defaultLanguage: 'pt-BR' } },
    ]);
  });

  it('again changes nothing and has no entry', async () => {
    const { tenantId, change } = await aKeeper();
    await change({ defaultLanguage: 'en' });
    const before = await service().store.dump();
    expect((await change({ defaultLanguage: 'en' })).status).toBe(200);
    const changed = [...(await service().store.dump())].filter(([path, data]) => before.get(path) !== data);
    expect(changed.filter(([path]) => path.startsWith('tenants/') || path.startsWith('auditLog/'))).toEqual([]);
    expect(tenantId).toBeTruthy();
  });

  it.each<readonly [string, object, string]>([
    ['customerIdentifier', { customerIdentifier: 'phone' }, 'customerIdentifier must be one of email, customerid; it is "phone".'],
    ['customerIdentifier', { customerIdentifier: 5 }, 'customerIdentifier must be a text.'],
    ['orderCustomer', { orderCustomer: null }, 'orderCustomer must be one of email, customerid; it is "".'],
    ['productIdentifier', { productIdentifier: ['sku'] }, 'productIdentifier must be a text.'],
    ['defaultLanguage', { defaultLanguage: 'not a language' }, 'defaultLanguage must be a tag such as en, zh-Hant or pt-BR; it is "not a language".'],
    ['requiredFields', { requiredFields: [5] }, 'requiredFields must be a text.'],
  ])('is 400 at the field %s for %j', async (field, json, message) => {
    const { change } = await aKeeper();
    const answer = await change(json);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual(problemOf(answer, { [field]: [message] }));
  }); // prettier-ignore

  it.each([
    [{ displayName: 'Mine' }, 'displayName'],
    [{ notifyTopic: 'projects/evil-project/topics/t' }, 'notifyTopic'],
    [{ organizationId: 'other' }, 'organization'],
    [{ tenantId: 'x', defaultLanguage: 'en' }, 'id'],
  ])('is 403 for what only operators change: %j (R-340)', async (json, name) => {
    const { change } = await aKeeper();
    const before = await service().store.dump();
    const { status, json: body } = await change(json);
    expect({ status, body }).toEqual({
      status: 403,
      body: envelopeOf('console', false, `Only the operator of the service changes ${name}.`),
    });
    expect(await settingsIn(await service().store.dump())).toEqual(await settingsIn(before));
  });

  it('is refused for settings that do not exist, also those that every object has', async () => {
    const { change } = await aKeeper();
    for (const name of ['suspendedSince', 'erasingSince', 'hasLargeRecords', 'constructor', 'toString']) {
      const answer = await change({ [name]: null });
      expect({ status: answer.status, at: Object.keys((answer.json as { errors: object }).errors) }).toEqual({ status: 400, at: [name] }); // prettier-ignore
    }
    const { visitor, tenantId } = await aKeeper();
    expect((await visitor.request('POST', pathOf(tenantId), { raw: '{"__proto__":{"id":"x"}}' })).status).toBe(400);
    for (const raw of ['', '[]', '5', '{"a":', `{"displayName":"${'x'.repeat(200_000)}"}`])
      expect([400, 413]).toContain((await visitor.request('POST', pathOf(tenantId), { raw })).status);
  });
});

function settingsIn(dump: ReadonlyMap<string, unknown>) {
  return Promise.resolve([...dump].filter(([path]) => path.startsWith('tenants/')));
}

const CHANGES = [
  ['POST', '', { defaultLanguage: 'en' }],
  ['GET', '/records', undefined],
  ['POST', '/rekey', undefined],
] as const;

describe.each(CHANGES)('%s /tenants/:tenantId%s', (method, rest, json) => {
  const send = (visitor: ConsoleVisitor, tenantId: string) =>
    visitor.request(method, pathOf(tenantId, rest), json ? { json } : {});

  it('is 403 without the permission settings, and changes nothing (R-340)', async () => {
    const { tenantId, visitor } = await settingsAreLacking();
    const before = settingsIn(await service().store.dump());
    const { status, json: body } = await send(visitor, tenantId);
    expect({ status, body }).toEqual({ status: 403, body: envelopeOf('console', false, NEEDS_SETTINGS) });
    expect(await settingsIn(await service().store.dump())).toEqual(await before);
  });

  it('is 403 for the tenant of another organization, and changes nothing (R-340)', async () => {
    const { tenantId } = await service().createCaller();
    const { visitor } = await aKeeper();
    const { status, json: body } = await send(visitor, tenantId);
    expect({ status, body }).toEqual({ status: 403, body: envelopeOf('console', false, FOREIGN) });
  });

  it('is 401 without a session, and once the key is revoked', async () => {
    const { tenantId, visitor, key } = await aKeeper();
    expect((await send(new ConsoleVisitor(service()), tenantId)).status).toBe(401);
    await service().revokeKey(key);
    expect((await send(visitor, tenantId)).status).toBe(401);
  });

  it('is 400 for what is no GUID and 404 for an unknown one', async () => {
    const { visitor } = await aKeeper();
    expect((await send(visitor, 'x')).status).toBe(400);
    expect((await send(visitor, service().unusedTenantId())).status).toBe(404);
  });
});

it.each([
  ['POST', ''],
  ['POST', '/rekey'],
])('%s /tenants/:tenantId%s is 403 without the token of the session (R-232)', async (method, rest) => {
  const { visitor, tenantId } = await aKeeper();
  const headers = { 'x-csrf-token': undefined };
  expect((await visitor.request(method, pathOf(tenantId, rest), { json: {}, headers })).status).toBe(403);
});

it.each([
  ['GET', '?search=a', 400],
  ['POST', '', 400],
  ['POST', '/ID/suspend', 404],
  ['POST', '/ID/resume', 404],
  ['GET', '/ID/erasure', 404],
  ['POST', '/ID/erasure', 404],
])('%s /tenants%s is not in the console of tenants, whatever the key may do (R-343)', async (method, rest, status) => {
  const { visitor, tenantId } = await aKeeper();
  const before = await settingsIn(await service().store.dump());
  const path = `/console/management/tenants${rest.replace('ID', tenantId)}`;
  expect((await visitor.request(method, path, method === 'POST' ? { json: {} } : {})).status).toBe(status);
  expect(await settingsIn(await service().store.dump())).toEqual(before);
});

describe('re-keying (R-341)', () => {
  it('counts the records that it will look at', async () => {
    const { tenantId, key, visitor } = await aKeeper();
    await storeCustomers(service(), tenantId, key, 3);
    const answer = await visitor.request('GET', pathOf(tenantId, '/records'));
    expect(dataOf(answer)).toEqual({ customers: 3, products: 0, orders: 0 });
  });

  it('is done by whoever has the permission settings, and does nothing more once it is over', async () => {
    const { tenantId, key, visitor, change, rekey } = await aKeeper();
    await storeCustomers(service(), tenantId, key, 5);
    expect(dataOf(await rekey())).toMatchObject({ state: 'complete' });
    await change({ customerIdentifier: 'customerid' });
    const state = async () => dataOf(await visitor.request('GET', pathOf(tenantId))).rekeying;
    expect(await state()).toMatchObject({ state: 'due', pass: null });
    // The clock of this store is long behind, so that nothing can be under way since the change.
    expect(dataOf(await rekey())).toMatchObject({ state: 'complete', pass: null });
    expect(await state()).toMatchObject({ state: 'complete' });
    const before = await settingsIn(await service().store.dump());
    expect(dataOf(await rekey())).toMatchObject({ state: 'complete' });
    expect(await settingsIn(await service().store.dump())).toEqual(before);
    const flag = await service().store.get(
      deletionFlagPath(parseTenantId(tenantId)!, 'customers'),
      service().deadline(),
    );
    expect(flag?.data).toMatchObject({ customersKeyedBy: 'customerid' });
    const { entries } = await listAudit({ tenant: tenantId }, operatorOn(service().store, service()));
    const acts = entries
      .filter(({ action }) => action === 'tenants.rekey')
      .map(({ outcome, door }) => `${outcome} ${door}`);
    expect(acts.sort()).toEqual(['begun console', 'done console']);
    const stored = await service().store.list(recordsPath(tenantId, 'customers'), { limit: 10 }, service().deadline());
    expect(stored).toHaveLength(5);
  });
});
