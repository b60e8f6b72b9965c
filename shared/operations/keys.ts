/**
 * Use cases of API keys. An operator looks after all keys; the holder of a key with the permission `settings` after
 * those of its organization, and gives none that opens more than its own (`domain/key-authority.ts`).
 */
import type { AuditedState } from '../audit/entry';
import { commitAct } from '../audit/audit-log';
import { toKeyDocument } from '../auth/tenant-documents';
import { apiKeyPath, TENANTS } from '../documents/paths';
import type { ApiKey, KeyGrant, Permission } from '../domain/api-key';
import { API_KEY_BYTES, DEFAULT_PERMISSIONS, hashApiKey, isValidKey, PERMISSIONS } from '../domain/api-key';
import { earlierEnd, endOf, exceeding, isOwn, looksAfter } from '../domain/key-authority';
import { DEFAULT_REQUESTS_PER_MINUTE, MAX_REQUESTS_PER_MINUTE } from '../domain/limits';
import { DEFAULT_OVERLAP_MS, MAX_OVERLAP_MS } from '../limits/keys';
import { retryConflicts } from '../workspace/retry-conflicts';
import { requireName, requireOrganization, requireWholeNumber } from './inputs';
import { TENANTS_SHOW } from './keys/list-keys';
import type { ShownKey } from './keys/shown-key';
import { findKey, toShownKey, toText } from './keys/shown-key';
import type { KeyKeeper } from './operator';
import { InvalidInput, NotAllowed, OperatorError } from './operator-error';

export interface KeyOptions {
  readonly organization: string;
  readonly name?: string | undefined;
  /** At least one; DEFAULT_PERMISSIONS when it is absent. */
  readonly permissions?: readonly Permission[] | undefined;
  /** Requests a minute, at most MAX_REQUESTS_PER_MINUTE; DEFAULT_REQUESTS_PER_MINUTE when it is absent. */
  readonly limit?: number | undefined;
  /** In the future. Absent: as `endOf` says. */
  readonly expires?: Date | undefined;
}

export interface RotationOptions {
  /** How long the former key is valid beside the new one, in milliseconds; DEFAULT_OVERLAP_MS when it is absent. */
  readonly overlap?: number | undefined;
  /** Until when it is, in place of `overlap`. */
  readonly until?: Date | undefined;
  /** The end of the new key, as of `KeyOptions`. An operator must name that of the successor of a key with an end. */
  readonly expires?: Date | undefined;
}

/** A new key. Only this result holds the key itself. */
export type NewKey = ShownKey & { readonly key: string };

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
  const { key, apiKey } = newKey(grant, name, drawKey(keeper), keeper);
  if (!(await hasTenant(organizationId, keeper))) {
    keeper.notice(`No tenant belongs to the organization ${organizationId} yet.`, TENANTS_SHOW);
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
  const endMs = requireFormerEnd(options, keeper);
  const expiresAtMs = requireEnd(options.expires, keeper);
  const deadline = keeper.deadline();
  const drawn = drawKey(keeper);
  let rotated: (NewKey & { readonly replaces: ShownKey }) | undefined;
  const attempt = async (): Promise<readonly string[]> => {
    // An earlier attempt may have been committed and its answer lost.
    if (rotated && (await keeper.store.get(apiKeyPath(drawn.hash), deadline))) return [];
    const { key: former, version } = await requireKey(keyId, keeper);
    if (!isValidKey(former, keeper.clock.nowMs())) {
      throw new OperatorError(`Key ${former.keyId} is not valid any more.`, { hint: 'keys create makes a new one.' });
    }
    const { organizationId } = former;
    if (former.expiresAtMs !== null && expiresAtMs === null) {
      throw new InvalidInput('expires', `must be given, because the key has an end: ${toText(former.expiresAtMs)}`);
    }
    const grant = { ...former, expiresAtMs };
    requireWithin(grant, keeper);
    const { key, apiKey } = newKey(grant, former.name, drawn, keeper);
    const ending = { ...former, expiresAtMs: earlierEnd(former.expiresAtMs, endMs) };
    const end = { set: apiKeyPath(former.hash), data: toKeyDocument(ending), fields: ['expiresAt'], when: version };
    const act = {
      action: 'keys.rotate',
      organizationId,
      keyId: former.keyId,
      before: toAudited(former),
      after: { ...toAudited(ending), successor: apiKey.keyId },
    } as const;
    rotated = { ...toNewKey(key, apiKey), replaces: toShownKey(ending) };
    return (await commitAct(keeper, act, [toNewWrite(apiKey), end], deadline)) === 'conflict' ? [keyId] : [];
  };
  await retryConflicts([keyId], attempt, deadline, keeper);
  if (!rotated) throw new Error('A rotation without conflicts has a new key.');
  return rotated;
}

/** Revokes a key from the next request on. A repeat changes nothing. @throws OperatorError when there is no key */
export async function revokeKey(keyId: string, keeper: KeyKeeper): Promise<ShownKey> {
  const { key } = await requireKey(keyId, keeper);
  if (key.revokedAtMs !== null) return toShownKey(key);
  const revoked = { ...key, revokedAtMs: keeper.clock.nowMs() };
  const { hash, organizationId } = key;
  const data = toKeyDocument(revoked);
  await commitAct(
    keeper,
    { action: 'keys.revoke', organizationId, keyId: key.keyId, before: toAudited(key), after: toAudited(revoked) },
    [{ set: apiKeyPath(hash), data, fields: ['revokedAt'], when: 'present' }],
    keeper.deadline(),
  );
  return toShownKey(revoked);
}

/** What is random of a key. */
type DrawnKey = Pick<ApiKey, 'hash' | 'keyId'> & { readonly key: string };

function drawKey({ random }: KeyKeeper): DrawnKey {
  const key = random.bytes(API_KEY_BYTES).toString('base64');
  const hash = hashApiKey(key);
  if (!hash) throw new Error('A new key must have the shape of a key.');
  return { key, hash, keyId: `key_${random.bytes(8).toString('hex')}` };
}

function newKey(
  grant: KeyGrant,
  name: string | null,
  { key, hash, keyId }: DrawnKey,
  { clock }: KeyKeeper,
): { key: string; apiKey: ApiKey } {
  const { organizationId, permissions, requestsPerMinute, expiresAtMs } = grant;
  const times = { createdAtMs: clock.nowMs(), expiresAtMs, revokedAtMs: null };
  return { key, apiKey: { hash, keyId, name, organizationId, permissions, requestsPerMinute, ...times } };
}

/** Never applied late over what became of the key since, such as its end. */
function toNewWrite(apiKey: ApiKey) {
  return { set: apiKeyPath(apiKey.hash), data: toKeyDocument(apiKey), when: 'absent' as const };
}

async function hasTenant(organizationId: string, { store, deadline }: KeyKeeper): Promise<boolean> {
  const found = await store.findWhere(TENANTS, 'organizationId', organizationId, { limit: 1 }, deadline());
  return found.length > 0;
}

/** A key that the authority looks after. @throws OperatorError; a key of another organization does not exist, too */
async function requireKey(keyIdText: string, keeper: KeyKeeper) {
  const keyId = keyIdText.trim();
  const found = await findKey(keyId, keeper);
  if (found && isOwn(keeper.authority, found.key.organizationId)) {
    requireKeeper(found.key.organizationId, keeper);
    return { key: found.key, version: found.document.version };
  }
  throw new OperatorError(`Key ${keyId} does not exist.`, { hint: 'keys list --organization ORG shows all.' });
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

/** When a rotated key ends. @throws InvalidInput */
function requireFormerEnd({ overlap = DEFAULT_OVERLAP_MS, until }: RotationOptions, { clock }: KeyKeeper): number {
  const nowMs = clock.nowMs();
  const days = MAX_OVERLAP_MS / 86_400_000;
  if (until !== undefined) {
    if (until.getTime() > nowMs && until.getTime() <= nowMs + MAX_OVERLAP_MS) return until.getTime();
    throw new InvalidInput('until', `must be within the next ${days} days`, until.toISOString());
  }
  if (Number.isInteger(overlap) && overlap >= 0 && overlap <= MAX_OVERLAP_MS) return nowMs + overlap;
  throw new InvalidInput('overlap', `must be at most ${days} days, and none that is negative`);
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

function toNewKey(key: string, apiKey: ApiKey): NewKey {
  const { keyId, ...shown } = toShownKey(apiKey);
  return { keyId, key, ...shown };
}

/** Without the name, which is a free text. */
function toAudited({ permissions, requestsPerMinute, expiresAtMs, revokedAtMs }: ApiKey): AuditedState {
  const times = { expiresAt: toText(expiresAtMs), revokedAt: toText(revokedAtMs) };
  return { permissions, limit: requestsPerMinute, ...times };
}
