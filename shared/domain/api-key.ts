/** API keys: what the service keeps of them, and never the key itself. */
import { createHash } from 'node:crypto';

/** base64url SHA-256 of a key: all that is stored of it. */
export type ApiKeyHash = string & { readonly __brand: 'ApiKeyHash' };

export type Permission = 'customers' | 'products' | 'orders' | 'transfers';
export const PERMISSIONS: readonly Permission[] = ['customers', 'products', 'orders', 'transfers'];

export interface ApiKey {
  readonly hash: ApiKeyHash;
  /** The public name of the key, for lists and revocation. */
  readonly keyId: string;
  readonly organizationId: string;
  readonly permissions: readonly Permission[];
  readonly requestsPerMinute: number;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** Null while the key is valid. */
  readonly revokedAtMs: number | null;
}

/** Bytes of a key before base64: 256 bits (Spec §5). */
export const API_KEY_BYTES = 32;

const KEY_SHAPE = /^[A-Za-z0-9+/]{43}=$/;

/**
 * The hash under which a presented key is looked up; undefined when the text cannot be a key (then nothing is read).
 * Keys are random and are found by their hash, so that no comparison leaks time and no salt is needed.
 */
export function hashApiKey(key: string): ApiKeyHash | undefined {
  if (!KEY_SHAPE.test(key)) return undefined;
  return createHash('sha256').update(key, 'ascii').digest('base64url') as ApiKeyHash;
}
