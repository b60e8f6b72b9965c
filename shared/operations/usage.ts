/** Operators' use cases about usage: of one tenant, and of all of them with those that stand out. */
import { fromTenantDocument } from '../auth/tenant-documents';
import { pagesOf } from '../documents/pages';
import type { StoredDocument } from '../documents/document-store';
import { idOf, tenantPath, TENANTS } from '../documents/paths';
import { MAX_USAGE_DAYS } from '../domain/limits';
import type { UsageCounts, UsageRange } from '../domain/usage';
import { toUsageRange } from '../domain/usage';
import { MAX_TOP_TENANTS, USAGE_PART_TENANTS, USAGE_TENANTS_AT_ONCE } from '../limits/usage';
import { inParallel } from '../platform/async/in-parallel';
import { findUsage } from '../usage/find-usage';
import type { ShownUsage } from '../usage/usage-sum';
import { UsageSum } from '../usage/usage-sum';
import { countDocuments } from './count-documents';
import { requireWholeNumber } from './inputs';
import type { Operator } from './operator';
import { InvalidInput } from './operator-error';
import { requireGuid, requireTenant } from './tenants';

export interface UsageOptions {
  /** Absent: a day before `to`. */
  readonly from?: Date | undefined;
  /** What follows is before this time; absent: now. */
  readonly to?: Date | undefined;
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

/** Tenants in each list, where nobody says how many. */
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
  { top = DEFAULT_TOP, ...options }: UsageOptions & { readonly top?: number },
  operator: Operator,
): Promise<AllUsage> {
  const sum = new SumOfTenants(requireRange(options, operator), operator);
  requireWholeNumber('top', top, MAX_TOP_TENANTS);
  for await (const page of pagesOf(operator.store, TENANTS, operator.deadline)) {
    await sum.add(page);
    operator.progress(`${sum.looked} tenants looked at`);
  }
  return sum.toShown(top);
}

/** A part of the usage of all tenants. What of two parts is added up is that of the tenants of both. */
export interface UsagePart extends AllUsage {
  /** Tenants that were looked at. */
  readonly looked: number;
  /** Tenants in all; null: the first part says it. */
  readonly ofTenants: number | null;
  /** `after` of the next part; null: there is none. */
  readonly next: string | null;
}

/**
 * The usage of the next USAGE_PART_TENANTS tenants, in the order of their ids, with the DEFAULT_TOP of them that stand
 * out: so those that stand out among all are among those of the parts. @throws OperatorError
 * @param after the last tenant of the part before; undefined: the first part
 */
export async function sumUsagePart(
  { after, ...options }: UsageOptions & { readonly after?: string | undefined },
  operator: Operator,
): Promise<UsagePart> {
  const sum = new SumOfTenants(requireRange(options, operator), operator);
  const first = after === undefined ? {} : { after: tenantPath(requireGuid(after)) };
  const [page, ofTenants] = await Promise.all([
    operator.store.list(TENANTS, { limit: USAGE_PART_TENANTS, ...first }, operator.deadline()),
    after === undefined ? countDocuments(TENANTS, operator) : null,
  ]);
  await sum.add(page);
  const last = page.length < USAGE_PART_TENANTS ? undefined : page.at(-1);
  return { ...sum.toShown(DEFAULT_TOP), looked: sum.looked, ofTenants, next: last ? idOf(last.path) : null };
}

/** Adds up the usage of tenants, and keeps that of each. */
class SumOfTenants {
  looked = 0;
  private readonly all: UsageSum;
  private readonly used: TenantUsage[] = [];

  constructor(
    private readonly range: UsageRange,
    private readonly operator: Pick<Operator, 'store' | 'deadline'>,
  ) {
    this.all = new UsageSum(range);
  }

  /** @param documents of tenants */
  async add(documents: readonly StoredDocument[]): Promise<void> {
    const { store, deadline } = this.operator;
    const tenants = documents.map(({ path, data }) => fromTenantDocument(idOf(path), data));
    await inParallel(tenants, USAGE_TENANTS_AT_ONCE, async ({ tenantId, organizationId }) => {
      const sum = await findUsage(tenantId, this.range, store, deadline);
      const isUsed = Object.values(sum.totals).some((count) => count > 0);
      if (isUsed) this.used.push({ tenantId, organizationId, ...sum.totals });
      this.all.addAll(sum);
    });
    this.looked += tenants.length;
  }

  toShown(top: number): AllUsage {
    const { keys: _keys, ...shown } = this.all.toShown();
    const by = (measure: Measure) => topBy(measure, this.used, top);
    const tops = { requests: by('requests'), records: by('records'), errors: by('errors') };
    return { ...shown, tenants: this.used.length, top: tops };
  }
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
