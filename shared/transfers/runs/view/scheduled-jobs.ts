import { recurringJobId } from '../../../domain/transfer';
import type { TenantId } from '../../../domain/tenant';
import type { ScheduledJob, ScheduledJobs } from '../../transfer-scheduler';

/** The recurring jobs of a tenant: at most one daily and one hourly. */
export async function findScheduledJobs(
  tenantId: TenantId,
  jobs: Pick<ScheduledJobs, 'find'>,
): Promise<(ScheduledJob & { readonly kind: 'daily' | 'hourly' })[]> {
  const found = await Promise.all(
    (['daily', 'hourly'] as const).map(async (kind) => {
      const job = await jobs.find(recurringJobId(kind, tenantId));
      return job && { ...job, kind };
    }),
  );
  return found.flatMap((job) => job ?? []);
}
