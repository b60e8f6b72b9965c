/** The headers of answers: a fixed set, whose values no caller can choose but for the hexadecimal trace id. */
import type { Received } from '../support/http-exchange';
import { HTTP_FUNCTIONS } from '../support/test-service';
import { call, rowsOf, useRouteService } from './api';

const service = useRouteService(...HTTP_FUNCTIONS);

const ALWAYS = ['cache-control', 'connection', 'content-length', 'content-type', 'date', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-trace-id']; // prettier-ignore
const SOMETIMES = ['accept-encoding', 'allow', 'keep-alive', 'retry-after', 'vary'];
const SPLIT = '%0d%0aX-Injected:%20yes%0d%0a%0d%0a<html>';
const CANARY = 'canary7f3a';

function expectOwnHeaders({ headers }: Received): void {
  const others = Object.keys(headers).filter((name) => !SOMETIMES.includes(name));
  expect(others.sort()).toEqual(ALWAYS);
  expect(JSON.stringify(headers)).not.toMatch(/inject|canary|html/i);
}

describe.each(rowsOf())('%s', (_, route) => {
  it('answers with no header of a caller’s making, whatever path, query and headers hold', async () => {
    const { tenantId, key } = await service().createCaller();
    const headers = {
      traceparent: `00-${CANARY.padEnd(32, '0')}-b7ad6b7169203331-01`,
      'x-cloud-trace-context': `${CANARY}/1`,
      'x-request-id': CANARY,
      'content-encoding': CANARY,
      'x-forwarded-host': CANARY,
      origin: `https://${CANARY}.example`,
    };
    const at = (path: string) => service().request(route.method, path, { to: route.to, key, headers, json: [] });
    const path = `/${route.to}${route.path(tenantId)}`;
    const answers = [
      await at(path.replace(/[CPO]-1|V-1/g, SPLIT)),
      await at(path.replace(tenantId, SPLIT)),
      await at(`${path}${path.includes('?') ? '&' : '?'}${SPLIT}=${SPLIT}`),
      await at(`/${route.to}/${SPLIT}/x/y/z`),
      await service().request('PUT', path, { to: route.to, key, headers }),
    ];
    for (const answer of answers) expectOwnHeaders(answer);
  });

  it('forbids every cache to keep the answer, which may hold personal data (R-67)', async () => {
    const caller = await service().createCaller();
    const refused = await call(service(), route, { ...caller, key: service().unknownKey() });
    for (const { headers } of [await call(service(), route, caller), refused]) {
      expect(headers['cache-control']).toBe('no-store');
    }
  });

  it('lets no page of another origin use a key: there is no CORS header, and a preflight is refused', async () => {
    const caller = await service().createCaller();
    const headers = { origin: 'https://shop.example', 'access-control-request-headers': 'x-service-auth-key' };
    const path = `/${route.to}${route.path(caller.tenantId)}`;
    const asked = { ...headers, 'access-control-request-method': route.method };
    const preflight = await service().request('OPTIONS', path, { headers: asked });
    expect(preflight.status).toBe(405);
    expectOwnHeaders(preflight);
    const answer = await call(service(), route, caller, { headers });
    expect(answer.status).toBe(200);
    expectOwnHeaders(answer);
  });
});
