/**
 * Promise: tenants never meet. Every route with every key and session that is not the tenant's, every spelling of its
 * GUID, and ids, buckets and jobs that reach for it: nothing of the tenant is read or written, by its whole dump and by
 * every call.
 */
import * as fc from 'fast-check';
import type { StoredDocument } from '../../shared/documents/document-store';
import { csrfTokenOf } from '../../functions/console/session/session';
import { seal } from '../../shared/audit/audit-log';
import { entryIdAt, toEntryWrite } from '../../shared/audit/entry';
import { fromKeyDocument } from '../../shared/auth/tenant-documents';
import { API_KEYS, apiKeyPath, idOf, tenantPath } from '../../shared/documents/paths';
import { hashApiKey } from '../../shared/domain/api-key';
import { recurringJobId, toTrigger } from '../../shared/domain/transfer';
import { parseTenantId } from '../../shared/domain/tenant';
import { NO_USAGE } from '../../shared/domain/usage';
import { createKey, revokeKey, rotateKey } from '../../shared/operations/keys';
import { OperatorError } from '../../shared/operations/operator-error';
import { toExampleWrite } from '../../shared/transfers/runs/view/examples';
import { toUsageWrite } from '../../shared/usage/usage-documents';
import type { ApiRoute } from '../http/api';
import { changesSomething, matching, ROUTES, titleOf } from '../http/api';
import { ConsoleVisitor } from '../support/console-visitor';
import type { Received } from '../support/http-exchange';
import { keysOf } from '../support/keys-of';
import { TEST_ACTOR } from '../support/memory-operator';
import { aReport, aRun, aRunFile, putFile, putRun, runningRunId, storedRunId } from '../support/stored-run';
import type { Caller, TestService } from '../support/test-service';
import { HTTP_FUNCTIONS, useTestService } from '../support/test-service';
import { FAULTS_SEED, ofTier, report } from './tier';

const RANDOM_CASES = ofTier(0, 10_000);
/** Attempts between two comparisons of everything that is stored. */
const DUMP_EVERY = 100;
/** Fewer than any limit. */
const ATTEMPTS_A_MINUTE = 100;
const SECRET = 'victims-secret';
const VICTIMS_BUCKET = 'victims-exports';

const service = useTestService(...HTTP_FUNCTIONS, 'console');

/** The tenant that nobody else may touch, and who tries. */
interface Scene {
  readonly to: TestService;
  readonly victim: Caller;
  readonly attacker: Caller;
  readonly keys: Readonly<Record<Key, string | undefined>>;
  /** The same of the console: sessions in place of keys. */
  readonly sessions: Readonly<Record<Key, ConsoleVisitor>>;
}

const KEYS = ['foreign', 'revoked', 'unknown', 'none', 'hash', 'cut'] as const;
type Key = (typeof KEYS)[number];

/** How the victim's GUID, or something that reaches for it, is written where the tenant is named. */
const SPELLINGS: Readonly<Record<string, (victim: string, attacker: string) => string>> = {
  'as it is': (victim) => victim,
  'in upper case': (victim) => victim.toUpperCase(),
  'in mixed case': (victim) => victim.replace(/[a-f]/, (letter) => letter.toUpperCase()),
  encoded: (victim) => victim.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  'encoded twice': (victim) => `%2536${victim.slice(1)}`,
  'in braces': (victim) => `%7B${victim}%7D`,
  'behind another': (victim, attacker) => `${attacker}%2F..%2F${victim}`,
  'with a blank': (victim) => `%20${victim}`,
  'with a zero byte': (victim) => `${victim}%00`,
  "as the attacker's own": (_, attacker) => attacker,
};

/** Ids that reach for the victim's documents. */
const IDS: Readonly<Record<string, (victim: string) => string>> = {
  plain: () => 'V-1',
  'a path': (victim) => `../../${victim}/customers/V-1`,
  'a full path': (victim) => `/tenants/${victim}/orders/V-1`,
  'a document': (victim) => `x/../../../tenants/${victim}`,
  'a query': (victim) => `V-1?tenantId=${victim}`,
  'a list': (victim) => `V-1','tenants/${victim}`,
  'a wildcard': () => '*',
};

const JOBS: Readonly<Record<string, (victim: string) => string>> = {
  daily: (victim) => `daily-transfer/${victim}`,
  'in upper case': (victim) => `DAILY-TRANSFER/${victim.toUpperCase()}`,
  hourly: (victim) => `hourly-transfer/${victim}`,
  live: (victim) => `live-transfer/${victim}`,
  'with blanks': (victim) => ` daily-transfer/${victim} `,
  'below another': (victim) => `daily-transfer/x/../${victim}`,
  scheduler: (victim) => `projects/p/locations/l/jobs/daily-transfer_${victim}`,
};

/** The API itself, and the console, which asks for the API with a session. */
const DOORS = ['api', 'console'] as const;

interface Attempt {
  readonly door: (typeof DOORS)[number];
  readonly route: ApiRoute;
  readonly key: Key;
  readonly spelling: string;
  readonly id: string;
  readonly job: string;
}

async function openScene(): Promise<Scene> {
  const to = service();
  const victim = await to.createCaller({ requestsPerMinute: 1e9 });
  const attacker = await to.createCaller({ requestsPerMinute: 1e9 });
  const revoked = await to.createKey(victim.organizationId);
  await to.revokeKey(revoked);
  const { tenantId, key } = victim;
  const records = { CustomerId: 'V-1', Email: 'v@x.com', Name: SECRET };
  const variants = [{ VariantId: 'V-1', Sku: 'V-1', Name: SECRET }];
  const items = [{ ProductId: 'V-1', Sku: 'V-1', Quantity: 1, Price: 1 }];
  const bodies = {
    customers: [records],
    products: [{ ProductId: 'V-1', ProductName: SECRET, ProductVariants: variants }],
    orders: [{ OrderId: 'V-1', Email: `${SECRET}@x.com`, Currency: 'EUR', OrderItems: items }],
  };
  for (const [name, json] of Object.entries(bodies)) await to.request('POST', `/${name}/${tenantId}`, { key, json });
  const json = { TenantId: tenantId, BucketName: VICTIMS_BUCKET };
  await to.request('POST', '/ingestion/google-cloud-storage/register/daily-transfer', { key, json });
  await to.request('POST', '/ingestion/google-cloud-storage/register/hourly-transfer', { key, json });
  await to.request('POST', '/ingestion/google-cloud-storage/register/live-transfer', { key, json });
  const run = aRun(tenantId, { error: SECRET, ignoredFields: [SECRET], isPreview: true });
  const file = aRunFile({ object: `${SECRET}/customers.csv`, error: SECRET });
  const runId = storedRunId(tenantId);
  const report = aReport({ runId, object: file.object }, [{ line: 1, messages: { '': [SECRET] } }]);
  to.storage.put(to.reportsBucket, report.name, report.content);
  const example = { Object: 'o', Line: 1, Identifiers: {}, Fields: { Name: { from: SECRET, to: SECRET } } };
  const place = { rank: 'others', recordId: 'V-1', expireAt: run.expireAt } as const;
  await to.store.commit(
    [
      putRun(runId, run),
      putFile(runId, file),
      report.write,
      toExampleWrite(runId, 'file', place, example),
      toUsageWrite(tenantId, 'secret', [
        { hourMs: Date.parse('2026-03-01T10:00:00Z'), keyId: SECRET, route: 'upsertOrders', counts: NO_USAGE },
      ]),
    ],
    to.deadline(),
  );
  const id = parseTenantId(tenantId)!;
  expect(to.scheduler.jobs.get(recurringJobId('daily', id))?.trigger).toEqual(
    toTrigger('daily', id, recurringJobId('daily', id), json),
  );
  const keys = {
    foreign: attacker.key,
    revoked,
    unknown: to.unknownKey(),
    none: undefined,
    hash: Buffer.from(key).toString('hex'),
    cut: key.slice(0, -1),
  };
  const sessions = await openSessions(to, victim, attacker);
  await to.usage.store(to.deadline()); // what the victim has asked for until now
  return { to, victim, attacker, keys, sessions };
}

async function openSessions(to: TestService, victim: Caller, attacker: Caller): Promise<Scene['sessions']> {
  const revokedKey = await to.createKey(victim.organizationId);
  const revoked = await ConsoleVisitor.signedIn(to, revokedKey);
  await to.revokeKey(revokedKey);
  const victims = await ConsoleVisitor.signedIn(to, victim.key);
  const foreign = await ConsoleVisitor.signedIn(to, attacker.key);
  const [name = '', secret = ''] = victims.cookie?.split(/=(.*)/) ?? [];
  /** Whoever made a cookie up also made up its token. */
  const withCookie = (value: string | undefined) => {
    const visitor = new ConsoleVisitor(to);
    const hash = hashApiKey(value ?? '');
    visitor.cookie = value === undefined ? undefined : `${name}=${value}`;
    visitor.csrfToken = hash && csrfTokenOf(hash);
    return visitor;
  };
  return {
    foreign,
    revoked,
    unknown: withCookie(to.unknownKey()),
    none: withCookie(undefined),
    hash: withCookie(`${hashApiKey(secret) ?? ''}=`),
    cut: withCookie(secret.slice(0, -1)),
  };
}

/** Everything that is stored but what is the attacker's. */
async function victimsDump({ to, attacker }: Scene): Promise<readonly (readonly [string, StoredDocument])[]> {
  const dump = [...(await to.store.dump())];
  const ownRuns = dump.filter(([, { data }]) => data.tenantId === attacker.tenantId).map(([path]) => path);
  const own = [tenantPath(attacker.tenantId), apiKeyPath(hashApiKey(attacker.key)!), ...ownRuns];
  return dump.filter(([path]) => !own.some((root) => path.startsWith(root)));
}

function send(scene: Scene, { door, route, key, spelling, id, job }: Attempt): Promise<Received> {
  const { to, victim, attacker, keys, sessions } = scene;
  const tenant = SPELLINGS[spelling]!(victim.tenantId, attacker.tenantId);
  const idText = IDS[id]!(victim.tenantId);
  const encoded = encodeURIComponent(idText);
  const options = { ...(keys[key] !== undefined && { key: keys[key] }), to: route.to };
  const request = (json?: unknown) =>
    door === 'api'
      ? to.request(route.method, path, { ...options, json })
      : sessions[key].request(route.method, `/console/api${path}`, { json });
  const path = `/${route.to}${route.path(tenant)}`
    .replace(/=?daily-transfer\/.*/, `=${encodeURIComponent(JOBS[job]!(victim.tenantId))}`)
    .replaceAll(/[CPO]-1|V-1|S-1/g, encoded)
    .replace('ada@example.com', 'v@x.com');
  if (!route.body) return request();
  const item = { ProductId: idText, Sku: idText, Quantity: 1, Price: 1 };
  const bodies = {
    customers: [{ CustomerId: idText, Email: 'v@x.com', Name: 'changed' }],
    products: [{ ProductId: idText, ProductVariants: [{ VariantId: idText, Sku: idText }] }],
    orders: [{ OrderId: idText, Currency: 'EUR', OrderItems: [item] }],
    usage: undefined,
    ingestion: { TenantId: decode(tenant), BucketName: VICTIMS_BUCKET, DataFolderPaths: [idText] },
  };
  return request(bodies[route.to]);
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('%25', '%'));
}

/** Unregistering what is not there is answered with 200, too (D-39). */
function isUnregistration({ path }: ApiRoute): boolean {
  return path('').includes('unregister');
}

/** Makes attempts, and says what is wrong with them. */
async function tryAll(attempts: readonly Attempt[], scene: Scene): Promise<string[]> {
  const { to, victim } = scene;
  const wrong: string[] = [];
  const before = await victimsDump(scene);
  const jobsBefore = JSON.stringify([...to.scheduler.jobs]);
  let attempted = 0;
  for (const attempt of attempts) {
    to.store.calls.length = 0;
    to.publisher.published.length = 0;
    const { status, text, headers } = await send(scene, attempt);
    const answered = `${text}${JSON.stringify(headers)}`;
    const touched = to.store.calls.flatMap(({ paths }) => paths).filter((path) => path.startsWith(`${tenantPath(victim.tenantId)}/`)); // prettier-ignore
    const published = JSON.stringify(to.publisher.published);
    const isOwn = attempt.spelling === "as the attacker's own" && attempt.key === 'foreign';
    const problems = [
      ...(status >= 500 || status === 429 ? [`the answer was ${status}`] : []),
      ...(!isOwn && status === 200 && !isUnregistration(attempt.route) ? ['it was answered with 200'] : []),
      ...(answered.includes(SECRET) ? ['the answer held a secret'] : []),
      ...(touched.length > 0 ? [`it touched ${touched.join()}`] : []),
      ...([`"tenantId":"${victim.tenantId}`, storedRunId(victim.tenantId), runningRunId(victim.tenantId)].some((text) =>
        published.includes(text),
      )
        ? ['it published for the victim']
        : []),
      ...(JSON.stringify([...to.scheduler.jobs]) === jobsBefore ? [] : ['it changed a job']),
    ];
    attempted += 1;
    if (attempted % ATTEMPTS_A_MINUTE === 0) to.clock.advance(60_000);
    if (attempted % DUMP_EVERY === 0 || attempted === attempts.length) {
      await to.deliverDeletions();
      const after = await victimsDump(scene);
      if (JSON.stringify(after) !== JSON.stringify(before)) problems.push('what is stored of the victim has changed');
    }
    const { route, ...how } = attempt;
    wrong.push(...problems.map((problem) => `${titleOf(route)} ${JSON.stringify(how)}: ${problem}`));
  }
  return wrong;
}

it.each(DOORS)(
  'no key, spelling, id, bucket or job of one reaches another, through the door %s (R-230)',
  async (door) => {
    const attempts = ROUTES.flatMap((route) => [
      ...KEYS.flatMap((key) =>
        Object.keys(SPELLINGS).map((spelling) => ({ door, route, key, spelling, id: 'plain', job: 'daily' })),
      ),
      ...Object.keys(SPELLINGS).flatMap((spelling) =>
        Object.keys(IDS).map((id) => ({ door, route, key: 'foreign' as const, spelling, id, job: 'daily' })),
      ),
      ...KEYS.flatMap((key) =>
        Object.keys(JOBS).map((job) => ({ door, route, key, spelling: 'as it is', id: 'plain', job })),
      ),
    ]);
    const oneOf = (names: object) => fc.constantFrom(...Object.keys(names));
    const drawn = fc.record({
      door: fc.constant(door),
      route: fc.constantFrom(...ROUTES),
      key: fc.constantFrom(...KEYS),
      spelling: oneOf(SPELLINGS),
      id: oneOf(IDS),
      job: oneOf(JOBS),
    });
    const random = fc.sample(drawn, { numRuns: RANDOM_CASES, seed: FAULTS_SEED });
    const wrong = await tryAll([...attempts, ...random], await openScene());
    report(`tenants never meet (${door})`, attempts.length + random.length, wrong.length);
    expect(wrong).toEqual([]);
  },
);

it.each(ROUTES.filter(({ to }) => to !== 'ingestion').map((route) => [titleOf(route), route] as const))(
  'catches a key that the check of the tenant lets through: %s',
  async (_, route) => {
    const scene = await openScene();
    const letThrough = await scene.to.createKey(scene.victim.organizationId);
    const keys = { ...scene.keys, foreign: letThrough };
    const attempt = { door: 'api', route, key: 'foreign', spelling: 'as it is', id: 'plain', job: 'daily' } as const;
    const wrong = (await tryAll([attempt], { ...scene, keys })).join('\n');
    expect(wrong).toContain('it was answered with 200');
    expect(wrong).toContain('it touched');
    if (changesSomething(route)) expect(wrong).toContain('what is stored of the victim has changed');
    else expect(wrong).toContain('the answer held a secret');
  },
);

it.each(
  ROUTES.filter(({ to, method }) => to === 'ingestion' && method === 'GET').map(
    (route) => [titleOf(route), route] as const,
  ),
)('catches a run that the check of the organization lets through: %s', async (_, route) => {
  const scene = await openScene();
  const keys = { ...scene.keys, foreign: await scene.to.createKey(scene.victim.organizationId) };
  const attempt = { door: 'api', route, key: 'foreign', spelling: 'as it is', id: 'plain', job: 'daily' } as const;
  const wrong = (await tryAll([attempt], { ...scene, keys })).join('\n');
  expect(wrong).toContain('it was answered with 200');
  expect(wrong).toContain('the answer held a secret');
});

it('no session of a tenant’s console reaches what operators see of all tenants (R-350, R-352, R-400)', async () => {
  const { to, victim, sessions } = await openScene();
  const audited = toEntryWrite(
    entryIdAt(new Date('2026-03-01T10:00:00Z'), '0'.repeat(12)),
    { action: 'tenants.update', tenantId: victim.tenantId, organizationId: SECRET },
    { at: new Date('2026-03-01T10:00:00Z'), actor: SECRET, door: 'console', outcome: 'done' },
  );
  await to.store.commit([audited], to.deadline());
  const paths = [
    'overview/runs',
    'overview/usage',
    'overview/deletions',
    'overview/dead-letters',
    'overview/keys',
    'audit',
  ];
  for (const [key, visitor] of Object.entries(sessions)) {
    for (const path of paths.map((one) => `/console/management/${one}?tenant=${victim.tenantId}`)) {
      to.store.calls.length = 0;
      const { status, text } = await visitor.request('GET', path);
      const touched = to.store.reads.flatMap((read) => read.paths).filter((one) => /^(tenants|auditLog|transferRuns|apiKeys$)/.test(one)); // prettier-ignore
      expect({ key, path, status, touched }).toEqual({ key, path, status: 404, touched: [] });
      expect(text).not.toContain(SECRET);
    }
  }
});

it('catches a session that the check of the organization lets through', async () => {
  const scene = await openScene();
  const sessions = { ...scene.sessions, foreign: await ConsoleVisitor.signedIn(scene.to, scene.victim.key) };
  for (const route of ROUTES.filter(({ to, method }) => to !== 'ingestion' || method === 'GET')) {
    const attempt = {
      door: 'console',
      route,
      key: 'foreign',
      spelling: 'as it is',
      id: 'plain',
      job: 'daily',
    } as const;
    const wrong = (await tryAll([attempt], { ...scene, sessions })).join('\n');
    expect({ route: titleOf(route), wrong }).toMatchObject({ wrong: matching(/it touched|the answer held a secret/) });
  }
});

it('no key with the permission settings reaches a key of another organization, whatever it names (R-206)', async () => {
  const { to, victim, attacker } = await openScene();
  const organization = victim.organizationId;
  const stored = await to.store.list(API_KEYS, { limit: 100 }, to.deadline());
  const ofAttacker = stored.find(({ path }) => path === apiKeyPath(hashApiKey(attacker.key)!));
  const authority = fromKeyDocument(idOf(ofAttacker!.path), ofAttacker!.data);
  expect(authority.permissions).toContain('settings');
  const { clock, random, store } = to;
  const means = { clock, random, store, deadline: () => to.deadline(), notice: () => undefined, actor: TEST_ACTOR };
  const holder = seal({ ...means, authority });
  const keyIds = stored
    .filter(({ data }) => data.organizationId === organization)
    .map(({ data }) => data.keyId as string);
  expect(keyIds.length).toBeGreaterThan(1);
  const before = await to.store.dump();
  const attempts = [
    ...[
      organization,
      ` ${organization} `,
      organization.toUpperCase(),
      `${attacker.organizationId}/${organization}`,
    ].flatMap((name) => [
      () => keysOf(name, holder),
      () => createKey({ organization: name, permissions: ['orders'] }, holder),
    ]),
    ...keyIds
      .flatMap((keyId) => [keyId, ` ${keyId}`, `${keyId}\n`, keyId.toUpperCase(), `${authority.keyId},${keyId}`])
      .flatMap((keyId) => [() => revokeKey(keyId, holder), () => rotateKey(keyId, {}, holder)]),
  ];
  for (const attempt of attempts) await expect(attempt()).rejects.toThrow(OperatorError);
  expect(await to.store.dump()).toEqual(before);
  expect(await revokeKey(authority.keyId, holder)).toMatchObject({ organizationId: attacker.organizationId });
});

it.each(KEYS)(
  'no session reaches a key of another organization below /console/management: %s (R-238)',
  async (session) => {
    const scene = await openScene();
    const { to, victim, sessions } = scene;
    const { organizationId } = victim;
    const stored = await to.store.list(API_KEYS, { limit: 100 }, to.deadline());
    const ofVictim = stored.filter(({ data }) => data.organizationId === organizationId);
    const keyIds = ofVictim.map(({ data }) => data.keyId as string);
    expect(keyIds.length).toBeGreaterThan(1);
    const names = [organizationId, ` ${organizationId} `, organizationId.toUpperCase(), `x/../${organizationId}`];
    const ids = keyIds.flatMap((keyId) => [keyId, ` ${keyId}`, `${keyId}\n`, `../${keyId}`, `${keyId}/../${keyId}`]);
    const root = '/console/management/keys';
    const attempts: (readonly [method: string, path: string, json?: object])[] = [
      ...names.flatMap((name) => [
        ['GET', `${root}?organization=${encodeURIComponent(name)}`] as const,
        ['GET', `${root}/requests?organization=${encodeURIComponent(name)}`] as const,
        ['POST', root, { organization: name, permissions: ['orders'] }] as const,
      ]),
      ...ids
        .map(encodeURIComponent)
        .flatMap((id) => [['POST', `${root}/${id}/rotate`, {}] as const, ['POST', `${root}/${id}/revoke`] as const]),
    ];
    const before = await victimsDump(scene);
    for (const [method, path, json] of attempts) {
      to.clock.advance(60_000);
      const { status, text } = await sessions[session].request(method, path, { json });
      expect({ path, isRefused: status >= 400 && status < 500 }).toEqual({ path, isRefused: true });
      const shown = text.replaceAll(/Key .* does not exist/g, ''); // what was asked for
      expect([SECRET, ...keyIds].filter((secret) => shown.includes(secret))).toEqual([]);
    }
    expect(await victimsDump(scene)).toEqual(before);
    const own = await sessions[session].request('GET', root); // of the own organization, where there is a session
    expect([...keyIds, organizationId].filter((text) => own.text.includes(text))).toEqual([]);
  },
);

it.each(KEYS)(
  'no session reaches a tenant of another organization below /console/management: %s (R-340)',
  async (session) => {
    const scene = await openScene();
    const { to, victim, attacker, sessions } = scene;
    const before = await victimsDump(scene);
    const names = Object.values(SPELLINGS).map((spell) => spell(victim.tenantId, attacker.tenantId));
    const attempts = names
      .filter((name) => name !== attacker.tenantId)
      .flatMap((name) => [
        ['GET', name] as const,
        ['POST', name, { customerIdentifier: 'customerid', requiredFields: ['Language'] }] as const,
        ['GET', `${name}/records`] as const,
        ['POST', `${name}/rekey`] as const,
        ['POST', `${name}/suspend`] as const,
        ['GET', `${name}/erasure`] as const,
        ['POST', `${name}/erasure`] as const,
      ]);
    for (const [method, path, json] of attempts) {
      to.clock.advance(60_000);
      const sent = { ...(json && { json }) };
      const { status, text } = await sessions[session].request(method, `/console/management/tenants/${path}`, sent);
      expect({ path, isRefused: status >= 400 && status < 500 }).toEqual({ path, isRefused: true });
      expect([SECRET, victim.organizationId, VICTIMS_BUCKET].filter((secret) => text.includes(secret))).toEqual([]);
    }
    expect(await victimsDump(scene)).toEqual(before);
  },
);

it('catches a job that the check of the organization lets through', async () => {
  const scene = await openScene();
  const keys = { ...scene.keys, foreign: await scene.to.createKey(scene.victim.organizationId) };
  const [route] = ROUTES.filter(({ to, method }) => to === 'ingestion' && method === 'DELETE');
  const attempt = {
    door: 'api',
    route: route!,
    key: 'foreign',
    spelling: 'as it is',
    id: 'plain',
    job: 'daily',
  } as const;
  expect((await tryAll([attempt], { ...scene, keys })).join('\n')).toContain('it changed a job');
});
