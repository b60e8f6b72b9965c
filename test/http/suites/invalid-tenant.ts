import type { ApiRoute } from '../api';
import { call, envelopeOf, expectAnswer, hasBody, rowsOf, useRouteService } from '../api';

const NO_GUIDS = [
  'no-guid',
  '00000000-0000-0000-0000-00000000000',
  '00000000-0000-0000-0000-0000000000000',
  '00000000000000000000000000000000',
  '%7B00000000-0000-0000-0000-000000000000%7D',
  '00000000-0000-0000-0000-00000000000g',
  '%20',
  '%E0%A4%A',
  '%25300000000-0000-0000-0000-000000000000', // encoded twice
  '..',
];

/** 400 `Invalid tenant identifier.` of the routes that have the tenant in their path (Spec §7.1, D-34, D-46). */
export function describeInvalidTenant(to: ApiRoute['to']): void {
  const service = useRouteService(to);
  const refusal = envelopeOf(to, false, 'Invalid tenant identifier.');

  describe.each(rowsOf(to))('%s', (_, route) => {
    it('refuses a tenant that is no GUID, and counts the request (Spec §7.1, D-46)', async () => {
      const caller = await service().createCaller();
      for (const [index, tenant] of NO_GUIDS.entries()) {
        expectAnswer(await call(service(), route, caller, { tenant }), 400, refusal, { remaining: 99 - index });
      }
    });

    it('refuses it before it looks at permissions or the body (D-34)', async () => {
      const caller = await service().createCaller({ permissions: [] });
      const answer = await call(service(), route, caller, {
        tenant: 'no-guid',
        ...(hasBody(route) && { raw: '{"not":' }),
      });
      expectAnswer(answer, 400, refusal);
    });
  });

  const methods = new Set(rowsOf(to).map(([, { method }]) => method));
  it.each([...methods])('refuses %s without a tenant segment (D-45)', async (method) => {
    const { key } = await service().createCaller();
    for (const path of [`/${to}`, `/${to}/`, `/${to}//`, '/', `/${to}?email=ada@example.com`]) {
      expectAnswer(await service().request(method, path, { key, to }), 400, refusal);
    }
  });
}
