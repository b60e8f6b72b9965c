/** The routes about keys below /console/management: the specification's panel of tenants, and the operators' one. */
import { AUDIT_LOG, API_KEYS, apiKeyPath } from '../../../shared/documents/paths';
import type { Permission } from '../../../shared/domain/api-key';
import { hashApiKey } from '../../../shared/domain/api-key';
import { NO_USAGE } from '../../../shared/domain/usage';
import type { NewKey } from '../../../shared/operations/keys';
import type { KeyRequests } from '../../../shared/operations/keys/key-requests';
import type { ShownKey } from '../../../shared/operations/keys/shown-key';
import { toUsageWrite } from '../../../shared/usage/usage-documents';
import { ConsoleVisitor } from '../../support/console-visitor';
import type { Received } from '../../support/http-exchange';
import { OperatorVisitor } from '../../support/operator-visitor';
import { useTestService } from '../../support/test-service';
import { envelopeOf } from '../api';

const KEYS = '/console/management/keys';
const HOUR_MS = 3_600_000;
const ENDED = envelopeOf('console', false, 'The session has ended. Please sign in again.', { signIn: 'key' });

const service = useTestService('console', 'customers');

interface KeyPage {
  readonly keys: readonly ShownKey[];
  readonly nextPageToken: string | null;
  readonly own: ShownKey | null;
}

interface Visitor {
  request(method: string, path: string, options?: { readonly json?: unknown }): Promise<Received>;
}

/** The data of an answer. @throws Error where it is none of 200 */
function dataOf<Data>({ status, text, json }: Received): Data {
  if (status !== 200) throw new Error(`${status} ${text}`);
  return (json as { data: Data }).data;
}

const list = async (visitor: Visitor, query = '') => dataOf<KeyPage>(await visitor.request('GET', `${KEYS}${query}`));
const create = async (visitor: Visitor, json: object) =>
  dataOf<{ key: NewKey; notices: string[] }>(await visitor.request('POST', KEYS, { json }));
const rotate = (visitor: Visitor, keyId: string, json: object = {}) =>
  visitor.request('POST', `${KEYS}/${keyId}/rotate`, { json });
const revoke = (visitor: Visitor, keyId: string) => visitor.request('POST', `${KEYS}/${keyId}/revoke`);
const inHours = (hours: number) => new Date(service().clock.nowMs() + hours * HOUR_MS).toISOString();

/** Somebody who has signed in with a key, and the public name of that. */
async function visitorOf(key: string): Promise<{ visitor: ConsoleVisitor; keyId: string }> {
  const visitor = await ConsoleVisitor.signedIn(service(), key);
  const document = await service().store.get(apiKeyPath(hashApiKey(key)!), service().deadline());
  return { visitor, keyId: document!.data.keyId as string };
}

async function aKeeper(options: { permissions?: Permission[]; requestsPerMinute?: number } = {}) {
  const permissions: Permission[] = ['customers', 'orders', 'settings'];
  const caller = await service().createCaller({ permissions, requestsPerMinute: 50, ...options });
  return { ...caller, ...(await visitorOf(caller.key)) };
}

/** The status of a request with a key at the API. */
async function statusOf(key: string, tenantId: string): Promise<number> {
  const answer = await service().request('POST', `/customers/${tenantId}`, { key, json: [{ CustomerId: 'C-1' }] });
  return answer.status;
}

/** The entries of the audit log. */
async function entries() {
  const documents = await service().store.list(AUDIT_LOG, { limit: 100 }, service().deadline());
  return documents.map(({ data }) => data);
}

describe('the list of keys', () => {
  it('has those of the own organization without their secrets, and the own key beyond which none can be given (R-330)', async () => {
    const { visitor, organizationId, keyId, key } = await aKeeper();
    const other = await service().createKey(organizationId);
    await service().createCaller();
    const answer = await visitor.request('GET', KEYS);
    const { keys, nextPageToken, own } = dataOf<KeyPage>(answer);
    expect(nextPageToken).toBeNull();
    expect(keys).toHaveLength(2);
    expect(own).toEqual({
      keyId,
      organizationId,
      name: null,
      permissions: ['customers', 'orders', 'settings'],
      limit: 50,
      createdAt: inHours(0),
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    });
    expect(keys).toContainEqual(own);
    for (const secret of [key, other, hashApiKey(key)!, hashApiKey(other)!]) expect(answer.text).not.toContain(secret);
    expect(answer.json).toMatchObject({ success: true, message: 'Keys found.' });
  });

  it('needs no permission; what changes keys needs settings (R-330)', async () => {
    const { visitor, keyId } = await aKeeper({ permissions: ['orders'] });
    expect((await list(visitor)).keys.map((key) => key.keyId)).toEqual([keyId]);
    const before = await service().store.dump();
    for (const answer of [
      await visitor.request('POST', KEYS, { json: { permissions: ['orders'] } }),
      await rotate(visitor, keyId),
      await revoke(visitor, keyId),
    ]) {
      const message = 'Keys are looked after with the permission settings, within its own organization.';
      expect({ status: answer.status, json: answer.json }).toEqual({ status: 403, json: envelopeOf('console', false, message) }); // prettier-ignore
    }
    expect(await service().store.dump()).toEqual(before);
  });

  it('comes page by page, each key once, and no page token shows the hash of a key (R-333)', async () => {
    const { visitor, organizationId } = await aKeeper();
    for (let count = 1; count < 25; count += 1) await service().createKey(organizationId);
    const found: string[] = [];
    const sizes: number[] = [];
    for (let query = '?limit=10'; ;) {
      const { keys, nextPageToken } = await list(visitor, query);
      found.push(...keys.map(({ keyId }) => keyId));
      sizes.push(keys.length);
      if (nextPageToken === null) break;
      const position = Buffer.from(nextPageToken, 'base64url').toString();
      expect(position.endsWith(found.at(-1)!)).toBe(true);
      query = `?limit=10&pageToken=${nextPageToken}`;
    }
    expect(sizes).toEqual([10, 10, 5]);
    expect(new Set(found).size).toBe(25);
  });

  it('never has those of another organization: not by its name, nor by its page token (R-330)', async () => {
    const victim = await aKeeper();
    await service().createKey(victim.organizationId);
    const { nextPageToken } = await list(victim.visitor, '?limit=1');
    const { visitor, organizationId } = await aKeeper();
    for (const path of [KEYS, `${KEYS}/requests`]) {
      const answer = await visitor.request('GET', `${path}?organization=${victim.organizationId}`);
      const message = 'Only the keys of the own organization are shown.';
      expect({ status: answer.status, json: answer.json }).toEqual({ status: 403, json: envelopeOf('console', false, message) }); // prettier-ignore
    }
    expect((await visitor.request('GET', `${KEYS}?pageToken=${nextPageToken!}`)).status).toBe(400);
    expect((await list(visitor, `?organization=%20${organizationId}%20`)).keys).toHaveLength(1);
  });

  it.each([
    ['limit=0', 'The query parameter limit must be a whole number from 1 to 100.'],
    ['limit=x', 'The query parameter limit must be a whole number from 1 to 100.'],
    ['pageToken=x', 'The query parameter pageToken is no token of this list.'],
    ['organization=a&organization=b', 'The query parameter organization must be given once.'],
    ['organization=%E0%A4%A', 'The URL contains a malformed percent-encoding.'],
  ])('is 400 for %s', async (query, message) => {
    const { visitor } = await aKeeper();
    const { status, json } = await visitor.request('GET', `${KEYS}?${query}`);
    expect({ status, json }).toEqual({ status: 400, json: envelopeOf('console', false, message) });
  });

  it('is 500 in words when the database fails', async () => {
    const { visitor } = await aKeeper();
    service().store.failing = ({ method }) => method === 'findWhere';
    const { status, json } = await visitor.request('GET', KEYS);
    expect({ status, json }).toEqual({ status: 500, json: envelopeOf('console', false, 'Failed to find keys.') });
  });
});

describe('the requests of keys', () => {
  it('are those of today, of all tenants of the organization (R-331)', async () => {
    const { visitor, organizationId, tenantId, keyId } = await aKeeper();
    const second = await service().createTenant(organizationId);
    for (const tenant of [tenantId, second]) {
      const usage = { hourMs: Date.parse(inHours(-2)), keyId, route: 'upsertOrders', counts: { ...NO_USAGE, requests: 4 } }; // prettier-ignore
      await service().store.commit([toUsageWrite(tenant, 'seen', [usage])], service().deadline());
    }
    const sum = dataOf<KeyRequests>(await visitor.request('GET', `${KEYS}/requests`));
    expect(sum).toMatchObject({ since: '2026-03-01T00:00:00.000Z', tenants: 2, isWhole: true });
    expect(sum.keys).toContainEqual({ keyId, requests: 8 });
  });
});

describe('a new key', () => {
  it('is shown once, works at once, and ends by itself (R-336)', async () => {
    const { visitor, organizationId, tenantId, keyId: ownId } = await aKeeper();
    const json = { name: ' Feed ', permissions: ['customers'], limit: 7, expires: inHours(2) };
    const answer = await visitor.request('POST', KEYS, { json });
    const { key: created, notices } = dataOf<{ key: NewKey; notices: string[] }>(answer);
    const { key, ...shown } = created;
    expect(notices).toEqual([]);
    expect(shown).toEqual({
      keyId: shown.keyId,
      organizationId,
      name: 'Feed',
      permissions: ['customers'],
      limit: 7,
      createdAt: inHours(0),
      expiresAt: inHours(2),
      revokedAt: null,
      lastUsedAt: null,
    });
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(await statusOf(key, tenantId)).toBe(200);
    expect((await list(visitor)).keys).toContainEqual(shown);
    const entry = { action: 'keys.create', actor: ownId, door: 'console', keyId: shown.keyId };
    expect(await entries()).toEqual([expect.objectContaining(entry)]);
    service().clock.advance(2 * HOUR_MS);
    expect(await statusOf(key, tenantId)).toBe(401);
  });

  it('is in no log, no entry of the audit log, no document and no other answer (R-336)', async () => {
    const { visitor } = await aKeeper();
    const { key } = (await create(visitor, { permissions: ['orders'] })).key;
    const rotated = dataOf<{ key: NewKey }>(await rotate(visitor, (await create(visitor, { permissions: ['orders'] })).key.keyId)); // prettier-ignore
    const kept = JSON.stringify([
      [...(await service().store.dump())],
      service().logger.entries,
      service().publisher.published,
      await list(visitor),
    ]);
    for (const secret of [key, rotated.key.key]) {
      const bytes = Buffer.from(secret, 'base64');
      for (const form of [secret, bytes.toString('base64url'), bytes.toString('hex')]) expect(kept).not.toContain(form);
    }
  });

  it('has at most what the own one has: by the stored key, not by the limit of the console (R-334)', async () => {
    const { visitor } = await aKeeper({ permissions: ['orders', 'settings'], requestsPerMinute: 50 });
    for (const [json, field] of [
      [{ permissions: ['orders', 'records'] }, 'permissions'],
      [{ permissions: ['orders'], limit: 51 }, 'limit'],
    ] as const) {
      const answer = await visitor.request('POST', KEYS, { json });
      expect({ status: answer.status, json: answer.json }).toMatchObject({
        status: 400,
        json: { errors: { [field]: [`${field} must not go beyond what the own key has.`] } },
      });
    }
    expect((await create(visitor, { permissions: ['orders'] })).key.limit).toBe(50);
    expect((await create(visitor, { permissions: ['orders'], limit: 50 })).key.limit).toBe(50);
  });

  it('does not outlive the own one (R-206)', async () => {
    const { organizationId } = await service().createCaller();
    const expiresAtMs = service().clock.nowMs() + 5 * HOUR_MS;
    const { visitor } = await visitorOf(await service().createKey(organizationId, { expiresAtMs }));
    expect((await create(visitor, { permissions: ['orders'] })).key.expiresAt).toBe(inHours(5));
    const json = { permissions: ['orders'], expires: inHours(6) };
    expect((await visitor.request('POST', KEYS, { json })).status).toBe(400);
  });

  it.each([
    [{ permissions: [] }, 'permissions', /^permissions must name at least one of/],
    [{ permissions: 'orders' }, 'permissions', /^permissions must be a list of some of/],
    [{ permissions: ['orders', 'everything'] }, 'permissions', /^permissions must be a list of some of/],
    [{ permissions: [['orders']] }, 'permissions', /^permissions must be a list of some of/],
    [{ limit: 0 }, 'limit', /^limit must be a whole number/],
    [{ limit: 1.5 }, 'limit', /^limit must be a whole number/],
    [{ limit: 1e300 }, 'limit', /^limit must be a whole number/],
    [{ limit: '7' }, 'limit', /^limit must be a number/],
    [{ name: 'x'.repeat(101) }, 'name', /^name must be a text of 1 to 100/],
    [{ name: 'two\nlines' }, 'name', /^name must be a text of 1 to 100/],
    [{ name: 7 }, 'name', /^name must be a text/],
    [{ name: '\ud800' }, 'name', /^name must be a text/],
    [{ expires: '2026-03-01T12:00:30Z' }, 'expires', /^expires must be in the future/],
    [{ expires: 'tomorrow' }, 'expires', /^expires must be a time such as/],
    [{ expires: 1e15 }, 'expires', /^expires must be a text/],
    [{ limti: 7 }, 'limti', /^limti is not known/],
    [{ __proto__: null, constructor: 1 }, 'constructor', /^constructor is not known/],
    [[], '', /must be a JSON object/],
  ])('is 400 at the field for %j', async (json, field, message) => {
    const { visitor } = await aKeeper();
    const before = await service().store.dump();
    const answer = await visitor.request('POST', KEYS, { json });
    expect(answer.status).toBe(400);
    expect((answer.json as { errors: Record<string, string[]> }).errors[field]).toEqual([
      expect.stringMatching(message) as string,
    ]);
    expect(await service().store.dump()).toEqual(before);
  });

  it('is 403 for another organization, and 413 for a body of more than 4,096 bytes', async () => {
    const { visitor } = await aKeeper();
    const victim = await service().createCaller();
    const json = { organization: victim.organizationId, permissions: ['orders'] };
    expect((await visitor.request('POST', KEYS, { json })).status).toBe(403);
    expect((await visitor.request('POST', KEYS, { json: { name: 'x'.repeat(4_096) } })).status).toBe(413);
  });

  it('may have markup for its name, which comes back as it is', async () => {
    const { visitor } = await aKeeper();
    const name = '<img src=x onerror=alert(1)>';
    expect((await create(visitor, { name, permissions: ['orders'] })).key.name).toBe(name);
    expect((await entries()).map((entry) => JSON.stringify(entry)).join()).not.toContain('<img');
  });
});

describe('a rotation', () => {
  it('gives a successor; both work until the chosen moment, and the former ends by itself (R-335)', async () => {
    const { visitor, tenantId, keyId: ownId } = await aKeeper();
    const former = (await create(visitor, { name: 'Feed', permissions: ['customers'], limit: 7 })).key;
    const { key, replaces } = dataOf<{ key: NewKey; replaces: ShownKey }>(
      await rotate(visitor, former.keyId, { until: inHours(3) }),
    );
    expect(key).toMatchObject({ name: 'Feed', permissions: ['customers'], limit: 7, expiresAt: null });
    expect(replaces).toMatchObject({ keyId: former.keyId, expiresAt: inHours(3) });
    const entry = { action: 'keys.rotate', actor: ownId, door: 'console', keyId: former.keyId };
    expect(await entries()).toContainEqual(expect.objectContaining(entry));
    service().clock.advance(3 * HOUR_MS - 1);
    expect([await statusOf(former.key, tenantId), await statusOf(key.key, tenantId)]).toEqual([200, 200]);
    service().clock.advance(1);
    expect([await statusOf(former.key, tenantId), await statusOf(key.key, tenantId)]).toEqual([401, 200]);
  });

  it('of the own key leaves the session until that ends (R-335)', async () => {
    const { visitor, keyId } = await aKeeper();
    const { key } = dataOf<{ key: NewKey }>(await rotate(visitor, keyId, { until: inHours(1) }));
    expect((await list(visitor)).keys).toHaveLength(2);
    service().clock.advance(HOUR_MS);
    const answer = await visitor.request('GET', KEYS);
    expect({ status: answer.status, json: answer.json }).toEqual({ status: 401, json: ENDED });
    expect((await list((await visitorOf(key.key)).visitor)).keys).toHaveLength(2);
  });

  it.each([
    [{ until: '2026-03-01T12:00:30Z' }, 'until', 'until must be within the next 90 days; it is "2026-03-01T12:00:30.000Z".'], // prettier-ignore
    [{ until: '2027-03-01' }, 'until', 'until must be within the next 90 days; it is "2027-03-01T00:00:00.000Z".'],
    [{ until: 7 }, 'until', 'until must be a text.'],
    [{ expires: '2020-01-01' }, 'expires', 'expires must be in the future; it is "2020-01-01T00:00:00.000Z".'],
    [{ overlap: 7 }, 'overlap', 'overlap is not known.'],
  ])('is 400 at the field for %j', async (json, field, message) => {
    const { visitor, keyId } = await aKeeper();
    const answer = await rotate(visitor, keyId, json);
    expect({ status: answer.status, json: answer.json }).toMatchObject({ status: 400, json: { errors: { [field]: [message] } } }); // prettier-ignore
  });

  it('is 409 in words for a key that is not valid any more', async () => {
    const { visitor } = await aKeeper();
    const { keyId } = (await create(visitor, { permissions: ['orders'] })).key;
    await revoke(visitor, keyId);
    const { status, json } = await rotate(visitor, keyId);
    expect({ status, json }).toEqual({ status: 409, json: envelopeOf('console', false, `Key ${keyId} is not valid any more.`) }); // prettier-ignore
  });
});

describe('a revocation', () => {
  it('holds from the next request on; a repeat changes nothing', async () => {
    const { visitor, tenantId, keyId: ownId } = await aKeeper();
    const { key, keyId } = (await create(visitor, { permissions: ['customers'] })).key;
    const { key: revoked } = dataOf<{ key: ShownKey }>(await revoke(visitor, keyId));
    expect(revoked).toMatchObject({ keyId, revokedAt: inHours(0) });
    expect(await statusOf(key, tenantId)).toBe(401);
    const before = await entries();
    const entry = { action: 'keys.revoke', actor: ownId, door: 'console', keyId };
    expect(before).toContainEqual(expect.objectContaining(entry));
    service().clock.advance(1_000);
    expect(dataOf(await revoke(visitor, keyId))).toEqual({ key: revoked });
    expect(await entries()).toEqual(before);
  });

  it('of the own key ends the session (R-335)', async () => {
    const { visitor, keyId } = await aKeeper();
    expect((await revoke(visitor, keyId)).status).toBe(200);
    const answer = await visitor.request('GET', KEYS);
    expect({ status: answer.status, json: answer.json }).toEqual({ status: 401, json: ENDED });
  });

  it('finds no key of another organization, and tells of no command (R-332)', async () => {
    const victim = await aKeeper();
    const { visitor } = await aKeeper();
    const before = await service().store.dump();
    for (const keyId of [
      victim.keyId,
      'key_none',
      '..%2F..',
      '%00',
      'x'.repeat(3_000),
      '%F0%9F%92%A9',
      `${victim.keyId}%0A`,
    ]) {
      // prettier-ignore
      for (const answer of [await revoke(visitor, keyId), await rotate(visitor, keyId)]) {
        const message = `Key ${decodeURIComponent(keyId).trim()} does not exist.`;
        expect({ status: answer.status, json: answer.json }).toEqual({ status: 409, json: envelopeOf('console', false, message) }); // prettier-ignore
      }
    }
    expect(await service().store.dump()).toEqual(before);
  });
});

describe('every act', () => {
  const acts: readonly (readonly [string, (visitor: Visitor, keyId: string) => Promise<Received>])[] = [
    ['a creation', (visitor) => visitor.request('POST', KEYS, { json: { permissions: ['orders'] } })],
    ['a rotation', (visitor, keyId) => rotate(visitor, keyId)],
    ['a revocation', (visitor, keyId) => revoke(visitor, keyId)],
  ];

  it.each(acts)('is by what the key is now, not by what it was at the sign-in: %s (R-334)', async (_, act) => {
    const { visitor, key, keyId } = await aKeeper();
    const data = { permissions: ['orders'] };
    const path = apiKeyPath(hashApiKey(key)!);
    await service().store.commit([{ set: path, data, fields: ['permissions'] }], service().deadline());
    expect((await act(visitor, keyId)).status).toBe(403);
  });

  it.each(acts)(
    'is 401 without a session, with a key in the header and after the key has gone: %s (R-238)',
    async (_, act) => {
      const { visitor, key, keyId } = await aKeeper();
      const stranger = new ConsoleVisitor(service());
      const withKey = {
        request: (method: string, path: string, options: object = {}) =>
          stranger.request(method, path, { ...options, key }),
      };
      const before = await service().store.dump();
      expect([(await act(stranger, keyId)).status, (await act(withKey, keyId)).status]).toEqual([401, 401]);
      expect(await service().store.dump()).toEqual(before);
      await service().revokeKey(key);
      expect((await act(visitor, keyId)).status).toBe(401);
    },
  );

  it.each(acts)('must come from the page: %s (R-232)', async (_, act) => {
    const { visitor, keyId } = await aKeeper();
    visitor.csrfToken = undefined;
    expect((await act(visitor, keyId)).status).toBe(403);
  });
});

it('what else is asked for below /console/management is 404, other methods are 405 (R-238)', async () => {
  const { visitor, keyId } = await aKeeper();
  expect((await visitor.request('GET', `${KEYS}/${keyId}/secret`)).status).toBe(404);
  expect((await visitor.request('GET', '/console/management')).status).toBe(404);
  expect((await visitor.request('DELETE', KEYS)).status).toBe(405);
  expect((await visitor.request('GET', `${KEYS}/${keyId}/revoke`)).status).toBe(405);
});

describe('an operator', () => {
  let operator: OperatorVisitor;
  beforeEach(async () => {
    operator = await OperatorVisitor.opened(service());
  });
  afterEach(() => operator.close());

  it('sees the keys of all organizations page by page, and those of one (R-333)', async () => {
    const [one, other] = [await aKeeper(), await aKeeper()];
    await service().createKey(other.organizationId);
    const stored = await service().store.list(API_KEYS, { limit: 100 }, service().deadline());
    const found: string[] = [];
    for (let query = '?limit=2'; ;) {
      const { keys, nextPageToken, own } = await list(operator, query);
      expect(own).toBeNull();
      found.push(...keys.map(({ keyId }) => keyId));
      if (nextPageToken === null) break;
      query = `?limit=2&pageToken=${nextPageToken}`;
    }
    expect(found).toEqual(stored.map(({ data }) => data.keyId));
    const ofOne = await list(operator, `?organization=${one.organizationId}`);
    expect(ofOne.keys.map(({ keyId }) => keyId)).toEqual([one.keyId]);
    const sum = await operator.request('GET', `${KEYS}/requests?organization=${one.organizationId}`);
    expect(dataOf<KeyRequests>(sum)).toMatchObject({ tenants: 1, isWhole: true });
  });

  it('gives, rotates and revokes keys of any organization, and must name one', async () => {
    const { organizationId, tenantId, keyId } = await aKeeper();
    const all = { organization: organizationId, permissions: ['customers', 'records', 'settings'], limit: 1_000 };
    const { key } = await create(operator, all);
    expect(key).toMatchObject({ organizationId, limit: 1_000 });
    expect(await statusOf(key.key, tenantId)).toBe(200);
    expect((await rotate(operator, key.keyId)).status).toBe(200);
    expect((await revoke(operator, keyId)).status).toBe(200);
    for (const path of ['POST', 'GET']) {
      const answer = await operator.request(path, path === 'POST' ? KEYS : `${KEYS}/requests`, path === 'POST' ? { json: {} } : {}); // prettier-ignore
      expect(answer.json).toMatchObject({ errors: { organization: ['organization must be given.'] } });
    }
  });

  it('is told where an organization has no tenant, and without the name of a command (R-332)', async () => {
    const { notices } = await create(operator, { organization: 'mispelt', permissions: ['orders'] });
    expect(notices).toEqual(['No tenant belongs to the organization mispelt yet.']);
  });

  it('must name the end of the successor of a key with an end', async () => {
    const { organizationId } = await service().createCaller();
    const json = { organization: organizationId, permissions: ['orders'], expires: inHours(5) };
    const { keyId } = (await create(operator, json)).key;
    const answer = await rotate(operator, keyId);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ errors: { expires: [expect.stringContaining('must be given')] } });
    expect((await rotate(operator, keyId, { expires: inHours(50) })).status).toBe(200);
  });
});
