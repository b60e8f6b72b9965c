/** Keys as the service tells of them. */

export interface Key {
  /** Its public name. */
  readonly keyId: string;
  readonly organizationId: string;
  readonly name: string | null;
  readonly permissions: readonly string[];
  readonly limit: number;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** The hour of its last use; null: none is known. */
  readonly lastUsedAt: string | null;
}

/** A key that was given just now. Nothing else has the key itself. */
export interface NewKey extends Key {
  readonly key: string;
}

/** What a new key has; undefined: what the service gives. */
export interface Grant {
  readonly organization: string | undefined;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly limit: number | undefined;
  readonly expires: string | undefined;
}

export interface KeyRequests {
  readonly since: string;
  readonly keys: readonly { readonly keyId: string; readonly requests: number }[];
  readonly tenants: number;
  /** False: keys may have more requests. */
  readonly isWhole: boolean;
}

/** What a key is called: its name, or else its public one. */
export function titleOf({ name, keyId }: Key): string {
  return name ?? keyId;
}
