/**
 * Erases a tenant with all that is stored of it. It may be stopped at any moment and run again:
 *
 * 1. The tenant's document is marked. From then on whoever looks the tenant up finds none: requests get 404, deletions
 *    and steps of transfers end without writing, other commands refuse it.
 * 2. What is stored is removed at once, in a first pass. It leaves the documents of the runs, because what is below
 *    them is found by them. Of a file that is being read no further slice is stored: each depends on a document that is
 *    gone.
 * 3. What looked the tenant up before the mark may still write, a request for as long as its body takes to arrive. So
 *    there is another pass ERASURE_QUIET_MS after the mark, and one more until a pass finds nothing.
 * 4. The buckets of the organization are released with its last tenant.
 * 5. The tenant's document is removed. Only now can its id be taken again, and nothing is left of it.
 */
import { CloudTransferScheduler } from '../adapters/scheduler/cloud-scheduler';
import { CloudObjectStorage } from '../adapters/storage/cloud-object-storage';
import { fromTenantDocument } from '../auth/tenant-documents';
import type { StoredDocument, DocumentRef } from '../documents/document-store';
import { pagesBelow, pagesOf } from '../documents/pages';
import { BUCKETS, collectionIdOf, idOf, TENANT_COLLECTIONS, tenantPath, TENANTS } from '../documents/paths';
import { ERASED_OBJECTS_AT_ONCE, ERASURE_QUIET_MS } from '../limits/erasure';
import type { Tenant, TenantId } from '../domain/tenant';
import type { JobId } from '../domain/transfer';
import { recurringJobId } from '../domain/transfer';
import { inParallel } from '../platform/async/in-parallel';
import { retryConflicts } from '../workspace/retry-conflicts';
import type { ScheduledJobs, TransferScheduler } from '../transfers/transfer-scheduler';
import type { Operator } from './operator';
import { countDocuments } from './count-documents';
import { OperatorError } from './operator-error';
import type { ReportStorage } from './tenant-runs';
import { removeReportObject, reportObjectPages, visitRuns } from './tenant-runs';
import { requireGuid } from './tenants';

/** What erasing works with. */
export interface Eraser extends Operator {
  readonly jobs: Pick<TransferScheduler, 'remove'> & Pick<ScheduledJobs, 'find'>;
  readonly reports: ReportStorage;
}

export function toEraser(operator: Operator): Eraser {
  const { config, clock } = operator;
  return { ...operator, jobs: new CloudTransferScheduler(config), reports: new CloudObjectStorage(config, clock) };
}

/** What is stored of a tenant and would be removed, or what this call has removed of it. */
export interface ErasureReport {
  readonly tenantId: string;
  /** Null where there is no such tenant. */
  readonly organizationId: string | null;
  /** `stored` and `beingErased`: nothing was changed. `absent`: there is no such tenant, or not any more. */
  readonly state: 'stored' | 'beingErased' | 'erased' | 'absent';
  readonly note: string;
  /** By the id of their collection. */
  readonly documents: Readonly<Record<string, number>>;
  readonly jobs: readonly JobId[];
  readonly reportObjects: number;
  /** Buckets that are released, because this is the last tenant of their organization; and those that it keeps. */
  readonly buckets: readonly string[];
  readonly bucketsKept: readonly string[];
}

/** Between two messages while the command waits. */
const WAIT_SHOWN_MS = 30_000;

/**
 * Erases a tenant or, without `yes`, tells what there is to erase and changes nothing. Safe to run again, also after it
 * was stopped, and beside running traffic. A tenant that does not exist is no error.
 * @throws OperatorError when the id is no GUID, the bucket of reports refuses the operator, or another call was faster
 */
export async function eraseTenant(
  guid: string,
  { yes = false }: { readonly yes?: boolean },
  eraser: Eraser,
): Promise<ErasureReport> {
  const tenantId = requireGuid(guid);
  if (!yes) {
    const tenant = await readTenant(tenantId, eraser);
    return tenant ? describe(tenant, eraser) : absent(tenantId);
  }
  const tenant = await markTenant(tenantId, eraser);
  if (!tenant) return absent(tenantId);
  const erasure = { tenant, eraser, removed: new Tally() };
  if (quietInMs(erasure) > 0) {
    await removeStored(erasure, { withRuns: false });
    await waitUntilQuiet(erasure);
  }
  while ((await removeStored(erasure, { withRuns: true })) > 0);
  await releaseBuckets(erasure);
  await removeTenant(erasure);
  return erasure.removed.report(tenant, 'erased', 'Nothing is stored of the tenant any more. This was removed now.');
}

function absent(tenantId: string): ErasureReport {
  const note = `Tenant ${tenantId} does not exist: it was erased, or never was. Nothing is stored of it.`;
  return new Tally().report({ tenantId, organizationId: null }, 'absent', note);
}

/** A tenant that is being erased. The document of a later tenant of this id has another time, or none. */
type MarkedTenant = Tenant & Required<Pick<Tenant, 'erasingSince'>>;

interface Erasure {
  readonly tenant: MarkedTenant;
  readonly eraser: Eraser;
  readonly removed: Tally;
}

/** Counts what is found, or what is removed. */
class Tally {
  readonly jobs = new Set<JobId>();
  readonly buckets: string[] = [];
  readonly bucketsKept: string[] = [];
  reportObjects = 0;
  private readonly documents: Record<string, number> = {};

  add(collectionId: string, count = 1): void {
    if (count > 0) this.documents[collectionId] = (this.documents[collectionId] ?? 0) + count;
  }

  get total(): number {
    return Object.values(this.documents).reduce((sum, count) => sum + count, 0);
  }

  report(
    { tenantId, organizationId }: Pick<ErasureReport, 'tenantId' | 'organizationId'>,
    state: ErasureReport['state'],
    note: string,
  ): ErasureReport {
    const { documents, reportObjects, buckets, bucketsKept } = this;
    return {
      tenantId,
      organizationId,
      state,
      note,
      documents,
      jobs: [...this.jobs],
      reportObjects,
      buckets,
      bucketsKept,
    };
  }
}

async function readTenant(tenantId: string, { store, deadline }: Operator): Promise<Tenant | undefined> {
  const document = await store.get(tenantPath(tenantId), deadline());
  return document && fromTenantDocument(tenantId, document.data);
}

/** Marks the tenant, unless it is marked; its first mark counts. @returns undefined when there is no such tenant */
async function markTenant(tenantId: TenantId, eraser: Eraser): Promise<MarkedTenant | undefined> {
  const { store, clock, deadline } = eraser;
  const path = tenantPath(tenantId);
  const time = deadline();
  let marked: MarkedTenant | undefined;
  const attempt = async () => {
    const document = await store.get(path, time);
    if (!document) return [];
    const tenant = fromTenantDocument(tenantId, document.data);
    const erasingSince = tenant.erasingSince ?? new Date(clock.nowMs());
    marked = { ...tenant, erasingSince };
    if (tenant.erasingSince !== undefined) return [];
    const data = { erasingSince };
    const write = { set: path, data, fields: Object.keys(data), when: document.version };
    return (await store.commit([write], time)) === 'conflict' ? [path] : [];
  };
  await retryConflicts([path], attempt, time, eraser);
  return marked;
}

/** The document of the tenant while it is still the one that was marked. */
async function findMarked({ tenant, eraser }: Erasure): Promise<StoredDocument | undefined> {
  const document = await eraser.store.get(tenantPath(tenant.tenantId), eraser.deadline());
  const since = document && fromTenantDocument(tenant.tenantId, document.data).erasingSince;
  return since?.getTime() === tenant.erasingSince.getTime() ? document : undefined;
}

function quietInMs({ tenant, eraser }: Erasure): number {
  return tenant.erasingSince.getTime() + ERASURE_QUIET_MS - eraser.clock.nowMs();
}

async function waitUntilQuiet(erasure: Erasure): Promise<void> {
  const { clock, progress } = erasure.eraser;
  for (let leftMs = quietInMs(erasure); leftMs > 0; leftMs = quietInMs(erasure)) {
    progress(
      `${erasure.removed.total} documents removed; waiting ${Math.ceil(leftMs / 1000)} s more for requests and files ` +
        'that were under way. The command may be stopped and run again.',
    );
    await clock.sleep(Math.min(leftMs, WAIT_SHOWN_MS));
  }
}

/** One pass over all that is stored. @returns how much it found: as long as that is something, another one is needed */
async function removeStored(erasure: Erasure, { withRuns }: { readonly withRuns: boolean }): Promise<number> {
  const { tenant, eraser, removed } = erasure;
  let found = await removeJobs(erasure);
  found += await removeBelow(tenantPath(tenant.tenantId), erasure);
  await visitRuns(tenant.tenantId, eraser, async ({ runId, document }) => {
    const parts = await removeBelow(document.path, erasure);
    const objects = await removeReports(runId, erasure);
    found += parts + objects;
    if (!withRuns) return;
    found += 1;
    await removePlaces([document], erasure);
  });
  eraser.progress(`${removed.total} documents and ${removed.reportObjects} report objects removed`);
  return found;
}

async function removeJobs({ tenant, eraser: { jobs }, removed }: Erasure): Promise<number> {
  const scheduled = await findJobs(tenant, jobs);
  for (const jobId of scheduled) {
    await jobs.remove(jobId);
    removed.jobs.add(jobId);
  }
  return scheduled.length;
}

async function findJobs({ tenantId }: Tenant, jobs: Eraser['jobs']): Promise<JobId[]> {
  const found = await Promise.all(
    (['daily', 'hourly'] as const).map((kind) => jobs.find(recurringJobId(kind, tenantId))),
  );
  return found.flatMap((job) => job?.jobId ?? []);
}

async function removeBelow(document: string, erasure: Erasure): Promise<number> {
  const { store, deadline, progress } = erasure.eraser;
  let found = 0;
  for await (const page of pagesBelow(store, document, deadline)) {
    await removePlaces(page, erasure);
    found += page.length;
    progress(`${erasure.removed.total} documents removed`);
  }
  return found;
}

/**
 * Removes documents that were listed while the tenant was marked, as they were listed. So nothing is lost of a later
 * tenant of this id, though another call ended the erasure meanwhile; what was written since comes with the next pass.
 */
async function removePlaces(places: readonly DocumentRef[], erasure: Erasure): Promise<void> {
  const { tenant, eraser, removed } = erasure;
  if (!(await findMarked(erasure)))
    throw new OperatorError(`Another command has ended the erasure of tenant ${tenant.tenantId}.`);
  const outcomes = await eraser.store.writeEach(
    places.map(({ path, version }) => ({ delete: path, when: version })),
    eraser.deadline(),
  );
  places.forEach(({ path }, index) => removed.add(collectionIdOf(path), outcomes[index] === 'written' ? 1 : 0));
}

async function removeReports(runId: string, { eraser, removed }: Erasure): Promise<number> {
  const { reports, config } = eraser;
  let found = 0;
  for await (const objects of reportObjectPages(runId, reports, config.reportsBucket)) {
    await inParallel(objects, ERASED_OBJECTS_AT_ONCE, ({ name }) =>
      removeReportObject(name, reports, config.reportsBucket),
    );
    found += objects.length;
    removed.reportObjects += objects.length;
  }
  return found;
}

/** The buckets of the tenant's organization, and whether no other tenant of it is left that could read them. */
async function findBuckets(
  { tenantId, organizationId }: Tenant,
  { store, deadline }: Operator,
): Promise<{ readonly isLastTenant: boolean; readonly buckets: readonly StoredDocument[] }> {
  const buckets: StoredDocument[] = [];
  for await (const page of pagesOf(store, BUCKETS, deadline)) {
    buckets.push(...page.filter(({ data }) => data.organizationId === organizationId));
  }
  if (buckets.length === 0) return { isLastTenant: false, buckets };
  for await (const page of pagesOf(store, TENANTS, deadline)) {
    const others = page
      .map(({ path, data }) => fromTenantDocument(idOf(path), data))
      .filter((other) => {
        return other.organizationId === organizationId && other.tenantId !== tenantId && !other.erasingSince;
      });
    if (others.length > 0) return { isLastTenant: false, buckets };
  }
  return { isLastTenant: true, buckets };
}

async function releaseBuckets({ tenant, eraser, removed }: Erasure): Promise<void> {
  const { isLastTenant, buckets } = await findBuckets(tenant, eraser);
  const names = buckets.map(({ data }) => data.name as string);
  if (!isLastTenant) {
    removed.bucketsKept.push(...names);
    return;
  }
  const outcomes = await eraser.store.writeEach(
    buckets.map(({ path, version }) => ({ delete: path, when: version })),
    eraser.deadline(),
  );
  removed.buckets.push(...names.filter((_, index) => outcomes[index] === 'written'));
}

/** Does nothing when another call was faster. */
async function removeTenant(erasure: Erasure): Promise<void> {
  const { store, deadline } = erasure.eraser;
  const document = await findMarked(erasure);
  if (!document) return;
  await store.commit([{ delete: document.path, when: document.version }], deadline());
  if (!(await findMarked(erasure))) erasure.removed.add(TENANTS);
  else throw new OperatorError('The settings of the tenant were changed meanwhile: run the command again.');
}

async function describe(tenant: Tenant, eraser: Eraser): Promise<ErasureReport> {
  const { store, deadline, jobs, reports, config, progress } = eraser;
  const stored = new Tally();
  stored.add(TENANTS);
  for (const jobId of await findJobs(tenant, jobs)) stored.jobs.add(jobId);
  for (const collectionId of TENANT_COLLECTIONS) {
    stored.add(collectionId, await countDocuments(`${tenantPath(tenant.tenantId)}/${collectionId}`, eraser));
  }
  await visitRuns(tenant.tenantId, eraser, async ({ runId, document }) => {
    stored.add(collectionIdOf(document.path));
    for await (const page of pagesBelow(store, document.path, deadline)) {
      for (const { path } of page) stored.add(collectionIdOf(path));
    }
    for await (const objects of reportObjectPages(runId, reports, config.reportsBucket)) {
      stored.reportObjects += objects.length;
    }
    progress(`${stored.total} documents and ${stored.reportObjects} report objects counted`);
  });
  const { isLastTenant, buckets } = await findBuckets(tenant, eraser);
  (isLastTenant ? stored.buckets : stored.bucketsKept).push(...buckets.map(({ data }) => data.name as string));
  const minutes = Math.ceil(ERASURE_QUIET_MS / 60_000);
  return tenant.erasingSince
    ? stored.report(tenant, 'beingErased', 'This is left, and nothing was changed now. --yes goes on.')
    : stored.report(
        tenant,
        'stored',
        `Nothing was changed. --yes removes all of this for good; it takes ${minutes} minutes or more.`,
      );
}
