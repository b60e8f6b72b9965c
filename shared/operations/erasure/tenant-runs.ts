/** What transfers store outside a tenant's documents: runs, and the objects of their reports. */
import { pagesFromLastWhere } from '../../documents/pages';
import { idOf, RUNS } from '../../documents/paths';
import type { StoredDocument } from '../../documents/document-store';
import { ERASED_RUNS_AT_ONCE, OBJECTS_PAGE } from '../../limits/erasure';
import { inParallel } from '../../platform/async/in-parallel';
import type { ObjectRemoval, ObjectStorage, StoredObject } from '../../transfers/object-storage';
import { AccessDenied, BucketMissing } from '../../transfers/object-storage';
import { reportPrefix } from '../../transfers/runs/report';
import type { Operator } from '../operator';
import { OperatorError } from '../operator-error';

/** A run whose document is stored. */
export interface TenantRun {
  readonly runId: string;
  readonly document: StoredDocument;
}

/** Visits all runs of a tenant, page by page from the newest, ERASED_RUNS_AT_ONCE concurrently. */
export async function visitRuns(
  tenantId: string,
  { store, deadline }: Pick<Operator, 'store' | 'deadline'>,
  visit: (run: TenantRun) => Promise<void>,
): Promise<void> {
  for await (const page of pagesFromLastWhere(store, RUNS, { field: 'tenantId', value: tenantId }, deadline)) {
    await inParallel(page, ERASED_RUNS_AT_ONCE, (document) => visit({ runId: idOf(document.path), document }));
  }
}

/**
 * The objects of a run's reports, page by page. They include objects that no report names because another worker
 * overtook theirs. A missing bucket has none. @throws OperatorError when the operator may not read the bucket
 */
export async function* reportObjectPages(
  runId: string,
  storage: Pick<ObjectStorage, 'list'>,
  reportsBucket: string,
): AsyncGenerator<readonly StoredObject[]> {
  for (let pageToken: string | undefined; ;) {
    const from = pageToken;
    const page = await explainDenial(reportsBucket, async () => {
      try {
        return await storage.list(reportsBucket, reportPrefix(runId), OBJECTS_PAGE, from);
      } catch (error) {
        if (error instanceof BucketMissing) return undefined;
        throw error;
      }
    });
    if (page && page.objects.length > 0) yield page.objects;
    pageToken = page?.nextPageToken;
    if (pageToken === undefined) return;
  }
}

/** Removes an object of a report. A repeat is safe. @throws OperatorError when the operator may not remove it */
export async function removeReportObject(name: string, storage: ObjectRemoval, reportsBucket: string): Promise<void> {
  await explainDenial(reportsBucket, () => storage.remove(reportsBucket, name));
}

/** Runs a call on the bucket. @throws OperatorError that names the missing role */
async function explainDenial<T>(bucket: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof AccessDenied)) throw error;
    throw new OperatorError(
      `Access denied to the bucket of reports, ${bucket} (REPORTS_BUCKET): to look through it and remove from it, you ` +
        'need the role Storage Object User (roles/storage.objectUser) on it. Then run the command again.',
    );
  }
}
