import type { ApiClient } from './api-client';
import type { Kind, TenantName } from './fields';
import type { ExpectedShop } from './model/expected-shop';
import type { Settings } from './model/settings';
import type { Report } from './report';
import type { Stage } from './stage';

/** A tenant of the demo, with what was sent to it and what is expected of it so far. */
export interface DemoTenant {
  readonly name: TenantName;
  /** For the reader. */
  readonly title: string;
  readonly organization: string;
  readonly settings: Settings;
  readonly tenantId: string;
  readonly key: string;
  readonly expected: ExpectedShop;
  /** Elements that upserts have accepted, and rows that transfers have stored. */
  readonly sent: Record<Kind, number>;
}

/** What every chapter works with. */
export interface Demo extends Stage {
  readonly client: ApiClient;
  readonly report: Report;
  readonly tenants: { readonly aurora: DemoTenant; readonly borealis: DemoTenant };
}

/** Does the same for both tenants at once. */
export function forBoth<T>(
  { tenants }: Pick<Demo, 'tenants'>,
  work: (tenant: DemoTenant) => Promise<T>,
): Promise<[T, T]> {
  return Promise.all([work(tenants.aurora), work(tenants.borealis)]);
}
