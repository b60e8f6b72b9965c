import type { ApiRoute } from '../api';
import { envelopeOf, expectAnswer, expectHeaders } from '../api';
import { useTestService } from '../../support/test-service';

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT', 'POST', 'DELETE'];

/** 405 of a function (D-34, D-35): the paths, relative to it, with what `Allow` says of each. */
export function describeMethodNotAllowed(
  to: ApiRoute['to'],
  paths: readonly (readonly [path: string, allow: string])[],
): void {
  const service = useTestService(to);
  const fill = (path: string, tenantId: string) => `/${to}${path.replace('<tenant_id>', tenantId)}`;

  it.each(paths)(
    '%s allows %s, and says so for every other method, counted against no key; HEAD is such a one (D-34, D-35, R-67)',
    async (path, allow) => {
      const { tenantId, key } = await service().createCaller({ requestsPerMinute: 5_000 });
      for (const method of METHODS.filter((other) => !allow.split(', ').includes(other))) {
        const answer = await service().request(method, fill(path, tenantId), { key });
        expect({ method, status: answer.status, allow: answer.headers.allow }).toEqual({ method, status: 405, allow });
        const limits = { limit: 5_000, remaining: 5_000 };
        if (method === 'HEAD') expectHeaders(answer, limits);
        else expectAnswer(answer, 405, envelopeOf(to, false, 'Method not allowed.'), limits);
      }
      expect(service().store.writes).toEqual([]);
    },
  );

  it.each(paths)('%s says so without a key too (D-34)', async (path, allow) => {
    const answer = await service().request('PUT', fill(path, service().unusedTenantId()));
    expectAnswer(answer, 405, envelopeOf(to, false, 'Method not allowed.'), { remaining: 100 });
    expect(answer.headers.allow).toBe(allow);
  });
}
