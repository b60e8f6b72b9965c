import type { ApiRoute } from '../api';
import { call, envelopeOf, expectAnswer, rowsOf, UNAUTHORIZED, useRouteService } from '../api';

/** 401 of every route of a function (Spec §5, D-34 to D-36). */
export function describeUnauthorized(to: ApiRoute['to']): void {
  const service = useRouteService(to);
  const refusal = envelopeOf(to, false, UNAUTHORIZED);

  describe.each(rowsOf(to))('%s', (_, route) => {
    it('refuses a request without a key, counts it against none and touches no document (Spec §5, D-35, D-36)', async () => {
      const { tenantId } = await service().createCaller();
      const answer = await call(
        service(),
        route,
        { tenantId, key: '' },
        { headers: { 'x-service-auth-key': undefined } },
      );
      expectAnswer(answer, 401, refusal, { remaining: 100 });
      expect(service().store.calls).toEqual([]);
    });

    it('refuses texts that cannot be a key without reading anything (Spec §5, D-36)', async () => {
      const { tenantId, key } = await service().createCaller();
      const wrong = ['', ' ', `${key} ${key}`, `${key},${key}`, `${key.slice(0, 20)} ${key.slice(20)}`, `Bearer ${key}`, `${key}=`, key.slice(1), 'é'.repeat(44)]; // prettier-ignore
      for (const text of wrong) {
        expectAnswer(await call(service(), route, { tenantId, key: text }), 401, refusal, { remaining: 100 });
      }
      const twice = await call(
        service(),
        route,
        { tenantId, key: '' },
        { headers: { 'x-service-auth-key': [key, key] } },
      );
      expectAnswer(twice, 401, refusal);
      expect(service().store.calls).toEqual([]);
    });

    it('refuses a key in other letter case (Spec §5)', async () => {
      const { tenantId, key } = await service().createCaller();
      const swapped = key.replace(/[A-Za-z]/g, (letter) =>
        letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
      );
      expectAnswer(await call(service(), route, { tenantId, key: swapped }), 401, refusal);
    });

    it('refuses an unknown key with at most one read, then from memory, and never writes (D-36)', async () => {
      const { tenantId } = await service().createCaller();
      const key = service().unknownKey();
      for (let attempt = 0; attempt < 3; attempt += 1) {
        expectAnswer(await call(service(), route, { tenantId, key }), 401, refusal, { remaining: 100 });
      }
      expect(service().store.calls.map(({ method }) => method)).toEqual(['get']);
    });

    it('refuses a revoked key, and one that was valid on the request before (Spec §5)', async () => {
      const { tenantId, key } = await service().createCaller();
      expect((await call(service(), route, { tenantId, key })).status).toBe(200);
      await service().revokeKey(key);
      const before = await service().store.dump();
      expectAnswer(await call(service(), route, { tenantId, key }), 401, refusal, { remaining: 100 });
      expectAnswer(await call(service(), route, { tenantId, key }), 401, refusal, { remaining: 100 });
      expect(await service().store.dump()).toEqual(before);
    });

    it('refuses a key that has ended, and one that was valid on the request before, as an unknown one (R-205)', async () => {
      const { tenantId, organizationId } = await service().createCaller();
      const key = await service().createKey(organizationId, { expiresAtMs: service().clock.nowMs() + 1_000 });
      expect((await call(service(), route, { tenantId, key })).status).toBe(200);
      service().clock.advance(1_000);
      const before = await service().store.dump();
      expectAnswer(await call(service(), route, { tenantId, key }), 401, refusal, { remaining: 100 });
      expectAnswer(await call(service(), route, { tenantId, key }), 401, refusal, { remaining: 100 });
      expect(await service().store.dump()).toEqual(before);
    });

    it('refuses a bad key before it looks at the tenant or the body (D-34)', async () => {
      const key = service().unknownKey();
      const answer = await call(service(), route, { tenantId: 'no-guid', key }, route.body ? { raw: '{"not":' } : {});
      expectAnswer(answer, 401, refusal);
    });
  });
}
