import * as fc from 'fast-check';
import type { KeyGrant } from '../../../shared/domain/api-key';
import { isValidKey, PERMISSIONS } from '../../../shared/domain/api-key';
import { earlierEnd, endOf, exceeding, looksAfter } from '../../../shared/domain/key-authority';
import { aKey } from '../support/key';

const grants = fc.record<KeyGrant>({
  organizationId: fc.constant('org-a'),
  permissions: fc.subarray([...PERMISSIONS]),
  requestsPerMinute: fc.integer({ min: 1, max: 5 }),
  expiresAtMs: fc.option(fc.integer({ min: 1, max: 5 })),
});

it('a key gives no key that opens more, for longer or more often than itself (R-206)', () => {
  fc.assert(
    fc.property(
      grants,
      grants,
      fc.constantFrom(...PERMISSIONS),
      fc.nat({ max: 6 }),
      (own, given, permission, nowMs) => {
        if (exceeding(aKey(own), given) !== undefined) return;
        const opens = (grant: KeyGrant) => grant.permissions.includes(permission) && isValidKey(aKey(grant), nowMs);
        expect(given.requestsPerMinute).toBeLessThanOrEqual(own.requestsPerMinute);
        if (opens(given)) expect(opens(own)).toBe(true);
      },
    ),
  );
});

it('a key may give what it has itself, and what it gives by default ends with it (R-206)', () => {
  fc.assert(
    fc.property(grants, (own) => {
      const key = aKey(own);
      expect(exceeding(key, { ...own, expiresAtMs: endOf(key) })).toBeUndefined();
    }),
  );
});

it.each([
  [{ permissions: PERMISSIONS }, 'permissions'],
  [{ requestsPerMinute: 8 }, 'limit'],
  [{ expiresAtMs: 101 }, 'expires'],
  [{ expiresAtMs: null }, 'expires'],
] as const)('names what goes beyond it: %j', (fields, name) => {
  const own = aKey({ permissions: ['orders', 'settings'], requestsPerMinute: 7, expiresAtMs: 100 });
  expect(exceeding(own, { ...own, ...fields })).toBe(name);
});

it('an operator gives any key, and looks after all of them (R-206)', () => {
  fc.assert(fc.property(grants, (grant) => expect(exceeding('operator', grant)).toBeUndefined()));
  expect([looksAfter('operator', 'org-b'), endOf('operator')]).toEqual([true, null]);
});

it('a key looks after the keys of its own organization, and only with the permission settings (R-206)', () => {
  expect(looksAfter(aKey({ permissions: ['settings'] }), 'org-a')).toBe(true);
  expect(looksAfter(aKey({ permissions: ['settings'] }), 'org-b')).toBe(false);
  expect(looksAfter(aKey({ permissions: PERMISSIONS.filter((one) => one !== 'settings') }), 'org-a')).toBe(false);
});

it('a key is valid until the moment of its end, and an end only comes nearer (R-205)', () => {
  expect([99, 100, 101].map((nowMs) => isValidKey(aKey({ expiresAtMs: 100 }), nowMs))).toEqual([true, false, false]);
  expect(isValidKey(aKey({ expiresAtMs: 100, revokedAtMs: 1 }), 50)).toBe(false);
  expect(isValidKey(aKey({ expiresAtMs: null }), 1e15)).toBe(true);
  expect([earlierEnd(null, 5), earlierEnd(3, 5), earlierEnd(7, 5)]).toEqual([5, 3, 5]);
});
