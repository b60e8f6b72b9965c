/** Operators' use cases about usage: of one tenant, and of all of them with those that stand out. */
import { fromTenantDocument } from '../auth/tenant-documents';
import { pagesOf } from '../documents/pages';
import { idOf, TENANTS } from '../documents/paths';
import { MAX_USAGE_DAYS } from '../domain/limits';
import type { UsageCounts, UsageRange } from '../domain/usage';
import { toUsageRange } from '../domain/usage';
import { MAX_TOP_TENANTS, USAGE_TENANTS_AT_ONCE } from '../limits/usage';
import { inParallel } from '../platform/async/in-parallel';
import { findUsage } from '../usage/find-usage';
import type { ShownUsage } from '../usage/usage-sum';
import { UsageSum } from '../usage/usage-sum';
import { requireWholeNumber } from './inputs';
import type { Operator } from './operator';
import { InvalidInput } from './operator-error';
import { requireTenant } from './tenants';

export interface UsageOptions {
  /** Absent: a day before `to`. */
  readonly from?: Date;
  /** What follows is before this time; absent: now. */
  readonly to?: Date;
}

/** The usage of a tenant among those of all. */
export type TenantUsage = { readonly tenantId: string; readonly organizationId: string } & UsageCounts;

/** What tenants can stand out by. */
type Measure = 'requests' | 'records' | 'errors';

/** The usage of all tenants together. */
export interface AllUsage extends Omit<ShownUsage, 'keys'> {
  /** Tenants of which anything was counted. */
  readonly tenants: number;
  /** The tenants with the most requests, records and errors, without those that have none. */
  readonly top: Readonly<Record<Measure, readonly TenantUsage[]>>;
}

/** Tenants in each list, when nobody says how many. */
const DEFAULT_TOP = 10;

/** The usage of a tenant, by hour or by day, key and route. @throws OperatorError */
export async function showUsage(
  guid: string,
  options: UsageOptions,
  operator: Operator,
): Promise<{ readonly tenantId: string } & ShownUsage> {
  const range = requireRange(options, operator);
  const { tenantId } = await requireTenant(guid, operator);
  const sum = await findUsage(tenantId, range, operator.store, operator.deadline);
  return { tenantId, ...sum.toShown() };
}

/**
 * The usage of all tenants, and those who stand out. It reads what was counted of each tenant, so it takes longer with
 * more of them. @throws OperatorError
 */
export async function sumAllUsage(
  { top: size = DEFAULT_TOP, ...options }: UsageOptions & { readonly top?: number },
  operator: Operator,
): Promise<AllUsage> {
  const range = requireRange(options, operator);
  requireWholeNumber('top', size, MAX_TOP_TENANTS);
  const all = new UsageSum(range);
  const used: TenantUsage[] = [];
  let looked = 0;
  for await (const page of pagesOf(operator.store, TENANTS, operator.deadline)) {
    const tenants = page.map(({ path, data }) => fromTenantDocument(idOf(path), data));
    await inParallel(tenants, USAGE_TENANTS_AT_ONCE, async ({ tenantId, organizationId }) => {
      const sum = await findUsage(tenantId, range, operator.store, operator.deadline);
      if (Object.values(sum.totals).some((count) => count > 0)) used.push({ tenantId, organizationId, ...sum.totals });
      all.addAll(sum);
    });
    looked += tenants.length;
    operator.progress(`${looked} tenants looked at`);
  }
  const { keys: _keys, ...shown } = all.toShown();
  const top = (measure: Measure) => topBy(measure, used, size);
  const tops = { requests: top('requests'), records: top('records'), errors: top('errors') };
  return { ...shown, tenants: used.length, top: tops };
}

function topBy(measure: Measure, used: readonly TenantUsage[], size: number): TenantUsage[] {
  return used
    .filter(({ [measure]: count }) => count > 0)
    .sort((a, b) => b[measure] - a[measure] || (a.tenantId < b.tenantId ? -1 : 1))
    .slice(0, size);
}

function requireRange({ from, to }: UsageOptions, { clock }: Operator): UsageRange {
  const range = toUsageRange(from, to, clock.nowMs());
  if (range === 'empty') throw new InvalidInput('from', 'must be before the end, and before now');
  if (range === 'tooLong') throw new InvalidInput('from', `must be at most ${MAX_USAGE_DAYS} days before the end`);
  return range;
}
