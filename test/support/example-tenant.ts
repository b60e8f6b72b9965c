/** The tenant that the examples of `openapi.json` are about, with the records that they name. */
import { EXAMPLE_TENANT } from '../../shared/endpoint/description/operation';
import type { Permission } from '../../shared/domain/api-key';
import type { TenantSettings } from '../../shared/domain/tenant';
import type { Caller, TestService } from './test-service';

const STORED = {
  customers: [{ CustomerId: 'C-1', Email: 'ada@example.com', Name: 'Ada', EmailOptin: true, GdprOptin: true }],
  products: [
    { ProductId: 'P-1', ProductName: 'Tea', ProductVariants: [{ VariantId: 'V-1', Sku: 'S-1', Size: '500g' }] },
  ],
  orders: [
    {
      OrderId: 'O-1',
      Email: 'ada@example.com',
      Currency: 'EUR',
      TotalRevenue: 9.5,
      OrderDate: '2026-02-28T10:00:00Z',
      OrderItems: [{ ProductId: 'P-1', Sku: 'S-1', Quantity: 1, Price: 9.5 }],
    },
  ],
};

/** Stores the tenant with its records. The settings count from then on. */
export async function createExampleCaller(
  service: TestService,
  settings: Partial<TenantSettings> = {},
  permissions?: readonly Permission[],
): Promise<Caller> {
  const organizationId = 'org-example';
  const tenantId = await service.createTenant(organizationId, {}, EXAMPLE_TENANT);
  const writing = await service.createKey(organizationId);
  for (const [kind, json] of Object.entries(STORED)) {
    expect((await service.request('POST', `/${kind}/${tenantId}`, { key: writing, json })).status).toBe(200);
  }
  await service.createTenant(organizationId, settings, EXAMPLE_TENANT);
  const key = await service.createKey(organizationId, { ...(permissions && { permissions }) });
  return { tenantId, organizationId, key };
}
