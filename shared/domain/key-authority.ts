/**
 * Who looks after keys, and how far. An operator may give any key. The holder of a key with the permission
 * `settings` looks after the keys of its own organization, and gives none that opens more than its own one.
 */
import type { ApiKey, KeyGrant } from './api-key';

/** `operator`, or the key with which somebody has signed in. */
export type Authority = 'operator' | ApiKey;

/** Whether an organization is the authority's own. To an operator all are. */
export function isOwn(authority: Authority, organizationId: string): boolean {
  return authority === 'operator' || authority.organizationId === organizationId;
}

/** Whether the authority looks after the keys of an organization. */
export function looksAfter(authority: Authority, organizationId: string): boolean {
  return isOwn(authority, organizationId) && (authority === 'operator' || authority.permissions.includes('settings'));
}

/** What of a grant goes beyond the authority, which looks after its organization. Undefined: nothing. */
export function exceeding(authority: Authority, grant: KeyGrant): 'permissions' | 'limit' | 'expires' | undefined {
  if (authority === 'operator') return undefined;
  if (grant.permissions.some((permission) => !authority.permissions.includes(permission))) return 'permissions';
  if (grant.requestsPerMinute > authority.requestsPerMinute) return 'limit';
  return isLater(grant.expiresAtMs, authority.expiresAtMs) ? 'expires' : undefined;
}

/** The end of a new key for which none is named: that of the key which gives it. */
export function endOf(authority: Authority): number | null {
  return authority === 'operator' ? null : authority.expiresAtMs;
}

/** The earlier one of two ends. */
export function earlierEnd(a: number | null, b: number): number {
  return a === null ? b : Math.min(a, b);
}

function isLater(end: number | null, other: number | null): boolean {
  return other !== null && (end === null || end > other);
}
