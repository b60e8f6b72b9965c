import type { ApiKey } from '../../../shared/domain/api-key';
import { API_KEY_BYTES, hashApiKey, PERMISSIONS } from '../../../shared/domain/api-key';

/** The text of a key, another one for each number. */
export function keyText(number = 1): string {
  return Buffer.alloc(API_KEY_BYTES, number).toString('base64');
}

/**
 * The stored side of `keyText()`: valid, of `org-a`, with every permission and the default limit, except for what is
 * given.
 */
export function aKey(fields: Partial<ApiKey> = {}): ApiKey {
  return {
    hash: hashApiKey(keyText())!,
    keyId: 'key-1',
    name: null,
    organizationId: 'org-a',
    permissions: PERMISSIONS,
    requestsPerMinute: 100,
    createdAtMs: Date.parse('2026-01-01T00:00:00Z'),
    expiresAtMs: null,
    revokedAtMs: null,
    ...fields,
  };
}
