/** Keys with names and ends, rotation, and what the holder of a key may do with those of its organization. */
import type { Permission } from '../../../shared/domain/api-key';
import type { Authority } from '../../../shared/domain/key-authority';
import { createKey, revokeKey, rotateKey } from '../../../shared/operations/keys';
import type { KeyListOptions } from '../../../shared/operations/keys/list-keys';
import { listKeys } from '../../../shared/operations/keys/list-keys';
import type { KeyKeeper } from '../../../shared/operations/operator';
import { NotAllowed } from '../../../shared/operations/operator-error';
import { StoredAdmission } from '../../../shared/auth/stored-admission';
import { hashApiKey } from '../../../shared/domain/api-key';
import { FixedClock } from '../../support/fixed-clock';
import { keysOf } from '../../support/keys-of';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { changingCommits } from '../../support/overriding';
import { SeededRandom } from '../../support/seeded-random';

const HOUR_MS = 3_600_000;

function open() {
  const clock = new FixedClock();
  const store = new ObservedDocumentStore(new MemoryDocumentStore(clock));
  const operator = operatorOn(store, { clock, random: new SeededRandom() });
  const admission = new StoredAdmission(store);
  const stored = (key: string) => admission.findKey(hashApiKey(key)!, operator.deadline());
  const inHours = (hours: number) => new Date(clock.nowMs() + hours * HOUR_MS);
  /** The use cases' dependencies for whoever has signed in with this key. */
  const holderOf = async (key: string) => {
    const authority = (await stored(key)) as Authority;
    return { ...operator, authority };
  };
  return { clock, store, operator, stored, inHours, holderOf };
}

it('are created with a name and an end, and listed with both (R-205)', async () => {
  const { operator, inHours } = open();
  const expires = inHours(1);
  const { key, ...created } = await createKey({ organization: 'acme', name: ' Shop feed ', expires }, operator);
  expect(created).toMatchObject({ name: 'Shop feed', expiresAt: expires.toISOString(), revokedAt: null });
  await createKey({ organization: 'acme' }, operator);
  const listed = await keysOf('acme', operator);
  expect(listed).toEqual(expect.arrayContaining([created, expect.objectContaining({ name: null, expiresAt: null })]));
  expect(JSON.stringify(listed)).not.toContain(key);
});

it.each([
  [{ name: ' ' }, /^name must be a text/],
  [{ name: 'x'.repeat(101) }, /^name must be a text/],
  [{ name: 'two\nlines' }, /^name must be a text/],
  [{ name: '\ud800' }, /^name must be a text/],
  [{ expires: new Date('2026-03-01T12:00:30.000Z') }, /^expires must be in the future/],
])('are not created with %j', async (options, message) => {
  const { operator, store } = open();
  await expect(createKey({ organization: 'acme', ...options }, operator)).rejects.toThrow(message);
  expect([...(await store.dump())]).toEqual([]);
});

describe('a rotation (R-207)', () => {
  it('gives a successor with the same name, permissions and limit; both are valid until the former one ends', async () => {
    const { operator, stored, clock } = open();
    const permissions: Permission[] = ['orders', 'records'];
    const former = await createKey({ organization: 'acme', name: 'Feed', permissions, limit: 7 }, operator);
    const { replaces, ...successor } = await rotateKey(former.keyId, { overlap: HOUR_MS }, operator);
    expect(successor).toMatchObject({ name: 'Feed', permissions, limit: 7, expiresAt: null });
    const { key: _, ...shown } = former;
    const end = new Date(clock.nowMs() + HOUR_MS).toISOString();
    expect(replaces).toEqual({ ...shown, expiresAt: end });
    expect(await stored(former.key)).toMatchObject({ expiresAtMs: Date.parse(end), revokedAtMs: null });
    expect(await stored(successor.key)).toMatchObject({ expiresAtMs: null });
  });

  it('ends the former key a day later when nothing is said, and never later than it would have ended', async () => {
    const { operator, inHours } = open();
    const endless = await createKey({ organization: 'acme' }, operator);
    expect((await rotateKey(endless.keyId, {}, operator)).replaces.expiresAt).toBe(inHours(24).toISOString());
    const ending = await createKey({ organization: 'acme', expires: inHours(2) }, operator);
    const options = { overlap: 5 * HOUR_MS, expires: inHours(100) };
    const rotated = await rotateKey(ending.keyId, options, operator);
    expect([rotated.replaces.expiresAt, rotated.expiresAt]).toEqual(
      [2, 100].map((hours) => inHours(hours).toISOString()),
    );
    const again = await rotateKey(ending.keyId, options, operator);
    expect(again.replaces.expiresAt).toBe(inHours(2).toISOString());
  });

  it('asks an operator for the end of the successor where the key has one', async () => {
    const { operator, inHours } = open();
    const { keyId } = await createKey({ organization: 'acme', expires: inHours(2) }, operator);
    await expect(rotateKey(keyId, {}, operator)).rejects.toThrow(
      /^expires must be given, because the key has an end: 2026/,
    );
  });

  it.each([-1, 0.5, 91 * 24 * HOUR_MS, NaN])('refuses an overlap of %d', async (overlap) => {
    const { operator } = open();
    const { keyId } = await createKey({ organization: 'acme' }, operator);
    await expect(rotateKey(keyId, { overlap }, operator)).rejects.toThrow('overlap must be at most 90 days');
  });

  it('ends the former key at a moment that is chosen (R-335)', async () => {
    const { operator, inHours } = open();
    const { keyId } = await createKey({ organization: 'acme' }, operator);
    const { replaces } = await rotateKey(keyId, { until: inHours(90 * 24) }, operator);
    expect(replaces.expiresAt).toBe(inHours(90 * 24).toISOString());
  });

  it.each([-1, 0, 90 * 24 + 0.001])('refuses a moment in %d hours (R-335)', async (hours) => {
    const { operator, inHours } = open();
    const { keyId } = await createKey({ organization: 'acme' }, operator);
    await expect(rotateKey(keyId, { until: inHours(hours) }, operator)).rejects.toThrow(
      'until must be within the next 90 days',
    );
  });

  it('refuses a key that is revoked, has ended or is not there', async () => {
    const { operator, inHours, clock } = open();
    const revoked = await createKey({ organization: 'acme' }, operator);
    await revokeKey(revoked.keyId, operator);
    const ended = await createKey({ organization: 'acme', expires: inHours(1) }, operator);
    clock.advance(HOUR_MS);
    for (const { keyId } of [revoked, ended]) {
      await expect(rotateKey(keyId, { expires: inHours(9) }, operator)).rejects.toThrow('is not valid any more');
    }
    await expect(rotateKey('key_none', {}, operator)).rejects.toThrow('does not exist');
  });

  it('is not made of a key that is revoked at the same time', async () => {
    const { operator, store } = open();
    const { keyId } = await createKey({ organization: 'acme' }, operator);
    let isRevoked = false;
    const racing = {
      ...operator,
      store: new Proxy(store, {
        get: (target, name) => {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          return async (...args: unknown[]) => {
            if (name === 'commit' && !isRevoked) {
              isRevoked = true;
              await revokeKey(keyId, operator);
            }
            return (method as (...all: unknown[]) => Promise<unknown>).apply(target, args);
          };
        },
      }),
    };
    await expect(rotateKey(keyId, {}, racing)).rejects.toThrow('is not valid any more');
    expect(await keysOf('acme', operator)).toHaveLength(1);
  });

  it.each([HOUR_MS, 0])(
    'gives the one new key when the answer of its commit is lost, overlap %i ms',
    async (overlap) => {
      const { operator, store, stored, clock } = open();
      const { keyId } = await createKey({ organization: 'acme' }, operator);
      // The call is sent again, and its preconditions do not hold any more.
      const losing = changingCommits(store, async (commit) => {
        await commit();
        return commit();
      });
      const { key, replaces, ...successor } = await rotateKey(keyId, { overlap }, { ...operator, store: losing });
      const listed = await keysOf('acme', operator);
      expect(listed).toHaveLength(2);
      expect(listed).toContainEqual(successor);
      expect(await stored(key)).toMatchObject({ keyId: successor.keyId });
      expect(replaces).toMatchObject({ keyId, expiresAt: new Date(clock.nowMs() + overlap).toISOString() });
    },
  );
});

describe('the holder of a key with the permission settings (R-206)', () => {
  async function aHolder(options: { limit?: number; expires?: Date } = {}) {
    const world = open();
    const permissions: Permission[] = ['orders', 'transfers', 'settings'];
    const own = await createKey({ organization: 'acme', permissions, limit: 50, ...options }, world.operator);
    const foreign = await createKey({ organization: 'other' }, world.operator);
    return { ...world, own, foreign, holder: await world.holderOf(own.key) };
  }

  it('gives keys within its own one, which end with it', async () => {
    const { holder, inHours } = await aHolder({ expires: open().inHours(5) });
    const given = await createKey({ organization: 'acme', permissions: ['orders'], limit: 50 }, holder);
    expect(given).toMatchObject({ permissions: ['orders'], limit: 50, expiresAt: inHours(5).toISOString() });
    expect(await createKey({ organization: 'acme' }, holder)).toMatchObject({ permissions: ['orders', 'transfers'], limit: 50 }); // prettier-ignore
    for (const [options, field] of [
      [{ permissions: ['orders', 'records'] }, 'permissions'],
      [{ limit: 51 }, 'limit'],
      [{ expires: inHours(6) }, 'expires'],
    ] as const) {
      await expect(createKey({ organization: 'acme', ...options }, holder)).rejects.toThrow(
        `${field} must not go beyond`,
      );
    }
  });

  it('rotates and revokes keys of its organization, but gets no more by a rotation than it has', async () => {
    const { holder, operator } = await aHolder();
    const strong = await createKey({ organization: 'acme', permissions: ['records'] }, operator);
    const weak = await createKey({ organization: 'acme', permissions: ['orders'], limit: 1 }, operator);
    await expect(rotateKey(strong.keyId, {}, holder)).rejects.toThrow('permissions must not go beyond');
    expect(await rotateKey(weak.keyId, {}, holder)).toMatchObject({ permissions: ['orders'], limit: 1 });
    expect((await revokeKey(strong.keyId, holder)).revokedAt).not.toBeNull();
  });

  it('sees and changes no key of another organization, which does not exist for it', async () => {
    const { holder, foreign, store } = await aHolder();
    const before = await store.dump();
    await expect(keysOf('other', holder)).rejects.toThrow(NotAllowed);
    await expect(createKey({ organization: 'other', permissions: ['orders'] }, holder)).rejects.toThrow(NotAllowed);
    for (const attempt of [revokeKey(foreign.keyId, holder), rotateKey(foreign.keyId, {}, holder)]) {
      await expect(attempt).rejects.toThrow(`Key ${foreign.keyId} does not exist`);
    }
    expect(await store.dump()).toEqual(before);
  });

  it('needs that permission: a key without it sees those of its organization and changes none, not even itself (R-330)', async () => {
    const { operator, holderOf, store } = open();
    const plain = await createKey({ organization: 'acme' }, operator);
    expect(plain.permissions).not.toContain('settings');
    const holder = await holderOf(plain.key);
    const before = await store.dump();
    const { key, ...shown } = plain;
    expect(await keysOf('acme', holder)).toEqual([shown]);
    await expect(createKey({ organization: 'acme' }, holder)).rejects.toThrow(NotAllowed);
    await expect(revokeKey(plain.keyId, holder)).rejects.toThrow(NotAllowed);
    await expect(rotateKey(plain.keyId, {}, holder)).rejects.toThrow(NotAllowed);
    expect(await store.dump()).toEqual(before);
  });
});

describe('a list of keys (R-333)', () => {
  const idsOf = async (options: KeyListOptions, keeper: KeyKeeper) => {
    const ids: string[] = [];
    for await (const { keyId } of listKeys(options, keeper)) ids.push(keyId);
    return ids;
  };

  it('has all of an organization, however they are read, and goes on behind any of them', async () => {
    const { operator, store } = open();
    const made: string[] = [];
    for (let count = 0; count < 7; count += 1) {
      made.push((await createKey({ organization: 'acme' }, operator)).keyId);
      await createKey({ organization: 'other' }, operator);
    }
    const all = await idsOf({ organization: 'acme', atOnce: 2 }, operator);
    expect([...all].sort()).toEqual(made.sort());
    expect(await idsOf({ organization: 'acme' }, operator)).toEqual(all);
    for (const [index, after] of all.entries()) {
      expect(await idsOf({ organization: 'acme', after, atOnce: 3 }, operator)).toEqual(all.slice(index + 1));
    }
    store.calls.length = 0;
    await listKeys({ organization: 'acme', atOnce: 2 }, operator).next();
    expect(store.calls).toHaveLength(1);
  });

  it('has those of all organizations for an operator, and of the own one for everybody else', async () => {
    const { operator, holderOf } = open();
    const own = await createKey({ organization: 'acme', permissions: ['settings'] }, operator);
    const foreign = await createKey({ organization: 'other' }, operator);
    expect((await idsOf({}, operator)).sort()).toEqual([own.keyId, foreign.keyId].sort());
    expect(await idsOf({}, await holderOf(own.key))).toEqual([own.keyId]);
    expect(await idsOf({ organization: ' acme ' }, await holderOf(foreign.key)).catch(String)).toMatch(/^NotAllowed/);
  });

  it('does not go on behind a key of another list, nor behind none', async () => {
    const { operator, holderOf } = open();
    const own = await createKey({ organization: 'acme' }, operator);
    const { keyId: after } = await createKey({ organization: 'other' }, operator);
    const holder = await holderOf(own.key);
    for (const position of [after, 'key_none', '', '../x', 'x'.repeat(2_000)]) {
      await expect(idsOf({ after: position }, holder)).rejects.toThrow('after must be a key of this list');
    }
    await expect(idsOf({ organization: 'acme', after }, operator)).rejects.toThrow('after must be a key of this list');
  });
});

it('have messages for those who have a command line, and others for those who have none (R-332)', async () => {
  const { operator } = open();
  const error: unknown = await revokeKey('key_none', operator).catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    message: 'Key key_none does not exist; keys list --organization ORG shows all.',
    plain: 'Key key_none does not exist.',
  });
  const notices: string[] = [];
  await createKey({ organization: 'acme' }, { ...operator, notice: (message) => notices.push(message) });
  expect(notices).toEqual(['No tenant belongs to the organization acme yet.']);
});
