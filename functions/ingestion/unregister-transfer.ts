import { requireOpen } from '../../shared/auth/admission';
import type { AdmissionStore } from '../../shared/auth/admission-store';
import { isRecurring, parseJobId } from '../../shared/domain/transfer';
import { isPresent } from '../../shared/domain/values/text';
import { idRequired } from '../../shared/http/problems';
import type { AnyRoute } from '../../shared/endpoint/route';
import { route } from '../../shared/endpoint/route';
import type { DocumentStore } from '../../shared/documents/document-store';
import { unregisterLiveTransfer } from '../../shared/transfers/runs/live/live-transfers';
import type { TransferScheduler } from '../../shared/transfers/transfer-scheduler';

export interface UnregistrationDependencies {
  readonly scheduler: TransferScheduler;
  readonly store: DocumentStore;
  readonly admissionStore: AdmissionStore;
}

/**
 * The route that unregisters a transfer (Spec §4.6, D-39): it removes a recurring schedule. An unknown job id is no
 * error; a job of another organization's tenant, or of a suspended one, is 403. A repeat is safe.
 */
export function unregistrationRoute({ scheduler, store, admissionStore }: UnregistrationDependencies): AnyRoute {
  return route<string>({
    operationId: 'unregisterTransfer',
    method: 'DELETE',
    path: '/google-cloud-storage/unregister',
    permission: 'transfers',
    query: ['jobId'],
    successMessage: 'Transfer unregistered.',
    failureMessage: 'Failed to unregister transfer.',
    tenantFrom: 'none',
    read: (request) => {
      const jobId = request.query('jobId');
      if (!isPresent(jobId)) throw idRequired('Job ID');
      return jobId.trim();
    },
    run: async (jobIdText, caller, { deadline }) => {
      const job = parseJobId(jobIdText);
      const owner = job && (await admissionStore.findTenant(job.tenantId, deadline));
      if (job && owner) {
        requireOpen(owner, caller);
        if (job.kind === 'live') await unregisterLiveTransfer(job.tenantId, deadline, store);
        if (isRecurring(job.kind)) await scheduler.remove(job.jobId); // a one-time job has no schedule
      }
      return { data: {} };
    },
  });
}
