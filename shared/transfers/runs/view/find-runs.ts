/** Finds runs: one by its id, and those of a tenant, or of all, from the newest on. */
import type { DocumentReads, Page, StoredDocument } from '../../../documents/document-store';
import { runPath, RUNS } from '../../../documents/paths';
import type { JobId } from '../../../domain/transfer';
import type { Deadline } from '../../../platform/deadline';
import type { Run, RunStatus } from '../run';
import { fromRunDocument, statusKey } from '../run';
import { isRunId } from '../run-id';

/** The run with this id; undefined: no run has it, or can have it. The run tells its tenant. */
export async function findRun(runId: string, store: DocumentReads, deadline: Deadline): Promise<Run | undefined> {
  const document = isRunId(runId) ? await store.get(runPath(runId), deadline) : undefined;
  return document && fromRunDocument(document);
}

export interface RunFilter {
  readonly tenantId: string;
  /** A job of the tenant; absent: all jobs. */
  readonly jobId?: JobId | undefined;
  /** One or several; absent: any. */
  readonly status?: RunStatus | readonly RunStatus[] | undefined;
}

/** A page of a tenant's runs, the newest first: ids begin with a time. The work does not grow with their number. */
export function findLastRuns(
  { tenantId, jobId, status }: RunFilter,
  page: Page,
  store: Pick<DocumentReads, 'findLastWhere'>,
  deadline: Deadline,
): Promise<StoredDocument[]> {
  const [ofOwner, statusField] = jobId
    ? (['jobId', 'statusOfJob'] as const)
    : (['tenantId', 'statusOfTenant'] as const);
  const owner = jobId ?? tenantId;
  return status
    ? store.findLastWhere(RUNS, statusField, toStatusKeys(owner, status), page, deadline)
    : store.findLastWhere(RUNS, ofOwner, owner, page, deadline);
}

/** A page of the runs of all tenants in these statuses, the newest first, for operators alone. It reads no others. */
export function findLastRunsOfAll(
  statuses: readonly RunStatus[],
  page: Page,
  store: Pick<DocumentReads, 'findLastWhere'>,
  deadline: Deadline,
): Promise<StoredDocument[]> {
  return store.findLastWhere(RUNS, 'status', statuses, page, deadline);
}

function toStatusKeys(owner: string, status: RunStatus | readonly RunStatus[]): string | string[] {
  return typeof status === 'string' ? statusKey(owner, status) : status.map((each) => statusKey(owner, each));
}
