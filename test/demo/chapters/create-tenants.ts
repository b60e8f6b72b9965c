import type { Operator } from '../../../shared/operations/operator';
import { createKey } from '../../../shared/operations/keys';
import { createTenant } from '../../../shared/operations/tenants';
import type { Demo, DemoTenant } from '../context';
import type { TenantName } from '../fields';
import { ExpectedShop } from '../model/expected-shop';
import type { Settings } from '../model/settings';
import type { Report } from '../report';

const TENANTS: Readonly<Record<TenantName, { readonly title: string; readonly settings: Settings }>> = {
  aurora: {
    title: 'Aurora',
    settings: {
      customerIdentifier: 'email',
      productIdentifier: 'productid',
      orderCustomer: 'email',
      defaultLanguage: 'en',
    },
  },
  borealis: {
    title: 'Borealis',
    settings: {
      customerIdentifier: 'customerid',
      productIdentifier: 'sku',
      orderCustomer: 'customerid',
      defaultLanguage: 'de',
    },
  },
};

/** Two tenants of two organizations, with all priorities different, and a key for each. */
export async function createTenants(operator: Operator, report: Report): Promise<Demo['tenants']> {
  const tenants = { aurora: await create('aurora', operator), borealis: await create('borealis', operator) };
  report.chapter('Tenants', 'Two tenants get the same shop; their settings decide what becomes of it.');
  report.table(
    ['tenant', 'customers by', 'products by', 'orders by', 'language', 'id'],
    Object.values(tenants).map(({ title, settings, tenantId }) => ({
      cells: [
        title, settings.customerIdentifier, settings.productIdentifier, settings.orderCustomer, settings.defaultLanguage, tenantId,
      ], // prettier-ignore
    })),
  );
  return tenants;
}

async function create(name: TenantName, operator: Operator): Promise<DemoTenant> {
  const { title, settings } = TENANTS[name];
  const organization = `${name}-group`;
  const { tenantId } = await createTenant({ organization, ...settings }, operator);
  const { key } = await createKey({ organization }, operator);
  const expected = new ExpectedShop(settings);
  return {
    name,
    title,
    organization,
    settings,
    tenantId,
    key,
    expected,
    sent: { customers: 0, products: 0, orders: 0 },
  };
}
