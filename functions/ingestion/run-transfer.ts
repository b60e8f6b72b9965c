import { isRecurring, parseJobId } from '../../shared/domain/transfer';
import type { JobId, RecurringTransferKind } from '../../shared/domain/transfer';
import type { TenantId } from '../../shared/domain/tenant';
import { isPresent } from '../../shared/domain/values/text';
import type { AnyRoute } from '../../shared/endpoint/route';
import { route } from '../../shared/endpoint/route';
import { idRequired, transferNotFound } from '../../shared/http/problems';
import { requestRun } from '../../shared/transfers/runs/request-run';
import type { TransferDependencies } from '../../shared/transfers/runs/steps';
import type { ScheduledJobs } from '../../shared/transfers/transfer-scheduler';
import { startInTrace } from './run-route';

export interface ManualRunDependencies extends Pick<
  TransferDependencies,
  'store' | 'publisher' | 'clock' | 'random' | 'transfersTopic' | 'logger'
> {
  readonly scheduler: Pick<ScheduledJobs, 'find'>;
}

interface RecurringJob {
  readonly jobId: JobId;
  readonly kind: RecurringTransferKind;
  readonly tenantId: TenantId;
}

/** The route that runs a recurring transfer now, outside its schedule. A repeat starts another run. */
export function manualRunRoute(dependencies: ManualRunDependencies): AnyRoute {
  return route<RecurringJob>({
    operationId: 'runTransfer',
    method: 'POST',
    path: '/google-cloud-storage/transfers/run',
    permission: 'transfers',
    query: ['jobId'],
    successMessage: 'Transfer started.',
    failureMessage: 'Failed to start transfer.',
    tenantFrom: 'subject',
    find: (request) => {
      const job = parseRecurringJob(request.query('jobId'));
      return Promise.resolve({ tenantId: job.tenantId, read: () => job });
    },
    run: async (job, _tenant, call) => {
      const scheduled = await dependencies.scheduler.find(job.jobId);
      if (!scheduled) throw transferNotFound();
      const { bucketName, folderPaths } = scheduled;
      if (bucketName === null || folderPaths === null) throw new Error('The message of the job is no trigger.');
      const trigger = { ...job, bucketName, folderPaths };
      return startInTrace(call, dependencies, (traced) => requestRun(trigger, call.deadline, traced));
    },
  });
}

/** @throws HttpProblem 400 when there is no job id, 404 for one that no recurring job can have */
function parseRecurringJob(text: string | null): RecurringJob {
  if (!isPresent(text)) throw idRequired('Job ID');
  const job = parseJobId(text.trim());
  if (!job || !isRecurring(job.kind)) throw transferNotFound();
  return { jobId: job.jobId, kind: job.kind, tenantId: job.tenantId };
}
