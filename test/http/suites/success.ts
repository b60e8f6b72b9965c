import type { ApiRoute } from '../api';
import { call, envelopeOf, expectAnswer, rowsOf, useRouteService } from '../api';

/** 200 of every route of a function (Spec §2.8, §4). */
export function describeSuccess(to: ApiRoute['to']): void {
  const service = useRouteService(to);

  describe.each(rowsOf(to))('%s', (_, route) => {
    it('answers 200 at its path of version 1 in the envelope, exactly (Spec §2.8, §4, D-42)', async () => {
      const caller = await service().createCaller();
      const answer = await call(service(), route, caller);
      expectAnswer(answer, 200, envelopeOf(to, true, route.message, route.data(caller.tenantId)), { remaining: 99 });
    });

    it('has the same answer where the platform strips the function’s name from the path (Spec §4.1)', async () => {
      const caller = await service().createCaller();
      const answer = await service().request(route.method, route.path(caller.tenantId), {
        to,
        key: caller.key,
        ...(route.body && { json: route.body(caller.tenantId) }),
      });
      expectAnswer(answer, 200, envelopeOf(to, true, route.message, route.data(caller.tenantId)), { remaining: 99 });
    });

    it('takes the tenant id in upper case and echoes it in lower case (D-46)', async () => {
      const caller = await service().createCaller();
      const answer = await call(service(), route, caller, { tenant: caller.tenantId.toUpperCase() });
      expectAnswer(answer, 200, envelopeOf(to, true, route.message, route.data(caller.tenantId)));
    });

    it('decodes a tenant id in its path or query once (D-45, R-145)', async () => {
      const caller = await service().createCaller();
      const encoded = caller.tenantId.replace(/[^-]/g, (digit) => `%${digit.charCodeAt(0).toString(16)}`);
      const answer = await service().request(route.method, `/${to}${route.path(encoded)}`, {
        key: caller.key,
        ...(route.body && { json: route.body(caller.tenantId) }),
      });
      expectAnswer(answer, 200, envelopeOf(to, true, route.message, route.data(caller.tenantId)));
    });

    it('may be repeated with the same answer (Spec §1)', async () => {
      const caller = await service().createCaller();
      await call(service(), route, caller);
      const answer = await call(service(), route, caller);
      expectAnswer(answer, 200, envelopeOf(to, true, route.message, route.data(caller.tenantId)), { remaining: 98 });
    });

    it('needs only its own permission (Spec §5)', async () => {
      const caller = await service().createCaller({ permissions: [route.permission] });
      expect((await call(service(), route, caller)).status).toBe(200);
    });

    it('says its key’s own limit (D-36)', async () => {
      const caller = await service().createCaller({ requestsPerMinute: 7 });
      const answer = await call(service(), route, caller);
      expectAnswer(answer, 200, envelopeOf(to, true, route.message, route.data(caller.tenantId)), {
        limit: 7,
        remaining: 6,
      });
    });
  });
}
