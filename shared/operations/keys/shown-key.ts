import { fromKeyDocument } from '../../auth/tenant-documents';
import type { StoredDocument } from '../../documents/document-store';
import { API_KEYS, idOf } from '../../documents/paths';
import type { ApiKey, Permission } from '../../domain/api-key';
import type { KeyKeeper } from '../operator';

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

export function toShownKey(key: ApiKey): ShownKey {
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

export function toText(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}

/** The key with this public name; undefined: there is none. A text that can be no name is not looked up. */
export async function findKey(
  keyId: string,
  { store, deadline }: Pick<KeyKeeper, 'store' | 'deadline'>,
): Promise<{ readonly key: ApiKey; readonly document: StoredDocument } | undefined> {
  if (!isKeyId(keyId)) return undefined;
  const [document] = await store.findWhere(API_KEYS, 'keyId', keyId, { limit: 1 }, deadline());
  return document && { document, key: fromKeyDocument(idOf(document.path), document.data) };
}

/** Whether a key can have this public name. */
export function isKeyId(text: string): boolean {
  return KEY_ID.test(text);
}

const KEY_ID = /^[\w-]{1,64}$/;
