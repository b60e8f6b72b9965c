/** Which keys of all organizations need attention. */
import { apiKeyPath } from '../../../shared/documents/paths';
import type { ApiKeyHash } from '../../../shared/domain/api-key';
import { SOON_DAYS, UNUSED_DAYS } from '../../../shared/domain/key-marks';
import { MAX_LOOKED_KEYS, MAX_MARKED_KEYS } from '../../../shared/limits/keys';
import { findMarkedKeys } from '../../../shared/operations/keys/marked-keys';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { SeededRandom } from '../../support/seeded-random';

function open() {
  const clock = new FixedClock();
  const store = new ObservedDocumentStore(new MemoryDocumentStore(clock));
  const operator = operatorOn(store, { clock, random: new SeededRandom() });
  const inDays = (days: number) => new Date(clock.nowMs() + days * 86_400_000);
  /** A key of long ago that is in use, changed by its fields. */
  const aKey = (keyId: string, fields: object = {}) => ({
    set: apiKeyPath(keyId as ApiKeyHash),
    data: { keyId, name: null, organizationId: `of-${keyId}`, permissions: [], requestsPerMinute: 1, createdAt: inDays(-100), expiresAt: null, revokedAt: null, lastUsedAt: inDays(-1), ...fields },
  }); // prettier-ignore
  const put = (keys: ReturnType<typeof aKey>[]) => store.writeEach(keys, operator.deadline());
  return { store, operator, inDays, aKey, put };
}

const idsOf = ({ keys }: { readonly keys: readonly { readonly keyId: string }[] }) => keys.map(({ keyId }) => keyId);

it('are those that nobody has used for the longest time, and those that end first (R-400)', async () => {
  const { operator, inDays, aKey, put } = open();
  await put([
    aKey('used'),
    aKey('idle', { lastUsedAt: inDays(-UNUSED_DAYS) }),
    aKey('idler', { lastUsedAt: inDays(-UNUSED_DAYS - 1) }),
    aKey('never', { lastUsedAt: null }),
    aKey('new', { lastUsedAt: null, createdAt: inDays(-1) }),
    aKey('soon', { expiresAt: inDays(SOON_DAYS) }),
    aKey('sooner', { expiresAt: inDays(1), lastUsedAt: null, createdAt: inDays(-UNUSED_DAYS) }),
    aKey('later', { expiresAt: inDays(SOON_DAYS + 1) }),
    aKey('ended', { expiresAt: inDays(0), lastUsedAt: null }),
    aKey('revoked', { revokedAt: inDays(-1), lastUsedAt: null }),
  ]);
  const found = await findMarkedKeys(operator);
  expect(idsOf(found.unused)).toEqual(['never', 'idler', 'idle', 'sooner']);
  expect(idsOf(found.endsSoon)).toEqual(['sooner', 'soon']);
  expect(found).toMatchObject({ unused: { count: 4 }, endsSoon: { count: 2 }, looked: 10, isMore: false });
  expect(found.unused.keys[0]).toMatchObject({ organizationId: 'of-never', lastUsedAt: null });
  expect(JSON.stringify(found)).not.toContain('hash');
});

it.each([
  ['all of them, where they are as many as are looked at', 0],
  ['that there are more, where they are', 1],
])('says %s, by one query (R-400)', async (_, more) => {
  const { store, operator, aKey, put } = open();
  const count = MAX_LOOKED_KEYS + more;
  await put(Array.from({ length: count }, (__, n) => aKey(String(n).padStart(5, '0'), { lastUsedAt: null })));
  store.calls.length = 0;
  const found = await findMarkedKeys(operator);
  expect(found).toMatchObject({ unused: { count: MAX_LOOKED_KEYS }, looked: MAX_LOOKED_KEYS, isMore: more > 0 });
  expect(found.unused.keys).toHaveLength(MAX_MARKED_KEYS);
  expect(store.calls.map(({ method }) => method)).toEqual(['list']);
});
