/** API keys as the service stores them: their hash, never the key itself. */
import { createHash } from 'node:crypto';

/** The base64url SHA-256 of a key. */
export type ApiKeyHash = string & { readonly __brand: 'ApiKeyHash' };

/** The header that carries a key (Spec §5). */
export const KEY_HEADER = 'x-service-auth-key';

export const PERMISSIONS = ['customers', 'products', 'orders', 'transfers', 'records', 'settings'] as const;
export type Permission = (typeof PERMISSIONS)[number];
/** Given only by their names: to read records back, and to look after keys and settings. */
const NAMED_PERMISSIONS: readonly Permission[] = ['records', 'settings'];
/** The permissions of a key for which none are named. */
export const DEFAULT_PERMISSIONS = PERMISSIONS.filter((permission) => !NAMED_PERMISSIONS.includes(permission));

/** What a key opens. */
export interface KeyGrant {
  readonly organizationId: string;
  readonly permissions: readonly Permission[];
  readonly requestsPerMinute: number;
  /** From then on the key is as unknown. Milliseconds since the epoch; null: it has no end. */
  readonly expiresAtMs: number | null;
}

export interface ApiKey extends KeyGrant {
  readonly hash: ApiKeyHash;
  /** The public name of the key, for lists and revocation. */
  readonly keyId: string;
  /** What its organization calls it; null: nothing. */
  readonly name: string | null;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** Null: it is not revoked. */
  readonly revokedAtMs: number | null;
  /** The beginning of the last hour in which it is known to have been used; absent: of none. */
  readonly lastUsedAtMs?: number;
}

/** In place of an organization: every one. It is no text, so that no stored key can have it. */
export const EVERY_ORGANIZATION = Symbol('every organization');

/** Who asks: a key, or a person who was let in. */
export interface Caller extends Omit<ApiKey, 'organizationId'> {
  /** The hash of the stored key that is used; null: none is. Absent: `hash` is it. */
  readonly keyHash?: ApiKeyHash | null;
  readonly organizationId: string | typeof EVERY_ORGANIZATION;
}

/** Whether what belongs to an organization is the caller's to ask for. */
export function reaches({ organizationId }: Caller, other: string): boolean {
  return organizationId === EVERY_ORGANIZATION || organizationId === other;
}

/** Whether requests with the key are admitted. A key that is not valid any more never will be: no end is moved back. */
export function isValidKey(
  { revokedAtMs, expiresAtMs }: Pick<ApiKey, 'revokedAtMs' | 'expiresAtMs'>,
  nowMs: number,
): boolean {
  return revokedAtMs === null && (expiresAtMs === null || nowMs < expiresAtMs);
}

/** Bytes of a key before base64: 256 bits (Spec §5). */
export const API_KEY_BYTES = 32;

const KEY_SHAPE = /^[A-Za-z0-9+/]{43}=$/;

/**
 * The hash by which a presented key is looked up; undefined when the text cannot be a key (then nothing is read). No
 * key is compared with another, so nothing leaks through timing. Keys are random, so the hash needs no salt.
 */
export function hashApiKey(key: string): ApiKeyHash | undefined {
  if (!KEY_SHAPE.test(key)) return undefined;
  return createHash('sha256').update(key, 'ascii').digest('base64url') as ApiKeyHash;
}
