/** Operators' use cases about API keys. */
import { fromKeyDocument, toKeyDocument } from '../auth/tenant-documents';
import { API_KEYS, apiKeyPath, idOf, TENANTS } from '../documents/paths';
import type { ApiKey, Permission } from '../domain/api-key';
import { API_KEY_BYTES, DEFAULT_PERMISSIONS, hashApiKey, PERMISSIONS } from '../domain/api-key';
import { DEFAULT_REQUESTS_PER_MINUTE, MAX_REQUESTS_PER_MINUTE } from '../domain/limits';
import type { Operator } from './operator';
import { requireOrganization, requireWholeNumber } from './inputs';
import { InvalidInput, OperatorError } from './operator-error';

export interface KeyOptions {
  readonly organization: string;
  /** At least one; DEFAULT_PERMISSIONS when it is absent. */
  readonly permissions?: readonly Permission[];
  /** Requests a minute, at most MAX_REQUESTS_PER_MINUTE; DEFAULT_REQUESTS_PER_MINUTE when it is absent. */
  readonly limit?: number;
}

/** A key as it is shown: everything but its secret. */
export interface ShownKey {
  readonly keyId: string;
  readonly organizationId: string;
  readonly permissions: readonly Permission[];
  /** Requests a minute. */
  readonly limit: number;
  readonly createdAt: string;
  readonly revokedAt: string | null;
  /** The hour of its last use; null: none is known. */
  readonly lastUsedAt: string | null;
}

/** The most keys that one list shows. */
const MAX_LISTED = 1_000;

const TENANTS_SHOW = 'tenants list shows the organization of each tenant.';

/**
 * Creates a key. Only this result holds the key itself. Gives a notice when the organization has no tenant yet: its
 * name may be misspelt. @throws OperatorError
 */
export async function createKey(options: KeyOptions, operator: Operator): Promise<ShownKey & { readonly key: string }> {
  const key = operator.random.bytes(API_KEY_BYTES).toString('base64');
  const hash = hashApiKey(key);
  if (!hash) throw new Error('A new key must have the shape of a key.');
  const apiKey: ApiKey = {
    hash,
    keyId: `key_${operator.random.bytes(8).toString('hex')}`,
    organizationId: requireOrganization(options.organization),
    permissions: requirePermissions(options.permissions ?? DEFAULT_PERMISSIONS),
    requestsPerMinute: requireWholeNumber(
      'limit',
      options.limit ?? DEFAULT_REQUESTS_PER_MINUTE,
      MAX_REQUESTS_PER_MINUTE,
    ),
    createdAtMs: operator.clock.nowMs(),
    revokedAtMs: null,
  };
  const { organizationId } = apiKey;
  if (!(await hasTenant(organizationId, operator))) {
    operator.notice(`No tenant belongs to the organization ${organizationId} yet; ${TENANTS_SHOW}`);
  }
  await operator.store.commit([{ set: apiKeyPath(hash), data: toKeyDocument(apiKey) }], operator.deadline());
  const { keyId, ...shown } = toShown(apiKey);
  return { keyId, key, ...shown };
}

/** The keys of an organization, revoked ones too. Gives a notice when there are none. @throws OperatorError */
export async function listKeys(organization: string, operator: Operator): Promise<ShownKey[]> {
  const organizationId = requireOrganization(organization);
  const keys = await findKeys('organizationId', organizationId, operator);
  if (keys.length === 0) operator.notice(`The organization ${organizationId} has no keys; ${TENANTS_SHOW}`);
  return keys.map(toShown);
}

/** Revokes a key from the next request on. A repeat changes nothing. @throws OperatorError when there is no key */
export async function revokeKey(keyId: string, operator: Operator): Promise<ShownKey> {
  const [key] = await findKeys('keyId', keyId.trim(), operator);
  if (!key) throw new OperatorError(`Key ${keyId} does not exist; keys list --organization ORG shows all.`);
  const revoked = { ...key, revokedAtMs: key.revokedAtMs ?? operator.clock.nowMs() };
  await operator.store.commit(
    [{ set: apiKeyPath(key.hash), data: toKeyDocument(revoked), fields: ['revokedAt'], when: 'present' }],
    operator.deadline(),
  );
  return toShown(revoked);
}

async function hasTenant(organizationId: string, { store, deadline }: Operator): Promise<boolean> {
  const found = await store.findWhere(TENANTS, 'organizationId', organizationId, { limit: 1 }, deadline());
  return found.length > 0;
}

async function findKeys(field: 'keyId' | 'organizationId', value: string, operator: Operator): Promise<ApiKey[]> {
  const found = await operator.store.findWhere(API_KEYS, field, value, { limit: MAX_LISTED }, operator.deadline());
  return found.map(({ path, data }) => fromKeyDocument(idOf(path), data));
}

function toShown(key: ApiKey): ShownKey {
  return {
    keyId: key.keyId,
    organizationId: key.organizationId,
    permissions: key.permissions,
    limit: key.requestsPerMinute,
    createdAt: new Date(key.createdAtMs).toISOString(),
    revokedAt: key.revokedAtMs === null ? null : new Date(key.revokedAtMs).toISOString(),
    lastUsedAt: key.lastUsedAtMs === undefined ? null : new Date(key.lastUsedAtMs).toISOString(),
  };
}

function requirePermissions(permissions: readonly Permission[]): readonly Permission[] {
  if (permissions.length > 0) return [...new Set(permissions)];
  throw new InvalidInput('permissions', `must name at least one of ${PERMISSIONS.join(', ')}`);
}
