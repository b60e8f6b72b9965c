import { NO_USAGE, stepAt, TRANSFERS_ROUTE } from '../../../domain/usage';
import type { Deadline } from '../../../platform/deadline';
import { toUsageWrite } from '../../../usage/usage-documents';
import type { Run } from '../run';
import type { TransferDependencies } from '../steps';

/**
 * Counts the rows of a run that has ended among its tenant's usage, in the hour of its end. A preview stores
 * nothing and is not counted. The caller knows that the tenant exists. Repeating it is safe, also with other sums: they
 * replace the ones before.
 */
export async function countRun(
  runId: string,
  { tenantId, rows, finishedAt, isPreview }: Run,
  deadline: Deadline,
  { store }: Pick<TransferDependencies, 'store'>,
): Promise<void> {
  if (isPreview || !finishedAt || !rows || rows.stored + rows.invalid + rows.deleted === 0) return;
  const counts = { ...NO_USAGE, records: rows.stored, rejected: rows.invalid, deletions: rows.deleted };
  const hourMs = stepAt(finishedAt.getTime(), 'hour');
  const usage = { hourMs, keyId: null, route: TRANSFERS_ROUTE, counts };
  await store.commit([toUsageWrite(tenantId, runId, [usage])], deadline);
}
