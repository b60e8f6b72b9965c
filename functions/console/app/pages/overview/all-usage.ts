/** The usage of all tenants, added up in the page from the parts that the service sums. Pure. */
import type { UsageCounts } from '../../../../../client/src/index';
import type { Measure, TenantUsage, UsagePart } from '../../api/management-answers';

/** Tenants in each list. Each part has as many, so those of all are among them. */
const TOP = 10;

/** Two parts of the same range, of different tenants, as one. */
export function addParts(before: UsagePart | undefined, part: UsagePart): UsagePart {
  if (!before) return part;
  return {
    ...part,
    totals: addCounts(before.totals, part.totals),
    steps: part.steps.map((step, index) => {
      const other = before.steps[index];
      return other ? { ...addCounts(other, step), time: step.time } : step;
    }),
    tenants: before.tenants + part.tenants,
    looked: before.looked + part.looked,
    ofTenants: before.ofTenants,
    top: {
      requests: topOf('requests', before, part),
      records: topOf('records', before, part),
      errors: topOf('errors', before, part),
    },
  };
}

function topOf(measure: Measure, ...parts: readonly UsagePart[]): readonly TenantUsage[] {
  return parts
    .flatMap(({ top }) => top[measure])
    .sort((a, b) => b[measure] - a[measure] || (a.tenantId < b.tenantId ? -1 : 1))
    .slice(0, TOP);
}

function addCounts(a: UsageCounts, b: UsageCounts): UsageCounts {
  return {
    requests: a.requests + b.requests,
    records: a.records + b.records,
    rejected: a.rejected + b.rejected,
    deletions: a.deletions + b.deletions,
    errors: a.errors + b.errors,
    limited: a.limited + b.limited,
  };
}
