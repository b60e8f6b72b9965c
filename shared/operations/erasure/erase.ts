/**
 * Erases a tenant with everything that is stored of it. The command may be stopped at any moment and run again:
 *
 * 1. The tenant's document gets the time since when it is being erased. From then on every look-up finds no tenant:
 *    requests get 404, deletions and steps of transfers end without storing anything, other commands refuse it.
 * 2. A first pass removes what is stored. It leaves the documents of the runs, because the documents below a run are
 *    found through it. A file that is being read stores no further slice: each depends on a document that is gone.
 * 3. Requests and steps that looked the tenant up before may still write, a request for as long as its body takes to
 *    arrive. So another pass follows STALE_TENANT_MS later, and one more until a pass finds nothing.
 * 4. The buckets of the organization are released with its last tenant.
 * 5. The tenant's document is removed. Only now can its id be used again, and nothing is left of the old tenant but the
 *    entries of the audit log, which hold no personal data.
 */
import { performAct } from '../../audit/audit-log';
import { fromTenantDocument } from '../../auth/tenant-documents';
import type { StoredDocument, DocumentRef } from '../../documents/document-store';
import { pagesBelow, pagesOf } from '../../documents/pages';
import {
  BUCKETS,
  collectionIdOf,
  idOf,
  liveTransferPath,
  TENANT_COLLECTIONS,
  tenantPath,
  TENANTS,
} from '../../documents/paths';
import { ERASED_OBJECTS_AT_ONCE } from '../../limits/erasure';
import { STALE_TENANT_MS } from '../../limits/tenants';
import type { Tenant, TenantId } from '../../domain/tenant';
import type { JobId } from '../../domain/transfer';
import { RECURRING_KINDS, recurringJobId } from '../../domain/transfer';
import { inParallel } from '../../platform/async/in-parallel';
import { retryConflicts } from '../../workspace/retry-conflicts';
import type { Operator, OperatorJobs, OperatorMeans } from '../operator';
import { countDocuments } from '../count-documents';
import { OperatorError } from '../operator-error';
import type { ErasureReport } from './erasure-report';
import { ErasureTally } from './erasure-report';
import { removeReportObject, reportObjectPages, visitRuns } from './tenant-runs';
import { requireGuid } from '../tenants';
import { renameWrites } from '../tenants/names';

/** The time between two messages while the command waits. */
const WAIT_SHOWN_MS = 30_000;

export interface EraseOptions {
  /** Absent: changes nothing, and reports what would be removed. */
  readonly yes?: boolean;
  /** Begins nothing more after so long, and waits for nothing: what is left is for another call. Absent: to the end. */
  readonly stepMs?: number;
}

/**
 * Erases a tenant, or says what would be removed. A repeat is safe, also after the command was stopped, and so is a
 * call beside running traffic. A tenant that does not exist is no error.
 * @throws OperatorError when the id is no GUID, the bucket of reports refuses the operator, or another call was faster
 */
export async function eraseTenant(
  guid: string,
  { yes = false, stepMs = Infinity }: EraseOptions,
  operator: Operator,
): Promise<ErasureReport> {
  const tenantId = requireGuid(guid);
  const found = await readTenant(tenantId, operator);
  if (!found) return absent(tenantId);
  if (!yes) return describe(found, operator);
  const { organizationId } = found;
  return performAct(
    operator,
    { action: 'tenants.erase', tenantId, organizationId },
    (means) => eraseStored(tenantId, stepMs, means),
    ({ state, documents, reportObjects, jobs, buckets }) => {
      const removed = Object.values(documents).reduce((sum, count) => sum + count, 0);
      return { state, documents: removed, reportObjects, jobs, buckets };
    },
  );
}

async function eraseStored(tenantId: TenantId, stepMs: number, operator: OperatorMeans): Promise<ErasureReport> {
  const tenant = await beginErasure(tenantId, operator);
  if (!tenant) return absent(tenantId);
  const erasure = { tenant, operator, removed: new ErasureTally(), endMs: operator.clock.nowMs() + stepMs };
  if (remainingQuietMs(erasure) > 0) {
    await removeStored(erasure, { withRuns: false });
    if (stepMs !== Infinity) return unfinished(erasure);
    await waitUntilQuiet(erasure);
  }
  while ((await removeStored(erasure, { withRuns: true })) > 0) if (isOver(erasure)) return unfinished(erasure);
  await releaseBuckets(erasure);
  await removeTenant(erasure);
  return erasure.removed.report(tenant, 'erased', 'Nothing is stored of the tenant any more. This was removed now.');
}

function unfinished(erasure: Erasure): ErasureReport {
  const { tenant, removed } = erasure;
  const note = 'This was removed now. Another step goes on, once requests and files that were under way have ended.';
  return removed.report(tenant, 'beingErased', note);
}

/** Whether this call begins nothing more. */
function isOver({ endMs, operator }: Erasure): boolean {
  return operator.clock.nowMs() >= endMs;
}

function absent(tenantId: string): ErasureReport {
  const note = `Tenant ${tenantId} does not exist: it was erased, or never was. Nothing is stored of it.`;
  return new ErasureTally().report({ tenantId, organizationId: null }, 'absent', note);
}

/** A tenant that is being erased. A later tenant with the same id has another `erasingSince`, or none. */
type ErasingTenant = Tenant & Required<Pick<Tenant, 'erasingSince'>>;

interface Erasure {
  readonly tenant: ErasingTenant;
  readonly operator: OperatorMeans;
  readonly removed: ErasureTally;
  /** When this call begins nothing more. */
  readonly endMs: number;
}

async function readTenant(tenantId: string, { store, deadline }: Operator): Promise<Tenant | undefined> {
  const document = await store.get(tenantPath(tenantId), deadline());
  return document && fromTenantDocument(tenantId, document.data);
}

/** Sets `erasingSince` unless it is set: the first time counts. @returns undefined when there is no such tenant */
async function beginErasure(tenantId: TenantId, operator: OperatorMeans): Promise<ErasingTenant | undefined> {
  const { store, clock, deadline } = operator;
  const path = tenantPath(tenantId);
  const time = deadline();
  let erasing: ErasingTenant | undefined;
  const attempt = async () => {
    const document = await store.get(path, time);
    if (!document) return [];
    const tenant = fromTenantDocument(tenantId, document.data);
    const erasingSince = tenant.erasingSince ?? new Date(clock.nowMs());
    erasing = { ...tenant, erasingSince };
    if (tenant.erasingSince !== undefined) return [];
    const data = { erasingSince };
    const write = { set: path, data, fields: Object.keys(data), when: document.version };
    return (await store.commit([write], time)) === 'conflict' ? [path] : [];
  };
  await retryConflicts([path], attempt, time, operator);
  return erasing;
}

/** The tenant's document; undefined when the erasure was ended meanwhile, even if the id has a new tenant. */
async function findErasingTenant({ tenant, operator }: Erasure): Promise<StoredDocument | undefined> {
  const document = await operator.store.get(tenantPath(tenant.tenantId), operator.deadline());
  const since = document && fromTenantDocument(tenant.tenantId, document.data).erasingSince;
  return since?.getTime() === tenant.erasingSince.getTime() ? document : undefined;
}

/** The time until no write of an earlier request or step can follow. */
function remainingQuietMs({ tenant, operator }: Erasure): number {
  return tenant.erasingSince.getTime() + STALE_TENANT_MS - operator.clock.nowMs();
}

async function waitUntilQuiet(erasure: Erasure): Promise<void> {
  const { clock, progress } = erasure.operator;
  for (let waitMs = remainingQuietMs(erasure); waitMs > 0; waitMs = remainingQuietMs(erasure)) {
    progress(
      `${erasure.removed.total} documents removed; waiting ${Math.ceil(waitMs / 1000)} s more for requests and files ` +
        'that were under way. The command may be stopped and run again.',
    );
    await clock.sleep(Math.min(waitMs, WAIT_SHOWN_MS));
  }
}

/**
 * Makes one pass over everything that is stored, as far as the time of the call reaches.
 * @returns how much it found; unless it is 0, another pass is needed
 */
async function removeStored(erasure: Erasure, { withRuns }: { readonly withRuns: boolean }): Promise<number> {
  const { tenant, operator, removed } = erasure;
  let found = (await removeJobs(erasure)) + (await removeLiveTransfer(erasure));
  found += await removeBelow(tenantPath(tenant.tenantId), erasure);
  await visitRuns(tenant.tenantId, operator, async ({ runId, document }) => {
    if (withRuns) found += 1;
    if (isOver(erasure)) return;
    const parts = await removeBelow(document.path, erasure);
    const objects = await removeReports(runId, erasure);
    found += parts + objects;
    if (!withRuns || isOver(erasure)) return;
    await removeDocuments([document], erasure);
  });
  operator.progress(`${removed.total} documents and ${removed.reportObjects} report objects removed`);
  return found;
}

async function removeJobs({ tenant, operator: { jobs }, removed }: Erasure): Promise<number> {
  const scheduled = await findJobs(tenant, jobs);
  for (const jobId of scheduled) {
    await jobs.remove(jobId);
    removed.jobs.add(jobId);
  }
  return scheduled.length;
}

async function findJobs({ tenantId }: Tenant, jobs: Pick<OperatorJobs, 'find'>): Promise<JobId[]> {
  const found = await Promise.all(RECURRING_KINDS.map((kind) => jobs.find(recurringJobId(kind, tenantId))));
  return found.flatMap((job) => job?.jobId ?? []);
}

async function removeLiveTransfer(erasure: Erasure): Promise<number> {
  const live = await findLiveTransfer(erasure.tenant, erasure.operator);
  await removeDocuments(live, erasure);
  return live.length;
}

function findLiveTransfer(
  { tenantId }: Tenant,
  { store, deadline }: Pick<Operator, 'store' | 'deadline'>,
): Promise<StoredDocument[]> {
  return store.getAll([liveTransferPath(tenantId)], deadline());
}

async function removeBelow(document: string, erasure: Erasure): Promise<number> {
  const { store, deadline, progress } = erasure.operator;
  let found = 0;
  for await (const page of pagesBelow(store, document, deadline)) {
    await removeDocuments(page, erasure);
    found += page.length;
    progress(`${erasure.removed.total} documents removed`);
    if (isOver(erasure)) break;
  }
  return found;
}

/**
 * Removes documents in the versions in which they were listed. This protects a later tenant with the same id, in case
 * another call has ended the erasure meanwhile. The next pass finds documents that were written since.
 */
async function removeDocuments(documents: readonly DocumentRef[], erasure: Erasure): Promise<void> {
  const { tenant, operator, removed } = erasure;
  if (!(await findErasingTenant(erasure)))
    throw new OperatorError(`Another command has ended the erasure of tenant ${tenant.tenantId}.`);
  const outcomes = await operator.store.writeEach(
    documents.map(({ path, version }) => ({ delete: path, when: version })),
    operator.deadline(),
  );
  documents.forEach(({ path }, index) => removed.add(collectionIdOf(path), outcomes[index] === 'written' ? 1 : 0));
}

async function removeReports(runId: string, { operator, removed }: Erasure): Promise<number> {
  const { storage, config } = operator;
  let found = 0;
  for await (const objects of reportObjectPages(runId, storage, config.reportsBucket)) {
    await inParallel(objects, ERASED_OBJECTS_AT_ONCE, ({ name }) =>
      removeReportObject(name, storage, config.reportsBucket),
    );
    found += objects.length;
    removed.reportObjects += objects.length;
  }
  return found;
}

/** The buckets of the tenant's organization, and whether it has no other tenant that could read them. */
async function findBuckets(
  { tenantId, organizationId }: Tenant,
  { store, deadline }: Pick<Operator, 'store' | 'deadline'>,
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

async function releaseBuckets({ tenant, operator, removed }: Erasure): Promise<void> {
  const { isLastTenant, buckets } = await findBuckets(tenant, operator);
  const names = buckets.map(({ data }) => data.name as string);
  if (!isLastTenant) {
    removed.bucketsKept.push(...names);
    return;
  }
  const outcomes = await operator.store.writeEach(
    buckets.map(({ path, version }) => ({ delete: path, when: version })),
    operator.deadline(),
  );
  removed.buckets.push(...names.filter((_, index) => outcomes[index] === 'written'));
}

/** Removes the tenant's document. Does nothing when another call was faster. */
async function removeTenant(erasure: Erasure): Promise<void> {
  const { store, deadline } = erasure.operator;
  const document = await findErasingTenant(erasure);
  if (!document) return;
  const named = fromTenantDocument(erasure.tenant.tenantId, document.data);
  const writes = [...renameWrites(named, undefined), { delete: document.path, when: document.version }];
  await store.commit(writes, deadline());
  if (!(await findErasingTenant(erasure))) erasure.removed.add(TENANTS);
  else throw new OperatorError('The settings of the tenant were changed meanwhile: run the command again.');
}

async function describe(tenant: Tenant, operator: Operator): Promise<ErasureReport> {
  const { store, deadline, jobs, storage, config, progress } = operator;
  const stored = new ErasureTally();
  stored.add(TENANTS);
  for (const jobId of await findJobs(tenant, jobs)) stored.jobs.add(jobId);
  for (const { path } of await findLiveTransfer(tenant, operator)) stored.add(collectionIdOf(path));
  for (const collectionId of TENANT_COLLECTIONS) {
    stored.add(collectionId, await countDocuments(`${tenantPath(tenant.tenantId)}/${collectionId}`, operator));
  }
  await visitRuns(tenant.tenantId, operator, async ({ runId, document }) => {
    stored.add(collectionIdOf(document.path));
    for await (const page of pagesBelow(store, document.path, deadline)) {
      for (const { path } of page) stored.add(collectionIdOf(path));
    }
    for await (const objects of reportObjectPages(runId, storage, config.reportsBucket)) {
      stored.reportObjects += objects.length;
    }
    progress(`${stored.total} documents and ${stored.reportObjects} report objects counted`);
  });
  const { isLastTenant, buckets } = await findBuckets(tenant, operator);
  (isLastTenant ? stored.buckets : stored.bucketsKept).push(...buckets.map(({ data }) => data.name as string));
  const minutes = Math.ceil(STALE_TENANT_MS / 60_000);
  return tenant.erasingSince
    ? stored.report(tenant, 'beingErased', 'This is left, and nothing was changed now. --yes goes on.')
    : stored.report(
        tenant,
        'stored',
        `Nothing was changed. --yes removes all of this for good; it takes ${minutes} minutes or more.`,
      );
}
