/**
 * Tenants and keys as documents. Ids that are in a document's path are not in its data. Documents are read without
 * checks, because only the service writes them.
 */
import type { DocumentData } from '../domain/records/document';
import type { ApiKey, ApiKeyHash, Permission } from '../domain/api-key';
import type { Tenant, TenantId } from '../domain/tenant';

export function toTenantDocument(tenant: Tenant): DocumentData {
  const { tenantId: _tenantId, ...data } = tenant;
  return data;
}

export function fromTenantDocument(tenantId: string, data: DocumentData): Tenant {
  const stored = data as unknown as Omit<Tenant, 'tenantId' | 'notifyTopic' | 'displayName'>;
  const lacking = { notifyTopic: null, displayName: null }; // older releases stored none
  return { tenantId: tenantId as TenantId, ...lacking, ...stored };
}

export function toKeyDocument(key: ApiKey): DocumentData {
  const { hash: _hash, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs, ...data } = key;
  return {
    ...data,
    createdAt: new Date(createdAtMs),
    expiresAt: expiresAtMs === null ? null : new Date(expiresAtMs),
    revokedAt: revokedAtMs === null ? null : new Date(revokedAtMs),
    ...(lastUsedAtMs !== undefined && { lastUsedAt: new Date(lastUsedAtMs) }),
  };
}

export function fromKeyDocument(hash: string, data: DocumentData): ApiKey {
  return {
    hash: hash as ApiKeyHash,
    keyId: data.keyId as string,
    name: (data.name as string | null | undefined) ?? null, // older releases stored no name and no end
    organizationId: data.organizationId as string,
    permissions: data.permissions as readonly Permission[],
    requestsPerMinute: data.requestsPerMinute as number,
    createdAtMs: (data.createdAt as Date).getTime(),
    expiresAtMs: data.expiresAt instanceof Date ? data.expiresAt.getTime() : null,
    revokedAtMs: data.revokedAt instanceof Date ? data.revokedAt.getTime() : null,
    ...(data.lastUsedAt instanceof Date && { lastUsedAtMs: data.lastUsedAt.getTime() }),
  };
}
