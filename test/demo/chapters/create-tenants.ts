import { createKey } from '../../../shared/operations/keys';
import { createTenant } from '../../../shared/operations/tenants';
import type { Demo, DemoTenant } from '../context';
import type { TenantName } from '../fields';
import { ExpectedShop } from '../model/expected-shop';
import type { Settings } from '../model/settings';
import type { Report } from '../report';
import type { Stage } from '../stage';

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

/** Whoever waits for the end of a run asks often. */
const REQUESTS_PER_MINUTE = 1_000;

/** Two tenants of two organizations, with all priorities different, and a key for each. */
export async function createTenants(stage: Stage, report: Report): Promise<Demo['tenants']> {
  report.progress('Creating tenants');
  const tenants = { aurora: await create('aurora', stage), borealis: await create('borealis', stage) };
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

/** The organization and the display name of a tenant of the story. */
export function organizationOf(name: TenantName, stage: Pick<Stage, 'name'>): string {
  return `${stage.name}-${name}`;
}

async function create(name: TenantName, stage: Stage): Promise<DemoTenant> {
  const { operator } = stage;
  const { title, settings } = TENANTS[name];
  const organization = organizationOf(name, stage);
  const { tenantId } = await createTenant({ organization, displayName: organization, ...settings }, operator);
  const { key } = await createKey({ organization, limit: REQUESTS_PER_MINUTE }, operator);
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
