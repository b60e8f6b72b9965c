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
  const stored = data as unknown as Omit<Tenant, 'tenantId' | 'notifyTopic'>;
  return { tenantId: tenantId as TenantId, notifyTopic: null, ...stored }; // older releases stored no `notifyTopic`
}

export function toKeyDocument(key: ApiKey): DocumentData {
  const { hash: _hash, createdAtMs, revokedAtMs, lastUsedAtMs, ...data } = key;
  return {
    ...data,
    createdAt: new Date(createdAtMs),
    revokedAt: revokedAtMs === null ? null : new Date(revokedAtMs),
    ...(lastUsedAtMs !== undefined && { lastUsedAt: new Date(lastUsedAtMs) }),
  };
}

export function fromKeyDocument(hash: string, data: DocumentData): ApiKey {
  return {
    hash: hash as ApiKeyHash,
    keyId: data.keyId as string,
    organizationId: data.organizationId as string,
    permissions: data.permissions as readonly Permission[],
    requestsPerMinute: data.requestsPerMinute as number,
    createdAtMs: (data.createdAt as Date).getTime(),
    revokedAtMs: data.revokedAt instanceof Date ? data.revokedAt.getTime() : null,
    ...(data.lastUsedAt instanceof Date && { lastUsedAtMs: data.lastUsedAt.getTime() }),
  };
}
