/** Keys with names and ends, rotation, and what the holder of a key may do with those of its organization. */
import type { Permission } from '../../../shared/domain/api-key';
import type { Authority } from '../../../shared/domain/key-authority';
import { createKey, listKeys, revokeKey, rotateKey } from '../../../shared/operations/keys';
import { NotAllowed } from '../../../shared/operations/operator-error';
import { StoredAdmission } from '../../../shared/auth/stored-admission';
import { hashApiKey } from '../../../shared/domain/api-key';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { ObservedDocumentStore } from '../../support/observed-document-store';
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
  const listed = await listKeys('acme', operator);
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
    expect(await listKeys('acme', operator)).toHaveLength(1);
  });
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
    await expect(listKeys('other', holder)).rejects.toThrow(NotAllowed);
    await expect(createKey({ organization: 'other', permissions: ['orders'] }, holder)).rejects.toThrow(NotAllowed);
    for (const attempt of [revokeKey(foreign.keyId, holder), rotateKey(foreign.keyId, {}, holder)]) {
      await expect(attempt).rejects.toThrow(`Key ${foreign.keyId} does not exist`);
    }
    expect(await store.dump()).toEqual(before);
  });

  it('needs that permission: a key without it looks after none, not even itself', async () => {
    const { operator, holderOf, store } = open();
    const plain = await createKey({ organization: 'acme' }, operator);
    expect(plain.permissions).not.toContain('settings');
    const holder = await holderOf(plain.key);
    const before = await store.dump();
    await expect(listKeys('acme', holder)).rejects.toThrow(NotAllowed);
    await expect(createKey({ organization: 'acme' }, holder)).rejects.toThrow(NotAllowed);
    await expect(revokeKey(plain.keyId, holder)).rejects.toThrow('does not exist');
    expect(await store.dump()).toEqual(before);
  });
});
