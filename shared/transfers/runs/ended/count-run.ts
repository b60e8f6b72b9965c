import type { DocumentChange } from '../../../documents/document-store';
import { NO_USAGE, stepAt, TRANSFERS_ROUTE } from '../../../domain/usage';
import { toUsageWrite } from '../../../usage/usage-documents';
import type { Run } from '../run';

/**
 * What counts the rows of a run that has ended among its tenant's usage, in the hour of its end. A preview
 * stores nothing and is not counted. The caller knows that the tenant exists. A repeat replaces what was counted
 * before, so it is in the commit of the sums.
 */
export function toRunUsage(runId: string, { tenantId, rows, finishedAt, isPreview }: Run): DocumentChange[] {
  if (isPreview || !finishedAt || !rows || rows.stored + rows.invalid + rows.deleted === 0) return [];
  const counts = { ...NO_USAGE, records: rows.stored, rejected: rows.invalid, deletions: rows.deleted };
  const hourMs = stepAt(finishedAt.getTime(), 'hour');
  const usage = { hourMs, keyId: null, route: TRANSFERS_ROUTE, counts };
  return [toUsageWrite(tenantId, runId, [usage])];
}
