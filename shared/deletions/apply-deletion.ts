/** Applies accepted deletions: each in one commit with its own removal from the log, so that it happens once. */
import type { Deadline } from '../deadline';
import type { DocumentStore, DocumentWrite, StoredDocument } from '../documents/document-store';
import { versionTime } from '../documents/document-store';
import { recordPath } from '../documents/paths';
import type { CustomerRecord } from '../domain/customer';
import type { CustomerLookup, DeletionTarget, PartTarget } from '../domain/deletion';
import { customerLookups, DELETION_KIND } from '../domain/deletion';
import type { RecordId, RecordKind } from '../domain/identity';
import { customerIdentities, keyIdentity, orderRecordId, productRecordId } from '../domain/identity';
import type { DocumentData } from '../domain/document';
import { documentBytes } from '../domain/document';
import { DELETION_STEP_RECORDS, DELETIONS_AT_ONCE, DELETIONS_IN_COMMIT, MAX_RECORD_BYTES } from '../domain/limits';
import { inParallel } from '../in-parallel';
import type { OrderRecord } from '../domain/order';
import { removeItems } from '../domain/order';
import type { ProductRecord } from '../domain/product';
import { removeVariant } from '../domain/product';
import type { Tenant } from '../domain/tenant';
import { lookUpCustomers } from '../records/customer-lookup';
import type { RecordDependencies } from '../records/record-dependencies';
import { datedStamp, fromDocument, newStamp, toDocument } from '../records/record-documents';
import { settle } from '../records/settle';
import { reindex, skuEntryPaths } from '../records/sku-index';
import { bury, buriedParts, buryPart, toBuriedField, withBuriedPart } from '../records/tombstones';
import { Workspace } from '../records/workspace';
import type { LoggedDeletion } from './deletion-log';
import {
  findPendingDeletions,
  findRaisedMark,
  inOrderOfAcceptance,
  listPendingDeletions,
  lowerMark,
  toApplied,
  toHalfApplied,
} from './deletion-log';

/**
 * Applies all pending deletions that can touch records of this kind. Called before records of the kind are written.
 * Repeating it is safe: what it has applied is no longer pending.
 * @param found the deletion mark of this kind, if the caller has begun to read it; omitted: it is read here
 * @throws ContentionTimeout
 */
export async function applyPendingDeletions(
  tenant: Tenant,
  kind: RecordKind,
  deadline: Deadline,
  dependencies: RecordDependencies,
  found = findRaisedMark(tenant.tenantId, kind, dependencies.store, deadline),
): Promise<void> {
  const { store } = dependencies;
  const mark = await found;
  if (!mark) return;
  const pending = await listPendingDeletions(tenant.tenantId, store, deadline);
  // The log is listed page by page: of what was accepted after the mark was read, only a part may be there.
  const acceptedBy = versionTime(mark.version);
  const touching = pending.filter(
    ({ target, acceptedAt }) => DELETION_KIND[target.type] === kind && acceptedAt <= acceptedBy,
  );
  const groups = toGroups(touching, tenant).values();
  await inParallel(groups, DELETIONS_AT_ONCE, (deletions) => applyInOrder(tenant, deletions, deadline, dependencies));
  await lowerMark(mark, store, deadline);
}

/**
 * Deletions whose order matters belong together: those of one record, and all of customers, because what a deletion
 * with two identifiers means depends on whom the deletions before it left (D-43).
 */
function toGroups(deletions: readonly LoggedDeletion[], tenant: Tenant): Map<string, LoggedDeletion[]> {
  const groups = new Map<string, LoggedDeletion[]>();
  for (const deletion of inOrderOfAcceptance(deletions)) {
    const { target } = deletion;
    const key = target.type === 'customer' ? 'customers' : recordPathOf(target, tenant);
    const group = groups.get(key) ?? [];
    group.push(deletion);
    groups.set(key, group);
  }
  return groups;
}

/**
 * Applies a deletion and all that are pending for records of its kind: what was accepted before it has to be applied
 * before it. One that is not in the log has been applied: nothing happens. @throws ContentionTimeout
 */
export async function applyDeletion(
  tenant: Tenant,
  deletionId: string,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  const [pending] = await findPendingDeletions(tenant.tenantId, [deletionId], dependencies.store, deadline);
  if (pending) await applyPendingDeletions(tenant, DELETION_KIND[pending.target.type], deadline, dependencies);
}

/**
 * Applies deletions in their order, as many in one commit as it takes. They are read again only where a commit left
 * some.
 */
async function applyInOrder(
  tenant: Tenant,
  deletions: readonly LoggedDeletion[],
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  const { store } = dependencies;
  for (let start = 0; start < deletions.length; start += DELETIONS_IN_COMMIT) {
    let pending = deletions.slice(start, start + DELETIONS_IN_COMMIT);
    const ids = pending.map(({ deletionId }) => deletionId);
    let isCurrent = true;
    await settle(
      [ids],
      async (open) => {
        if (!isCurrent) pending = await findPendingDeletions(tenant.tenantId, ids, store, deadline);
        isCurrent = false;
        if (pending.length === 0) return [];
        const { writes, isLast } = await planStep(tenant, pending, deadline, dependencies);
        const outcome = await store.commit(writes, deadline);
        return outcome !== 'conflict' && isLast ? [] : open;
      },
      deadline,
      dependencies,
    );
  }
}

/** What one commit does; nearly always the only one of its deletions. */
interface Step {
  readonly writes: readonly DocumentWrite[];
  readonly isLast: boolean;
}

/** @param deletions of one group, in their order */
async function planStep(
  tenant: Tenant,
  deletions: readonly LoggedDeletion[],
  deadline: Deadline,
  { store, random, clock }: RecordDependencies,
): Promise<Step> {
  const workspace = new Workspace(store, deadline);
  const matches = await findMatches(deletions, tenant, store, deadline);
  const applied: LoggedDeletion[] = [];
  let half: LoggedDeletion | undefined;
  for (const deletion of deletions) {
    const { target, acceptedAt } = deletion;
    if (target.type === 'customer') {
      if (applied.length > 0 && !hasRoom(workspace, matches.get(deletion) ?? [])) break;
      half = await removeCustomers(workspace, tenant, deletion, matches.get(deletion) ?? []);
      if (half) break;
    } else {
      const change = { acceptedAt, stamp: newStamp(random) };
      if (target.type === 'order' || target.type === 'orderItem') await changeOrder(workspace, tenant, target, change);
      else await changeProduct(workspace, tenant, target, change);
    }
    applied.push(deletion);
  }
  const now = new Date(clock.nowMs());
  const done = applied.flatMap((deletion) => toApplied(tenant.tenantId, deletion, now));
  const isLast = applied.length === deletions.length;
  return {
    writes: [...workspace.toWrites(), ...done, ...(half ? [toHalfApplied(tenant.tenantId, half)] : [])],
    isLast,
  };
}

/** The record that a deletion of an order, a product or a part of one changes. */
function recordPathOf(target: OrderTarget | ProductTarget, { tenantId }: Tenant): string {
  return 'orderId' in target
    ? recordPath(tenantId, 'orders', orderRecordId(target.orderId))
    : recordPath(tenantId, 'products', productRecordId(target.productId));
}

type ProductTarget = Extract<DeletionTarget, { type: 'product' | 'variant' }>;
type OrderTarget = Extract<DeletionTarget, { type: 'order' | 'orderItem' }>;

/** What changes a record beside its content. */
interface Change {
  readonly acceptedAt: Date;
  readonly stamp: string;
}

/**
 * The stored customers that an identifier of a deletion matches: one more than a step removes tells that there are
 * more.
 */
interface Match {
  readonly lookup: CustomerLookup;
  readonly found: readonly StoredDocument[];
}

/** What each deletion of customers matches, by its identifiers in their order of priority. */
async function findMatches(
  deletions: readonly LoggedDeletion[],
  tenant: Tenant,
  store: DocumentStore,
  deadline: Deadline,
): Promise<ReadonlyMap<LoggedDeletion, readonly Match[]>> {
  const matches = new Map<LoggedDeletion, readonly Match[]>();
  await inParallel(deletions, DELETIONS_AT_ONCE, async (deletion) => {
    const { target, matchedBy } = deletion;
    if (target.type !== 'customer') return;
    const lookups = customerLookups(target, tenant.customerIdentifier).filter(
      ({ by }) => matchedBy === undefined || by === matchedBy,
    );
    const found = lookups.map(async (lookup) => ({
      lookup,
      found: await lookUpCustomers(tenant.tenantId, lookup, DELETION_STEP_RECORDS + 1, store, deadline),
    }));
    matches.set(deletion, await Promise.all(found));
  });
  return matches;
}

/** Whether a step that removes customers already can remove these, too. */
function hasRoom(workspace: Workspace, matches: readonly Match[]): boolean {
  const most = Math.max(0, ...matches.map(({ found }) => found.length));
  return workspace.changedPaths().length + most <= DELETION_STEP_RECORDS;
}

/** Removes the customers that a deletion matches, or as many as one step takes: then the deletion as it goes on. */
async function removeCustomers(
  workspace: Workspace,
  tenant: Tenant,
  deletion: LoggedDeletion,
  matches: readonly Match[],
): Promise<LoggedDeletion | undefined> {
  workspace.adopt(matches.flatMap(({ found }) => found));
  const left = matches.map(({ lookup, found }) => ({
    lookup,
    found: found.filter(({ path }) => workspace.get(path) !== undefined), // not removed by a deletion before this one
  }));
  const match = left.find(({ found }) => found.length > 0);
  const counted = match ? [match] : left; // where nothing matches, every identifier of the deletion counts
  const found = match?.found ?? [];
  const removed = found.slice(0, DELETION_STEP_RECORDS);
  for (const { path } of removed) workspace.put(path, undefined);
  const identities = counted.flatMap(({ lookup: { by, value } }) =>
    customerIdentities(by === 'email' ? { Email: value } : { CustomerId: value }),
  );
  const keys = removed.flatMap(({ data }) =>
    keyIdentity(fromDocument<CustomerRecord>(data), tenant.customerIdentifier),
  );
  await bury(workspace, tenant.tenantId, [...keys, ...identities], deletion.acceptedAt);
  if (!match || found.length <= DELETION_STEP_RECORDS) return undefined;
  // Once some are removed, the identifier that found them must stay the one that counts (D-43).
  return { ...deletion, matchedBy: match.lookup.by };
}

async function changeOrder(workspace: Workspace, tenant: Tenant, target: OrderTarget, change: Change): Promise<void> {
  const id = orderRecordId(target.orderId);
  const path = recordPath(tenant.tenantId, 'orders', id);
  await workspace.load([path]);
  if (target.type === 'order') {
    workspace.put(path, undefined);
    await bury(workspace, tenant.tenantId, [id], change.acceptedAt);
    return;
  }
  const data = workspace.get(path);
  if (!data) return buryPart(workspace, tenant.tenantId, id, target, change.acceptedAt);
  const after = removeItems(fromDocument<OrderRecord>(data), target, tenant.productIdentifier);
  workspace.put(path, after ? toChanged(workspace, path, after, change) : toBurying(workspace, path, target, change));
}

async function changeProduct(
  workspace: Workspace,
  tenant: Tenant,
  target: ProductTarget,
  change: Change,
): Promise<void> {
  const id = productRecordId(target.productId);
  const path = recordPath(tenant.tenantId, 'products', id);
  await workspace.load([path]);
  const data = workspace.get(path);
  const before = data && fromDocument<ProductRecord>(data);
  if (target.type === 'product') {
    workspace.put(path, undefined);
    await bury(workspace, tenant.tenantId, [id], change.acceptedAt);
    if (before) await reindexProduct(workspace, tenant, id, before, undefined, change);
    return;
  }
  if (!before) return buryPart(workspace, tenant.tenantId, id, target, change.acceptedAt);
  const after = removeVariant(before, target.variantId);
  workspace.put(path, after ? toChanged(workspace, path, after, change) : toBurying(workspace, path, target, change));
  if (after) await reindexProduct(workspace, tenant, id, before, after, change);
}

/**
 * A record that does not hold a deleted part: as old as it was, it remembers the deletion for the rows of older files.
 * One that has no room for it becomes as new as the deletion instead.
 */
function toBurying(workspace: Workspace, path: string, target: PartTarget, change: Change): DocumentData {
  const data = workspace.get(path) ?? {};
  const buried = withBuriedPart(buriedParts(data), target, change.acceptedAt);
  const burying = { ...data, stamp: datedStamp(change.stamp, workspace.asOf(path)), ...toBuriedField(buried) };
  return documentBytes(burying) <= MAX_RECORD_BYTES ? burying : toChanged(workspace, path, fromDocument(data), change);
}

/**
 * A record of which a part was removed: as new as the deletion, so that an older file does not bring the part back.
 * What was deleted later, but applied before, as clocks of instances differ, is still remembered.
 */
function toChanged(workspace: Workspace, path: string, record: object, { acceptedAt, stamp }: Change): DocumentData {
  const before = workspace.asOf(path);
  const asOf = before && before > acceptedAt ? before : acceptedAt;
  const laterParts = buriedParts(workspace.get(path)).filter(({ deletedAt }) => deletedAt > asOf);
  return { ...toDocument(record, datedStamp(stamp, asOf)), ...toBuriedField(laterParts) };
}

async function reindexProduct(
  workspace: Workspace,
  tenant: Tenant,
  id: RecordId,
  before: ProductRecord,
  after: ProductRecord | undefined,
  { acceptedAt }: Change,
): Promise<void> {
  if (tenant.productIdentifier !== 'sku') return;
  await workspace.load(skuEntryPaths(tenant.tenantId, [before]));
  reindex(workspace, tenant.tenantId, id, before, after, acceptedAt);
}
