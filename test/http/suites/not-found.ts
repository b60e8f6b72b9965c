import { tenantPath } from '../../../shared/documents/paths';
import type { ApiRoute } from '../api';
import { call, envelopeOf, expectAnswer, hasBody, hasSubject, rowsOf, useRouteService } from '../api';

/** 404 of every route of a function (Spec §7.1, D-34, D-35); `unknownPaths` are relative to the function. */
export function describeNotFound(to: ApiRoute['to'], unknownPaths: (tenantId: string) => readonly string[]): void {
  const service = useRouteService(to);

  describe.each(rowsOf(to, (row) => !hasSubject(row)))('%s', (_, route) => {
    it('answers that the tenant does not exist, and counts the request (Spec §7.1)', async () => {
      const caller = await service().createCaller();
      const answer = await call(service(), route, caller, { tenant: service().unusedTenantId() });
      expectAnswer(answer, 404, envelopeOf(to, false, 'Tenant not found.'), { remaining: 99 });
    });

    it('answers so from the moment on that the tenant is being erased, and writes nothing (R-60)', async () => {
      const caller = await service().createCaller();
      expect((await call(service(), route, caller)).status).toBe(200); // this instance knows caller and tenant
      const data = { erasingSince: new Date(service().clock.nowMs()) };
      const startErasing = { set: tenantPath(caller.tenantId), data, fields: Object.keys(data) };
      await service().store.commit([startErasing], service().deadline());
      const before = await service().store.dump();
      const answer = await call(service(), route, caller);
      expectAnswer(answer, 404, envelopeOf(to, false, 'Tenant not found.'), { remaining: 98 });
      expect(await service().store.dump()).toEqual(before);
    });

    it('answers so even to a key without the route’s permission (D-34)', async () => {
      const caller = await service().createCaller({ permissions: [] });
      const answer = await call(service(), route, caller, { tenant: service().unusedTenantId() });
      expectAnswer(answer, 404, envelopeOf(to, false, 'Tenant not found.'));
    });
  });

  for (const [title, route] of rowsOf(to, (row) => hasBody(row) && row.to !== 'ingestion')) {
    it(`${title} answers so before it reads the body (D-34)`, async () => {
      const caller = await service().createCaller();
      const answer = await call(service(), route, caller, { tenant: service().unusedTenantId(), raw: '{"not":' });
      expectAnswer(answer, 404, envelopeOf(to, false, 'Tenant not found.'));
    });
  }

  it.each(['GET', 'POST', 'DELETE', 'PUT'])(
    'answers %s of an unknown path with or without the function’s name, counts it against no key and writes nothing (D-34, D-35)',
    async (method) => {
      const { tenantId, key } = await service().createCaller({ requestsPerMinute: 5_000 });
      for (const path of unknownPaths(tenantId).flatMap((unknown) => [unknown, `/${to}${unknown}`])) {
        const answer = await service().request(method, path, { to, key });
        expectAnswer(answer, 404, envelopeOf(to, false, 'Not found.'), { limit: 5_000, remaining: 5_000 });
      }
      expect(service().store.writes).toEqual([]);
    },
  );

  it('says of the limit what is true of the key at an unknown path, too (Spec §8, D-34)', async () => {
    const caller = await service().createCaller({ requestsPerMinute: 1 });
    const [path = ''] = unknownPaths(caller.tenantId);
    const unknown = async (key?: string) => service().request('POST', path, { to, ...(key !== undefined && { key }) });
    const [[, route] = []] = rowsOf(to);
    expect((await call(service(), route!, caller)).status).toBe(200);
    expectAnswer(await unknown(caller.key), 404, envelopeOf(to, false, 'Not found.'), { limit: 1, remaining: 0 });
    for (const key of [undefined, 'no key', service().unknownKey()]) {
      expectAnswer(await unknown(key), 404, envelopeOf(to, false, 'Not found.'), { limit: 100, remaining: 100 });
    }
    service().store.failing = () => true;
    expectAnswer(await unknown(caller.key), 404, envelopeOf(to, false, 'Not found.'), { limit: 100, remaining: 100 });
  });
}
