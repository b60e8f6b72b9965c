import { idOf } from '../../shared/documents/paths';
import type { AnyRoute } from '../../shared/endpoint/route';
import { route } from '../../shared/endpoint/route';
import { MAX_COUNTED_DOCUMENTS } from '../../shared/limits/transfers';
import type { TenantId } from '../../shared/domain/tenant';
import type { JobId, RecurringTransferKind } from '../../shared/domain/transfer';
import type { Deadline } from '../../shared/platform/deadline';
import { findLastRuns } from '../../shared/transfers/runs/view/find-runs';
import { fromRunDocument } from '../../shared/transfers/runs/run';
import { findScheduledJobs } from '../../shared/transfers/runs/view/scheduled-jobs';
import type { ScheduledJobs } from '../../shared/transfers/transfer-scheduler';
import type { RunDependencies, RunDto } from './run-answers';
import { toRunDto } from './run-answers';

export interface TransferListDependencies extends RunDependencies {
  readonly scheduler: Pick<ScheduledJobs, 'find'>;
}

/** A recurring transfer that is registered. */
export interface TransferDto {
  readonly JobId: string;
  readonly Kind: RecurringTransferKind;
  /** Null when somebody has replaced the job's message. */
  readonly BucketName: string | null;
  /** Empty: the whole bucket (D-38); null as above. */
  readonly DataFolderPaths: readonly string[] | null;
  /** unix-cron */
  readonly Schedule: string;
  readonly TimeZone: string;
  /** Null while the job is paused. */
  readonly NextRunAt: string | null;
  /** The newest run of the job, of any kind; null: there is none. */
  readonly LastRun: RunDto | null;
}

/** The route that lists the recurring transfers of a tenant, each with its newest run. It writes nothing. */
export function transferListRoute(dependencies: TransferListDependencies): AnyRoute {
  const { store, scheduler } = dependencies;
  return route<TenantId>({
    operationId: 'listTransfers',
    method: 'GET',
    path: '/google-cloud-storage/transfers',
    permission: 'transfers',
    query: ['tenantId'],
    successMessage: 'Transfers found.',
    failureMessage: 'Failed to find transfers.',
    tenantFrom: 'query',
    read: (_request, tenantId) => tenantId,
    run: async (tenantId, _tenant, { deadline }) => {
      const jobs = await findScheduledJobs(tenantId, scheduler);
      const budget = { left: MAX_COUNTED_DOCUMENTS };
      const transfers = await Promise.all(
        jobs.map(async (job): Promise<TransferDto> => ({
          JobId: job.jobId,
          Kind: job.kind,
          BucketName: job.bucketName,
          DataFolderPaths: job.folderPaths,
          Schedule: job.schedule,
          TimeZone: job.timeZone,
          NextRunAt: job.nextRun,
          LastRun: await findLastRun({ tenantId, jobId: job.jobId }, budget, deadline),
        })),
      );
      return { data: { Transfers: transfers } };
    },
  });

  async function findLastRun(
    filter: { readonly tenantId: TenantId; readonly jobId: JobId },
    budget: { left: number },
    deadline: Deadline,
  ): Promise<RunDto | null> {
    const [last] = await findLastRuns(filter, { limit: 1 }, store, deadline);
    return last ? toRunDto(idOf(last.path), fromRunDocument(last), budget, dependencies, deadline) : null;
  }
}
