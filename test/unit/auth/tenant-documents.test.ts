import {
  fromKeyDocument,
  fromTenantDocument,
  toKeyDocument,
  toTenantDocument,
} from '../../../shared/auth/tenant-documents';
import { aKey } from '../support/key';
import { aTenant } from '../support/tenant';

describe('a tenant as a document', () => {
  const tenant = aTenant({ productIdentifier: 'sku', defaultLanguage: 'tr', requiredFields: ['Phone'] });

  it('is read back as it was written', () => {
    expect(fromTenantDocument(tenant.tenantId, toTenantDocument(tenant))).toStrictEqual(tenant);
  });

  it('has no topic and no name where an older release has stored it (R-110)', () => {
    const { notifyTopic: _topic, displayName: _name, ...older } = toTenantDocument(tenant);
    expect(fromTenantDocument(tenant.tenantId, older)).toStrictEqual(tenant);
    const named = aTenant({ notifyTopic: 'projects/shop-1/topics/runs', displayName: 'Shop' });
    expect(fromTenantDocument(named.tenantId, toTenantDocument(named))).toStrictEqual(named);
  });

  it('does not repeat its id, which is in its path', () => {
    expect(toTenantDocument(tenant)).not.toHaveProperty('tenantId');
  });
});

describe('a key as a document', () => {
  it.each([
    ['valid', null],
    ['revoked', Date.parse('2026-02-01T00:00:00.001Z')],
  ])('is read back as it was written when it is %s', (_, revokedAtMs) => {
    const named = { name: 'Shop feed', expiresAtMs: Date.parse('2027-02-01T00:00:00.001Z') };
    const key = aKey({ permissions: ['orders'], requestsPerMinute: 7, revokedAtMs, ...named });
    expect(fromKeyDocument(key.hash, toKeyDocument(key))).toStrictEqual(key);
  });

  it('has no name and no end where an older release has stored it (R-205)', () => {
    const key = aKey();
    const { name: _, expiresAt: _end, ...older } = toKeyDocument(key);
    expect(fromKeyDocument(key.hash, older)).toStrictEqual(key);
  });

  it('tells when it was last used, if that is known (R-182)', () => {
    const lastUsedAtMs = Date.parse('2026-03-01T12:00:00Z');
    const key = { ...aKey(), lastUsedAtMs };
    expect(toKeyDocument(key)).toMatchObject({ lastUsedAt: new Date(lastUsedAtMs) });
    expect(fromKeyDocument(key.hash, toKeyDocument(key))).toStrictEqual(key);
  });

  it('holds times as dates and not its hash, which is in its path', () => {
    expect(toKeyDocument(aKey({ revokedAtMs: 5 }))).toStrictEqual({
      keyId: 'key-1',
      name: null,
      organizationId: 'org-a',
      permissions: ['customers', 'products', 'orders', 'transfers', 'records', 'settings'],
      requestsPerMinute: 100,
      createdAt: new Date('2026-01-01T00:00:00Z'),
      expiresAt: null,
      revokedAt: new Date(5),
    });
  });
});
