/** The API as the console asks for it: the same routes, checks and answers, for whoever has a session. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiEndpoints } from '../../../functions/console/endpoint';
import { hashApiKey, PERMISSIONS } from '../../../shared/domain/api-key';
import { ConsoleVisitor } from '../../support/console-visitor';
import {
  changesSomething,
  envelopeOf,
  expectAnswer,
  hasBody,
  hasSubject,
  ROUTES,
  rowsOf,
  titleOf,
  useRouteService,
} from '../api';

const service = useRouteService('console');

const NOT_OWN = "The request did not come from the console's own page. Please reload the page and try again.";
const FOREIGN = "The tenant does not belong to the API key's organization.";

it('has every operation of openapi.json, and no other one (R-230)', () => {
  const document = JSON.parse(readFileSync(join(__dirname, '../../../openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const documented = Object.values(document.paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId)); // prettier-ignore
  const served = apiEndpoints({} as never).flatMap(({ routes }) => routes.map(({ operationId }) => operationId));
  expect(documented.length).toBeGreaterThan(20);
  expect(served.sort()).toEqual(documented.sort());
});

describe.each(rowsOf())('%s in the console', (_, route) => {
  it('answers as the API does, and counts against the console’s limit alone (R-230, R-233)', async () => {
    const { tenantId, key } = await service().createCaller({ requestsPerMinute: 7 });
    const visitor = await ConsoleVisitor.signedIn(service(), key);
    const answer = await visitor.call(route, tenantId);
    expectAnswer(answer, 200, envelopeOf(route.to, true, route.message, route.data(tenantId)), { limit: 300 });
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    const counters = service()
      .store.calls.filter(({ method }) => method === 'increment')
      .flatMap(({ paths }) => paths);
    expect(counters.filter((path) => !path.startsWith(`rateCounters/console-${hashApiKey(key)!}.`))).toEqual([]);
    expect(counters).toHaveLength(1);
  });

  it('is 403 without the permission that the key lacks (R-230)', async () => {
    const { tenantId, organizationId } = await service().createCaller();
    const others = PERMISSIONS.filter((permission) => permission !== route.permission);
    const key = await service().createKey(organizationId, { permissions: others });
    const answer = await (await ConsoleVisitor.signedIn(service(), key)).call(route, tenantId);
    const message = `The API key lacks the permission ${route.permission}.`;
    expectAnswer(answer, 403, envelopeOf(route.to, false, message), { limit: 300 });
  });

  it('is 403 for the tenant of another organization, and changes nothing (R-230)', async () => {
    const { tenantId } = await service().createCaller();
    const stranger = await ConsoleVisitor.signedIn(service(), (await service().createCaller()).key);
    const before = await service().store.dump();
    expectAnswer(await stranger.call(route, tenantId), 403, envelopeOf(route.to, false, FOREIGN), { limit: 300 });
    expect(await service().store.dump()).toEqual(before);
    expect(service().publisher.published).toEqual([]);
  });

  it('is 401 without a session, with a key in its header, and once the key is revoked (R-231)', async () => {
    const { tenantId, key } = await service().createCaller();
    const visitor = await ConsoleVisitor.signedIn(service(), key);
    const ended = envelopeOf(route.to, false, 'The session has ended. Please sign in again.', { signIn: 'key' });
    expectAnswer(await new ConsoleVisitor(service()).call(route, tenantId, { key }), 401, ended);
    await service().revokeKey(key);
    const before = await service().store.dump();
    expectAnswer(await visitor.call(route, tenantId), 401, ended);
    expect(await service().store.dump()).toEqual(before);
  });
});

describe.each(rowsOf(undefined, changesSomething))('%s in the console', (_, route) => {
  it.each<readonly [string, Readonly<Record<string, string | undefined>>]>([
    ['without the session’s token', { 'x-csrf-token': undefined }],
    ['with an empty token', { 'x-csrf-token': '' }],
    ['with another token of the same length', { 'x-csrf-token': 'A'.repeat(43) }],
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from another origin of the site', { 'sec-fetch-site': 'same-site' }],
    ['from an origin that older browsers tell', { 'sec-fetch-site': undefined, origin: 'https://evil.example' }],
    ['from who does not say where from', { 'sec-fetch-site': undefined }],
  ])('is 403 %s, and changes nothing (R-232)', async (_title, headers) => {
    const { tenantId, key } = await service().createCaller();
    const visitor = await ConsoleVisitor.signedIn(service(), key);
    const before = await service().store.dump();
    const answer = await visitor.call(route, tenantId, { headers });
    const body = envelopeOf(route.to, false, NOT_OWN, { reason: 'notOwnPage' });
    expect({ status: answer.status, body: answer.json }).toEqual({ status: 403, body });
    expect(await service().store.dump()).toEqual(before);
    expect(service().publisher.published).toEqual([]);
    expect(service().scheduler.jobs.size).toBe(0);
  });

  it('is 403 with the token of another session (R-232)', async () => {
    const { tenantId, key } = await service().createCaller();
    const visitor = await ConsoleVisitor.signedIn(service(), key);
    const { csrfToken } = await ConsoleVisitor.signedIn(service(), key);
    expect((await visitor.call(route, tenantId, { headers: { 'x-csrf-token': csrfToken } })).status).toBe(403);
  });
});

it.each(rowsOf(undefined, (route) => !changesSomething(route)))(
  '%s needs no token: it changes nothing, and other sites cannot read it (R-232)',
  async (_, route) => {
    const { tenantId, key } = await service().createCaller();
    const visitor = await ConsoleVisitor.signedIn(service(), key);
    const headers = { 'x-csrf-token': undefined, 'sec-fetch-site': undefined };
    const answer = await visitor.call(route, tenantId, { headers });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  },
);

it.each(rowsOf(undefined, (route) => hasBody(route) && route.to !== 'ingestion'))(
  '%s refuses what the API refuses, in its words',
  async (_, route) => {
    await service().start([route.to]);
    const { tenantId, key } = await service().createCaller();
    const visitor = await ConsoleVisitor.signedIn(service(), key);
    for (const raw of ['{"not":', '{}', '[5]', '[]', '']) {
      const inConsole = await visitor.call(route, tenantId, { raw });
      const path = `/${route.to}${route.path(tenantId)}`;
      const inApi = await service().request(route.method, path, { to: route.to, key, raw });
      const told = ({ status, json }: { status: number; json: unknown }) => ({ status, ...(json as { traceId?: string }), traceId: '' }); // prettier-ignore
      expect(told(inConsole)).toEqual(told(inApi));
    }
  },
);

it('streams bad rows, as the API does (R-91)', async () => {
  const { tenantId, key } = await service().createCaller();
  const visitor = await ConsoleVisitor.signedIn(service(), key);
  const route = ROUTES.find((row) => hasSubject(row) && titleOf(row).endsWith('/errors'))!;
  const answer = await visitor.call(route, tenantId, { headers: { accept: 'application/x-ndjson' } });
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/x-ndjson');
  expect(answer.text.trim().split('\n').length).toBeGreaterThan(0);
});

it('is 500 with the API’s words, logged without a secret, when the database fails', async () => {
  const { tenantId, key } = await service().createCaller();
  const visitor = await ConsoleVisitor.signedIn(service(), key);
  service().store.failing = ({ paths }) => paths.includes(`tenants/${tenantId}`);
  const [route] = ROUTES;
  const answer = await visitor.call(route!, tenantId);
  expectAnswer(answer, 500, envelopeOf(route!.to, false, route!.failureMessage), { limit: 300 });
  expect(service().logger.entries).toMatchObject([{ details: { function: 'customers', traceId: answer.headers['x-trace-id'] } }]); // prettier-ignore
  const logged = JSON.stringify(service().logger.entries);
  for (const secret of [key, visitor.cookie!.split('=')[1]!, visitor.csrfToken!]) expect(logged).not.toContain(secret);
});

it('reads one document more than the API, the session, and writes nothing more (R-233)', async () => {
  const { tenantId, key } = await service().createCaller();
  const visitor = await ConsoleVisitor.signedIn(service(), key);
  const [route] = rowsOf('products', ({ method }) => method === 'GET')[0]!.slice(1) as [(typeof ROUTES)[number]];
  await visitor.call(route, tenantId);
  service().store.calls.length = 0;
  await visitor.call(route, tenantId);
  const collections = service().store.calls.flatMap(({ paths }) => paths.map((path) => path.split('/')[0]));
  expect(collections.filter((name) => name === 'consoleSessions')).toHaveLength(1);
  expect(collections.filter((name) => name === 'apiKeys')).toHaveLength(1);
  const written = service().store.writes.flatMap(({ paths }) => paths);
  expect(written.filter((path) => !path.startsWith(`rateCounters/console-`))).toEqual([]);
});
