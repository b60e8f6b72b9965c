/**
 * Use cases of API keys. An operator looks after all keys; the holder of a key with the permission `settings` after
 * those of its organization, and gives none that opens more than its own (`domain/key-authority.ts`).
 */
import type { AuditedState } from '../audit/entry';
import { commitAct } from '../audit/audit-log';
import { fromKeyDocument, toKeyDocument } from '../auth/tenant-documents';
import type { StoredDocument } from '../documents/document-store';
import { API_KEYS, apiKeyPath, idOf, TENANTS } from '../documents/paths';
import type { ApiKey, KeyGrant, Permission } from '../domain/api-key';
import { API_KEY_BYTES, DEFAULT_PERMISSIONS, hashApiKey, isValidKey, PERMISSIONS } from '../domain/api-key';
import { earlierEnd, endOf, exceeding, looksAfter } from '../domain/key-authority';
import { DEFAULT_REQUESTS_PER_MINUTE, MAX_REQUESTS_PER_MINUTE } from '../domain/limits';
import { DEFAULT_OVERLAP_MS, MAX_OVERLAP_MS } from '../limits/keys';
import { retryConflicts } from '../workspace/retry-conflicts';
import type { KeyKeeper } from './operator';
import { requireName, requireOrganization, requireWholeNumber } from './inputs';
import { InvalidInput, NotAllowed, OperatorError } from './operator-error';

export interface KeyOptions {
  readonly organization: string;
  readonly name?: string;
  /** At least one; DEFAULT_PERMISSIONS when it is absent. */
  readonly permissions?: readonly Permission[];
  /** Requests a minute, at most MAX_REQUESTS_PER_MINUTE; DEFAULT_REQUESTS_PER_MINUTE when it is absent. */
  readonly limit?: number;
  /** In the future. Absent: as `endOf` says. */
  readonly expires?: Date;
}

export interface RotationOptions {
  /** How long the former key is valid beside the new one, in milliseconds; DEFAULT_OVERLAP_MS when it is absent. */
  readonly overlap?: number;
  /** The end of the new key, as of `KeyOptions`. An operator must name that of the successor of a key with an end. */
  readonly expires?: Date;
}

/** A key as it is shown: everything but its secret. */
export interface ShownKey {
  readonly keyId: string;
  readonly organizationId: string;
  readonly name: string | null;
  readonly permissions: readonly Permission[];
  /** Requests a minute. */
  readonly limit: number;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** The hour of its last use; null: none is known. */
  readonly lastUsedAt: string | null;
}

/** A new key. Only this result holds the key itself. */
export type NewKey = ShownKey & { readonly key: string };

/** The most keys that one list shows. */
const MAX_LISTED = 1_000;

const TENANTS_SHOW = 'tenants list shows the organization of each tenant.';

/**
 * Creates a key. Gives a notice when the organization has no tenant yet: its name may be misspelt.
 * @throws OperatorError
 */
export async function createKey(options: KeyOptions, keeper: KeyKeeper): Promise<NewKey> {
  const organizationId = requireOrganization(options.organization);
  requireKeeper(organizationId, keeper);
  const grant: KeyGrant = {
    organizationId,
    permissions: requirePermissions(options.permissions ?? defaultPermissions(keeper)),
    requestsPerMinute: requireWholeNumber('limit', options.limit ?? defaultLimit(keeper), MAX_REQUESTS_PER_MINUTE),
    expiresAtMs: requireEnd(options.expires, keeper),
  };
  requireWithin(grant, keeper);
  const name = options.name === undefined ? null : requireName('name', options.name);
  const { key, apiKey } = newKey(grant, name, keeper);
  if (!(await hasTenant(organizationId, keeper))) {
    keeper.notice(`No tenant belongs to the organization ${organizationId} yet; ${TENANTS_SHOW}`);
  }
  const act = { action: 'keys.create', organizationId, keyId: apiKey.keyId, after: toAudited(apiKey) } as const;
  await commitAct(keeper, act, [toNewWrite(apiKey)], keeper.deadline());
  return toNewKey(key, apiKey);
}

/**
 * Gives a valid key a successor with the same name, permissions and limit. Both are valid until the former one ends by
 * itself. A repeat makes another successor, and never postpones the former key's end.
 * @throws OperatorError
 */
export async function rotateKey(
  keyId: string,
  options: RotationOptions,
  keeper: KeyKeeper,
): Promise<NewKey & { readonly replaces: ShownKey }> {
  const overlap = requireOverlap(options.overlap ?? DEFAULT_OVERLAP_MS);
  const expiresAtMs = requireEnd(options.expires, keeper);
  const deadline = keeper.deadline();
  let rotated: (NewKey & { readonly replaces: ShownKey }) | undefined;
  const attempt = async (): Promise<readonly string[]> => {
    const { key: former, version } = await requireKey(keyId, keeper);
    const nowMs = keeper.clock.nowMs();
    if (!isValidKey(former, nowMs)) {
      throw new OperatorError(`Key ${former.keyId} is not valid any more; keys create makes a new one.`);
    }
    const { organizationId } = former;
    if (former.expiresAtMs !== null && expiresAtMs === null) {
      throw new InvalidInput('expires', `must be given, because the key has an end: ${toText(former.expiresAtMs)}`);
    }
    const grant = { ...former, expiresAtMs };
    requireWithin(grant, keeper);
    const { key, apiKey } = newKey(grant, former.name, keeper);
    const ending = { ...former, expiresAtMs: earlierEnd(former.expiresAtMs, nowMs + overlap) };
    const end = { set: apiKeyPath(former.hash), data: toKeyDocument(ending), fields: ['expiresAt'], when: version };
    const act = {
      action: 'keys.rotate',
      organizationId,
      keyId: former.keyId,
      before: toAudited(former),
      after: { ...toAudited(ending), successor: apiKey.keyId },
    } as const;
    if ((await commitAct(keeper, act, [toNewWrite(apiKey), end], deadline)) === 'conflict') return [keyId];
    rotated = { ...toNewKey(key, apiKey), replaces: toShown(ending) };
    return [];
  };
  await retryConflicts([keyId], attempt, deadline, keeper);
  if (!rotated) throw new Error('A rotation without conflicts has a new key.');
  return rotated;
}

/** The keys of an organization, invalid ones too. Gives a notice when there are none. @throws OperatorError */
export async function listKeys(organization: string, keeper: KeyKeeper): Promise<ShownKey[]> {
  const organizationId = requireOrganization(organization);
  requireKeeper(organizationId, keeper);
  const keys = await findKeys('organizationId', organizationId, keeper);
  if (keys.length === 0) keeper.notice(`The organization ${organizationId} has no keys; ${TENANTS_SHOW}`);
  return keys.map((document) => toShown(fromDocument(document)));
}

/** Revokes a key from the next request on. A repeat changes nothing. @throws OperatorError when there is no key */
export async function revokeKey(keyId: string, keeper: KeyKeeper): Promise<ShownKey> {
  const { key } = await requireKey(keyId, keeper);
  if (key.revokedAtMs !== null) return toShown(key);
  const revoked = { ...key, revokedAtMs: keeper.clock.nowMs() };
  const { hash, organizationId } = key;
  const data = toKeyDocument(revoked);
  await commitAct(
    keeper,
    { action: 'keys.revoke', organizationId, keyId: key.keyId, before: toAudited(key), after: toAudited(revoked) },
    [{ set: apiKeyPath(hash), data, fields: ['revokedAt'], when: 'present' }],
    keeper.deadline(),
  );
  return toShown(revoked);
}

function newKey(grant: KeyGrant, name: string | null, { random, clock }: KeyKeeper): { key: string; apiKey: ApiKey } {
  const key = random.bytes(API_KEY_BYTES).toString('base64');
  const hash = hashApiKey(key);
  if (!hash) throw new Error('A new key must have the shape of a key.');
  const { organizationId, permissions, requestsPerMinute, expiresAtMs } = grant;
  const keyId = `key_${random.bytes(8).toString('hex')}`;
  const times = { createdAtMs: clock.nowMs(), expiresAtMs, revokedAtMs: null };
  return { key, apiKey: { hash, keyId, name, organizationId, permissions, requestsPerMinute, ...times } };
}

function toNewWrite(apiKey: ApiKey) {
  return { set: apiKeyPath(apiKey.hash), data: toKeyDocument(apiKey) };
}

async function hasTenant(organizationId: string, { store, deadline }: KeyKeeper): Promise<boolean> {
  const found = await store.findWhere(TENANTS, 'organizationId', organizationId, { limit: 1 }, deadline());
  return found.length > 0;
}

function findKeys(field: 'keyId' | 'organizationId', value: string, keeper: KeyKeeper): Promise<StoredDocument[]> {
  return keeper.store.findWhere(API_KEYS, field, value, { limit: MAX_LISTED }, keeper.deadline());
}

/** A key that the authority looks after. @throws OperatorError; a key of another organization does not exist, too */
async function requireKey(keyId: string, keeper: KeyKeeper) {
  const [document] = await findKeys('keyId', keyId.trim(), keeper);
  const key = document && fromDocument(document);
  if (key && looksAfter(keeper.authority, key.organizationId)) return { key, version: document.version };
  throw new OperatorError(`Key ${keyId} does not exist; keys list --organization ORG shows all.`);
}

/** @throws NotAllowed */
function requireKeeper(organizationId: string, { authority }: KeyKeeper): void {
  if (looksAfter(authority, organizationId)) return;
  throw new NotAllowed('Keys are looked after with the permission settings, within its own organization.');
}

/** @throws InvalidInput where the grant goes beyond the authority */
function requireWithin(grant: KeyGrant, { authority }: KeyKeeper): void {
  const field = exceeding(authority, grant);
  if (field) throw new InvalidInput(field, 'must not go beyond what the own key has');
}

/** The end of a new key. @throws InvalidInput for one in the past */
function requireEnd(expires: Date | undefined, { authority, clock }: KeyKeeper): number | null {
  if (expires === undefined) return endOf(authority);
  if (expires.getTime() > clock.nowMs()) return expires.getTime();
  throw new InvalidInput('expires', 'must be in the future', expires.toISOString());
}

function requireOverlap(overlap: number): number {
  if (Number.isInteger(overlap) && overlap >= 0 && overlap <= MAX_OVERLAP_MS) return overlap;
  throw new InvalidInput('overlap', `must be at most ${MAX_OVERLAP_MS / 86_400_000} days, and none that is negative`);
}

function defaultPermissions({ authority }: KeyKeeper): readonly Permission[] {
  if (authority === 'operator') return DEFAULT_PERMISSIONS;
  return DEFAULT_PERMISSIONS.filter((permission) => authority.permissions.includes(permission));
}

function defaultLimit({ authority }: KeyKeeper): number {
  if (authority === 'operator') return DEFAULT_REQUESTS_PER_MINUTE;
  return Math.min(DEFAULT_REQUESTS_PER_MINUTE, authority.requestsPerMinute);
}

function requirePermissions(permissions: readonly Permission[]): readonly Permission[] {
  if (permissions.length > 0) return [...new Set(permissions)];
  throw new InvalidInput('permissions', `must name at least one of ${PERMISSIONS.join(', ')}`);
}

function fromDocument({ path, data }: StoredDocument): ApiKey {
  return fromKeyDocument(idOf(path), data);
}

function toShown(key: ApiKey): ShownKey {
  return {
    keyId: key.keyId,
    organizationId: key.organizationId,
    name: key.name,
    permissions: key.permissions,
    limit: key.requestsPerMinute,
    createdAt: new Date(key.createdAtMs).toISOString(),
    expiresAt: toText(key.expiresAtMs),
    revokedAt: toText(key.revokedAtMs),
    lastUsedAt: toText(key.lastUsedAtMs ?? null),
  };
}

function toNewKey(key: string, apiKey: ApiKey): NewKey {
  const { keyId, ...shown } = toShown(apiKey);
  return { keyId, key, ...shown };
}

/** Without the name, which is a free text. */
function toAudited({ permissions, requestsPerMinute, expiresAtMs, revokedAtMs }: ApiKey): AuditedState {
  const times = { expiresAt: toText(expiresAtMs), revokedAt: toText(revokedAtMs) };
  return { permissions, limit: requestsPerMinute, ...times };
}

function toText(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}
