import type { RecurringTransferKind } from '../../../domain/transfer';
import { RECURRING_KINDS, recurringJobId } from '../../../domain/transfer';
import type { TenantId } from '../../../domain/tenant';
import type { ScheduledJob, ScheduledJobs } from '../../transfer-scheduler';

/** The recurring jobs of a tenant: at most one of each kind. */
export async function findScheduledJobs(
  tenantId: TenantId,
  jobs: Pick<ScheduledJobs, 'find'>,
): Promise<(ScheduledJob & { readonly kind: RecurringTransferKind })[]> {
  const found = await Promise.all(
    RECURRING_KINDS.map(async (kind) => {
      const job = await jobs.find(recurringJobId(kind, tenantId));
      return job && { ...job, kind };
    }),
  );
  return found.flatMap((job) => job ?? []);
}
