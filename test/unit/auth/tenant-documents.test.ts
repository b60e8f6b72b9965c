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
