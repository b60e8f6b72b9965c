/** When a key was last used, to the hour. */
import { toKeyDocument } from '../../../shared/auth/tenant-documents';
import { apiKeyPath } from '../../../shared/documents/paths';
import { HOUR_MS } from '../../../shared/domain/usage';
import { MAX_USED_KEYS } from '../../../shared/limits/usage';
import { deadlineIn } from '../../../shared/platform/deadline';
import { KeyUses } from '../../../shared/usage/key-uses';
import { FixedClock } from '../../support/fixed-clock';
import { keysOf } from '../../support/keys-of';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { SeededRandom } from '../../support/seeded-random';
import { aKey } from '../support/key';

async function aScene() {
  const clock = new FixedClock(); // 2026-03-01T12:00:30Z
  const store = new ObservedDocumentStore(new MemoryDocumentStore(clock));
  const operator = operatorOn(store, { clock, random: new SeededRandom() });
  const key = aKey();
  await store.commit([{ set: apiKeyPath(key.hash), data: toKeyDocument(key) }], operator.deadline());
  store.forget();
  const lastUse = async () => (await keysOf('org-a', operator))[0]?.lastUsedAt;
  return { clock, store, key, lastUse, deadline: () => deadlineIn(1_000, clock) };
}

it('is the hour, which keys list shows; null before the first use (R-182)', async () => {
  const { clock, store, key, lastUse, deadline } = await aScene();
  expect(await lastUse()).toBeNull();
  const uses = new KeyUses();
  uses.add(key, clock.nowMs());
  expect(await lastUse()).toBeNull();
  await uses.store(store, deadline());
  expect(await lastUse()).toBe('2026-03-01T12:00:00.000Z');
});

it('is written once an hour, by whichever instance comes first (R-182)', async () => {
  const { clock, store, key, lastUse, deadline } = await aScene();
  const instances = Array.from({ length: 20 }, () => new KeyUses());
  for (const uses of instances) uses.add(key, clock.nowMs());
  await Promise.all(instances.map((uses) => uses.store(store, deadline()))); // all have read it before one writes
  const [document] = await store.getAll([apiKeyPath(key.hash)], deadline());
  store.forget();
  for (const uses of instances) {
    uses.add(key, clock.nowMs());
    await uses.store(store, deadline());
  }
  expect(store.writes).toEqual([]);
  expect((await store.getAll([apiKeyPath(key.hash)], deadline()))[0]?.version).toEqual(document?.version);
  clock.advance(HOUR_MS);
  for (const uses of instances) {
    uses.add({ ...key, lastUsedAtMs: clock.nowMs() - HOUR_MS }, clock.nowMs());
    await uses.store(store, deadline());
  }
  expect(store.writes).toHaveLength(1);
  expect(await lastUse()).toBe('2026-03-01T13:00:00.000Z');
});

it('is not read again once the key says so (R-182)', async () => {
  const { clock, store, key, deadline } = await aScene();
  const uses = new KeyUses();
  uses.add({ ...key, lastUsedAtMs: clock.nowMs() - 30_000 }, clock.nowMs());
  await uses.store(store, deadline());
  expect(store.calls).toEqual([]);
});

it('leaves a key that is gone away, and a revocation as it is (R-182)', async () => {
  const { clock, store, key, deadline } = await aScene();
  const uses = new KeyUses();
  const gone = aKey({ hash: 'gone' as typeof key.hash });
  for (const used of [key, gone]) uses.add(used, clock.nowMs());
  const revokedAt = new Date(clock.nowMs());
  await store.commit([{ set: apiKeyPath(key.hash), data: { revokedAt }, fields: ['revokedAt'] }], deadline());
  await uses.store(store, deadline());
  const [document, ...others] = await store.getAll(
    [key, gone].map(({ hash }) => apiKeyPath(hash)),
    deadline(),
  );
  expect(others).toEqual([]);
  expect(document?.data).toMatchObject({ revokedAt, lastUsedAt: new Date('2026-03-01T12:00:00Z'), keyId: 'key-1' });
});

it('is noted of so many keys, and of the others at their next request (R-182)', async () => {
  const { clock, store, key, lastUse, deadline } = await aScene();
  const uses = new KeyUses();
  for (let n = 0; n < MAX_USED_KEYS; n += 1) uses.add(aKey({ hash: `hash-${n}` as typeof key.hash }), clock.nowMs());
  uses.add(key, clock.nowMs());
  await uses.store(store, deadline());
  expect(await lastUse()).toBeNull();
  uses.add(key, clock.nowMs());
  await uses.store(store, deadline());
  expect(await lastUse()).toBe('2026-03-01T12:00:00.000Z');
});
