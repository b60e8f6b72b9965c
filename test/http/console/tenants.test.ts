/** The tenants that one may choose from in the console. */
import { tenantPath } from '../../../shared/documents/paths';
import { ConsoleVisitor } from '../../support/console-visitor';
import { useTestService } from '../../support/test-service';
import { envelopeOf } from '../api';

const service = useTestService('console');

interface TenantPage {
  readonly tenants: readonly { readonly tenantId: string; readonly organizationId: string }[];
  readonly nextPageToken: string | null;
}

async function pageOf(visitor: ConsoleVisitor, query = ''): Promise<TenantPage> {
  const { status, json } = await visitor.request('GET', `/console/session/tenants${query}`);
  expect(status).toBe(200);
  return (json as { data: TenantPage }).data;
}

it('are those of the key’s organization, in the order of their ids, whatever the key may do (R-237)', async () => {
  const { organizationId, tenantId } = await service().createCaller();
  const others = [await service().createTenant(organizationId), await service().createTenant(organizationId)];
  await service().createCaller();
  const visitor = await ConsoleVisitor.signedIn(service(), await service().createKey(organizationId, { permissions: [] })); // prettier-ignore
  const answer = await visitor.request('GET', '/console/session/tenants');
  const tenants = [tenantId, ...others]
    .sort()
    .map((id) => ({ tenantId: id, organizationId, displayName: null, state: 'active' }));
  expect(answer.json).toEqual(envelopeOf('console', true, 'Tenants found.', { tenants, nextPageToken: null }));
});

it('come page by page, each once (R-237)', async () => {
  const { organizationId, tenantId, key } = await service().createCaller();
  const ids = [tenantId];
  for (let count = 1; count < 45; count += 1) ids.push(await service().createTenant(organizationId));
  const visitor = await ConsoleVisitor.signedIn(service(), key);
  const found: string[] = [];
  const sizes: number[] = [];
  for (let query = '?limit=20'; ;) {
    const { tenants, nextPageToken } = await pageOf(visitor, query);
    found.push(...tenants.map(({ tenantId: id }) => id));
    sizes.push(tenants.length);
    if (nextPageToken === null) break;
    query = `?limit=20&pageToken=${nextPageToken}`;
  }
  expect(sizes).toEqual([20, 20, 5]);
  expect(found).toEqual(ids.sort());
});

it('leave out one that is being erased (R-60)', async () => {
  const { organizationId, tenantId, key } = await service().createCaller();
  const gone = await service().createTenant(organizationId);
  const data = { erasingSince: new Date(service().clock.nowMs()) };
  await service().store.commit([{ set: tenantPath(gone), data, fields: ['erasingSince'] }], service().deadline());
  const { tenants } = await pageOf(await ConsoleVisitor.signedIn(service(), key));
  expect(tenants).toEqual([{ tenantId, organizationId, displayName: null, state: 'active' }]);
});

it.each([
  ['limit=0', 'The query parameter limit must be a whole number from 1 to 100.'],
  ['limit=101', 'The query parameter limit must be a whole number from 1 to 100.'],
  ['limit=x', 'The query parameter limit must be a whole number from 1 to 100.'],
  ['limit=1&limit=2', 'The query parameter limit must be given once.'],
  ['pageToken=x', 'The query parameter pageToken is no token of this list.'],
  ['pageToken=%E0%A4%A', 'The URL contains a malformed percent-encoding.'],
])('are 400 for %s', async (query, message) => {
  const { key } = await service().createCaller();
  const visitor = await ConsoleVisitor.signedIn(service(), key);
  const { status, json } = await visitor.request('GET', `/console/session/tenants?${query}`);
  expect({ status, json }).toEqual({ status: 400, json: envelopeOf('console', false, message) });
});

it('are never those of another organization, also not by its page token (R-237)', async () => {
  const victim = await service().createCaller();
  await service().createTenant(victim.organizationId);
  const { nextPageToken } = await pageOf(await ConsoleVisitor.signedIn(service(), victim.key), '?limit=1');
  const attacker = await service().createCaller();
  const visitor = await ConsoleVisitor.signedIn(service(), attacker.key);
  const answer = await visitor.request('GET', `/console/session/tenants?pageToken=${nextPageToken!}`);
  expect(answer.status).toBe(400);
  expect((await pageOf(visitor)).tenants).toEqual([
    { tenantId: attacker.tenantId, organizationId: attacker.organizationId, displayName: null, state: 'active' },
  ]);
});

it('are 401 without a session', async () => {
  expect((await new ConsoleVisitor(service()).request('GET', '/console/session/tenants')).status).toBe(401);
});

it('are 500 in words when the database fails', async () => {
  const { key } = await service().createCaller();
  const visitor = await ConsoleVisitor.signedIn(service(), key);
  service().store.failing = ({ method }) => method === 'findWhere';
  const { status, json } = await visitor.request('GET', '/console/session/tenants');
  expect({ status, json }).toEqual({ status: 500, json: envelopeOf('console', false, 'Failed to find tenants.') });
});
