import type { Demo } from '../context';
import { partsOf } from '../fields';
import type { Comparison } from '../stored-records';
import { compareAll } from '../stored-records';

/** Compares every stored record, field by field, with what is expected. Returns how many were compared. */
export async function compareStored(demo: Demo, title: string, ...explanation: readonly string[]): Promise<number> {
  demo.report.progress('Comparing every stored record');
  const comparisons = await compareAll(demo);
  demo.report.chapter(title, ...explanation);
  tableOf(demo, comparisons);
  return comparisons.reduce((sum, { stored }) => sum + stored.length, 0);
}

/** One row a tenant and kind. */
export function tableOf({ report }: Pick<Demo, 'report'>, comparisons: readonly Comparison[]): void {
  report.table(
    ['tenant', 'kind', 'sent', 'expected', 'stored', 'with', ''],
    comparisons.map(({ tenant, kind, stored, problems }) => ({
      cells: [
        tenant.title,
        kind,
        tenant.sent[kind],
        tenant.expected.count(kind),
        stored.length,
        ...describeParts(kind, stored),
      ],
      problems,
    })),
  );
}

function describeParts(kind: Comparison['kind'], stored: Comparison['stored']): [number, string] {
  const count = (member: string) => stored.reduce((sum, record) => sum + partsOf(record, member).length, 0);
  if (kind === 'products') return [count('ProductVariants'), 'variants'];
  if (kind === 'orders') return [count('OrderItems'), 'items'];
  return [stored.filter(({ EmailOptin }) => EmailOptin === true).length, 'e-mail consents'];
}
