import { PERMISSIONS } from '../../shared/domain/api-key';
import { call, envelopeOf, expectAnswer, hasBody, matching, problemOf, rowsOf, UNAUTHORIZED } from './api';
import { HTTP_FUNCTIONS, useTestService } from '../support/test-service';

const service = useTestService(...HTTP_FUNCTIONS);

/** Each request is wrong in every way that is left; mending one thing shows the next check. */
describe('checks come in the order of D-34', () => {
  it.each(rowsOf(undefined, (route) => route.to !== 'ingestion' && hasBody(route)))('%s', async (_, route) => {
    const { to } = route;
    const stranger = await service().createCaller({ permissions: [] });
    const owner = await service().createCaller();
    const unpermitted = await service().createKey(owner.organizationId, { permissions: [] });
    const spent = await service().createKey(stranger.organizationId, { permissions: [], requestsPerMinute: 1 });
    const raw = '{"not":';
    const unused = service().unusedTenantId();
    const at = (tenant: string, key: string, body = raw) =>
      call(service(), route, { tenantId: tenant, key }, { raw: body });

    const unrouted = await service().request('PATCH', `/${to}/no-guid`, { key: 'no key', raw });
    expectAnswer(unrouted, 405, envelopeOf(to, false, 'Method not allowed.'));
    expectAnswer(await at('no-guid', service().unknownKey()), 401, envelopeOf(to, false, UNAUTHORIZED));
    await at('no-guid', spent);
    expect((await at('no-guid', spent)).status).toBe(429);
    expectAnswer(await at('no-guid', stranger.key), 400, envelopeOf(to, false, 'Invalid tenant identifier.'));
    expectAnswer(await at(unused, stranger.key), 404, envelopeOf(to, false, 'Tenant not found.'));
    const foreign = "The tenant does not belong to the API key's organization.";
    expectAnswer(await at(owner.tenantId, stranger.key), 403, envelopeOf(to, false, foreign));
    const missing = `The API key lacks the permission ${route.permission}.`;
    expectAnswer(await at(owner.tenantId, unpermitted), 403, envelopeOf(to, false, missing));
    const unread = await at(owner.tenantId, owner.key);
    expectAnswer(unread, 400, problemOf(unread, { '': ['The request body is not valid JSON.'] }));
    const invalid = await at(owner.tenantId, owner.key, '[7]');
    expectAnswer(invalid, 400, problemOf(invalid, { '[0]': ['The element must be an object.'] }));
    expect((await call(service(), route, owner)).status).toBe(200);
  });

  it.each(rowsOf(undefined, ({ permission }) => permission === 'records'))(
    '%s, without what it asks for (R-68)',
    async (_, { to }) => {
      const stranger = await service().createCaller({ permissions: [] });
      const owner = await service().createCaller();
      const others = PERMISSIONS.filter((permission) => permission !== 'records');
      const unpermitted = await service().createKey(owner.organizationId, { permissions: others });
      const spent = await service().createKey(stranger.organizationId, { permissions: [], requestsPerMinute: 1 });
      const at = async (tenant: string, key: string, method = 'GET') => {
        const { status, json } = await service().request(method, `/${to}/${tenant}?from=none`, { key });
        return [status, (json as { message?: string } | undefined)?.message];
      };

      expect(await at('no-guid', 'no key', 'PATCH')).toEqual([405, 'Method not allowed.']);
      expect(await at('no-guid', service().unknownKey())).toEqual([401, UNAUTHORIZED]);
      await at('no-guid', spent);
      expect((await at('no-guid', spent))[0]).toBe(429);
      expect(await at('no-guid', stranger.key)).toEqual([400, 'Invalid tenant identifier.']);
      expect(await at(service().unusedTenantId(), stranger.key)).toEqual([404, 'Tenant not found.']);
      const foreign = "The tenant does not belong to the API key's organization.";
      expect(await at(owner.tenantId, stranger.key)).toEqual([403, foreign]);
      expect(await at(owner.tenantId, unpermitted)).toEqual([403, 'The API key lacks the permission records.']);
      expect(await at(owner.tenantId, owner.key)).toEqual([400, matching(/ is required\.$| must be a day or time /)]);
    },
  );

  it.each(rowsOf('ingestion', hasBody))('%s, whose tenant is in its body', async (_, route) => {
    const stranger = await service().createCaller({ permissions: [] });
    const owner = await service().createCaller();
    const unpermitted = await service().createKey(owner.organizationId, { permissions: [] });
    const statusOf = async (tenant: string, key: string, raw?: string) =>
      (await call(service(), route, { tenantId: tenant, key }, raw === undefined ? {} : { raw })).status;

    expect(await statusOf('no-guid', service().unknownKey(), '{"not":')).toBe(401);
    for (const raw of ['{"not":', '[]', '{}']) {
      const unnamed = await call(service(), route, { tenantId: owner.tenantId, key: unpermitted }, { raw });
      const missing = 'The API key lacks the permission transfers.';
      expectAnswer(unnamed, 403, envelopeOf(route.to, false, missing));
      expect(await statusOf(owner.tenantId, owner.key, raw)).toBe(400);
    }
    expect(await statusOf('no-guid', unpermitted)).toBe(403);
    expect(await statusOf('no-guid', owner.key)).toBe(400);
    expect(await statusOf(service().unusedTenantId(), unpermitted)).toBe(404);
    expect(await statusOf(service().unusedTenantId(), stranger.key)).toBe(404);
    expect(await statusOf(owner.tenantId, stranger.key)).toBe(403);
    expect(await statusOf(owner.tenantId, unpermitted)).toBe(403);
    expect(await statusOf(owner.tenantId, owner.key)).toBe(200);
  });
});
