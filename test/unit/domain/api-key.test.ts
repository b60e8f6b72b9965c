import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import {
  API_KEY_BYTES,
  DEFAULT_PERMISSIONS,
  EVERY_ORGANIZATION,
  hashApiKey,
  reaches,
} from '../../../shared/domain/api-key';
import { aKey } from '../support/key';

const bytes = fc.uint8Array({ minLength: API_KEY_BYTES, maxLength: API_KEY_BYTES });
const KEY = Buffer.alloc(API_KEY_BYTES, 7).toString('base64');

describe('hashApiKey', () => {
  it('hashes the text of any 32 random bytes in base64 (Spec §5)', () => {
    fc.assert(
      fc.property(bytes, (random) => {
        const key = Buffer.from(random).toString('base64');
        const digest = createHash('sha256').update(key).digest('base64url');
        expect(hashApiKey(key)).toBe(digest);
        expect(digest).toMatch(/^[A-Za-z0-9_-]{43}$/);
      }),
    );
  });

  it.each([
    '', ' ', ` ${KEY}`, `${KEY} `, `${KEY}\n`, KEY.slice(1), `A${KEY}`, KEY.replace('=', ''), `${KEY}=`, KEY.replace('=', 'A'),
    KEY.replace('B', '-'), KEY.replace('B', '_'), KEY.replace('B', 'é'), `Bearer ${KEY}`, '=', 'A'.repeat(50_000),
  ])('takes %.60j for no key, so that nothing is read for it (Spec §5)', (text) => {
    expect(hashApiKey(text)).toBeUndefined();
  }); // prettier-ignore

  it('tells keys apart by letter case (Spec §5)', () => {
    expect(hashApiKey(KEY)).toBeDefined();
    expect(hashApiKey(KEY.toLowerCase())).not.toBe(hashApiKey(KEY));
  });
});

describe('a key', () => {
  it('opens what belongs to its organization, and an operator everything (R-230)', () => {
    expect(['org-a', 'org-b', ''].map((other) => reaches(aKey(), other))).toEqual([true, false, false]);
    const operator = { ...aKey(), organizationId: EVERY_ORGANIZATION } as const;
    expect(['org-a', 'org-b'].map((other) => reaches(operator, other))).toEqual([true, true]);
  });

  it('has, if none are named, no permission to read records or to look after keys (R-68, R-206)', () => {
    expect(DEFAULT_PERMISSIONS).toEqual(['customers', 'products', 'orders', 'transfers']);
  });
});
