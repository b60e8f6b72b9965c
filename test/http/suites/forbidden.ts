import { PERMISSIONS } from '../../../shared/domain/api-key';
import type { ApiRoute } from '../api';
import { call, envelopeOf, expectAnswer, hasBody, rowsOf, useRouteService } from '../api';

const FOREIGN = "The tenant does not belong to the API key's organization.";
const SUSPENDED = 'The tenant is suspended.';

/** 403 of every route of a function (Spec §5, D-34, D-35). */
export function describeForbidden(to: ApiRoute['to']): void {
  const service = useRouteService(to);

  describe.each(rowsOf(to))('%s', (_, route) => {
    it('refuses the tenant of another organization, counts the request and changes nothing (Spec §5, D-35)', async () => {
      const { key } = await service().createCaller();
      const { tenantId } = await service().createCaller();
      const before = await service().store.dump();
      const answer = await call(service(), route, { tenantId, key });
      expectAnswer(answer, 403, envelopeOf(to, false, FOREIGN), { remaining: 99 });
      expect(await service().store.dump()).toEqual(before);
      expect(service().publisher.published).toEqual([]);
      expect(service().scheduler.jobs.size).toBe(0);
    });

    it('refuses a key that lacks the route’s permission, counts the request and changes nothing (Spec §5)', async () => {
      const caller = await service().createCaller({
        permissions: PERMISSIONS.filter((held) => held !== route.permission),
      });
      const before = await service().store.dump();
      const answer = await call(service(), route, caller);
      const message = `The API key lacks the permission ${route.permission}.`;
      expectAnswer(answer, 403, envelopeOf(to, false, message), { remaining: 99 });
      expect(await service().store.dump()).toEqual(before);
      expect(service().publisher.published).toEqual([]);
      expect(service().scheduler.jobs.size).toBe(0);
    });
  });

  describe.each(rowsOf(to))('%s', (_, route) => {
    it('refuses a suspended tenant, also one that it has served before, and changes nothing, until it is resumed (R-210)', async () => {
      const caller = await service().createCaller();
      expect((await call(service(), route, caller)).status).toBe(200);
      await service().suspendTenant(caller.tenantId);
      const before = await service().store.dump();
      const published = service().publisher.published.length;
      const jobs = JSON.stringify([...service().scheduler.jobs]);
      const answer = await call(service(), route, caller);
      expectAnswer(answer, 403, envelopeOf(to, false, SUSPENDED), { remaining: 98 });
      expect(await service().store.dump()).toEqual(before);
      expect(service().publisher.published).toHaveLength(published);
      expect(JSON.stringify([...service().scheduler.jobs])).toBe(jobs);
    });

    it('tells another organization nothing of a suspension, and its own keys before their permissions (R-210)', async () => {
      const permissions = PERMISSIONS.filter((held) => held !== route.permission);
      const caller = await service().createCaller({ permissions });
      const { key } = await service().createCaller();
      await service().suspendTenant(caller.tenantId);
      const foreign = await call(service(), route, { tenantId: caller.tenantId, key });
      expectAnswer(foreign, 403, envelopeOf(to, false, FOREIGN));
      if (route.path('').includes('unregister')) return; // it has no tenant until its permission is checked
      expectAnswer(await call(service(), route, caller), 403, envelopeOf(to, false, SUSPENDED));
    });
  });

  for (const [title, route] of rowsOf(to, (row) => hasBody(row) && row.to !== 'ingestion')) {
    it(`${title} refuses before it reads the body (D-34)`, async () => {
      const { key } = await service().createCaller();
      const { tenantId } = await service().createCaller();
      const answer = await call(service(), route, { tenantId, key }, { raw: '{"not":' });
      expectAnswer(answer, 403, envelopeOf(to, false, FOREIGN));
    });
  }
}
