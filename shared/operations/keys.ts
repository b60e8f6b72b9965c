/** The operator's commands about API keys. */
import { fromKeyDocument, toKeyDocument } from '../auth/tenant-documents';
import { API_KEYS, apiKeyPath, idOf, TENANTS } from '../documents/paths';
import type { ApiKey, Permission } from '../domain/api-key';
import { API_KEY_BYTES, hashApiKey, PERMISSIONS } from '../domain/api-key';
import { DEFAULT_REQUESTS_PER_MINUTE, MAX_REQUESTS_PER_MINUTE } from '../domain/limits';
import { isPresent } from '../domain/values/text';
import type { Operator } from './operator';
import { OperatorError } from './operator-error';
import { requireOneOf, requireOrganization, requireWholeNumber } from './inputs';

export interface KeyOptions {
  readonly organization: string;
  readonly permissions?: string;
  readonly limit?: string;
}

/** A key as it is shown: everything but the key. */
export interface ShownKey {
  readonly keyId: string;
  readonly organizationId: string;
  readonly permissions: readonly Permission[];
  /** Requests a minute. */
  readonly limit: number;
  readonly createdAt: string;
  readonly revokedAt: string | null;
}

/** Most keys that one list shows. */
const MAX_LISTED = 1_000;

const TENANTS_SHOW = 'tenants list shows the organization of each tenant.';

/**
 * Creates a key. The only time that the key itself is seen. Says so when it opens nothing as yet: the organization may
 * be misspelt. @throws OperatorError
 */
export async function createKey(options: KeyOptions, operator: Operator): Promise<ShownKey & { readonly key: string }> {
  const key = operator.random.bytes(API_KEY_BYTES).toString('base64');
  const hash = hashApiKey(key);
  if (!hash) throw new Error('A new key must have the shape of a key.');
  const apiKey: ApiKey = {
    hash,
    keyId: `key_${operator.random.bytes(8).toString('hex')}`,
    organizationId: requireOrganization(options.organization),
    permissions: parsePermissions(options.permissions),
    requestsPerMinute: requireWholeNumber(
      '--limit',
      DEFAULT_REQUESTS_PER_MINUTE,
      MAX_REQUESTS_PER_MINUTE,
      options.limit,
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

/** The keys of an organization, revoked ones too; says so when there are none. @throws OperatorError */
export async function listKeys(organization: string, operator: Operator): Promise<ShownKey[]> {
  const organizationId = requireOrganization(organization);
  const keys = await findKeys('organizationId', organizationId, operator);
  if (keys.length === 0) operator.notice(`The organization ${organizationId} has no keys; ${TENANTS_SHOW}`);
  return keys.map(toShown);
}

/** Revokes a key from the next request on; repeating it changes nothing. @throws OperatorError when there is none. */
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
  };
}

function parsePermissions(text: string | undefined): readonly Permission[] {
  if (text === undefined) return PERMISSIONS;
  const names = text.split(',').filter(isPresent);
  if (names.length === 0) throw new OperatorError(`--permissions must name at least one of ${PERMISSIONS.join(', ')}.`);
  return [...new Set(names.map((name) => requireOneOf('--permissions', name, PERMISSIONS)))];
}
