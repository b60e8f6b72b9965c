/** What one commit of deletions changes: the records, their tombstones, and the deletions themselves. */
import type { Deadline } from '../deadline';
import type { DocumentStore, DocumentWrite, StoredDocument } from '../documents/document-store';
import { recordPath } from '../documents/paths';
import type { CustomerRecord } from '../domain/customer';
import type { CustomerLookup, DeletionTarget, PartTarget } from '../domain/deletion';
import { customerLookups } from '../domain/deletion';
import type { DocumentData } from '../domain/document';
import { documentBytes } from '../domain/document';
import type { RecordId } from '../domain/identity';
import { customerIdentities, keyIdentity, orderRecordId, productRecordId } from '../domain/identity';
import { DELETION_STEP_RECORDS, DELETIONS_AT_ONCE, MAX_RECORD_BYTES } from '../domain/limits';
import type { OrderRecord } from '../domain/order';
import { removeItems } from '../domain/order';
import type { ProductRecord } from '../domain/product';
import { removeVariant } from '../domain/product';
import type { Tenant } from '../domain/tenant';
import { inParallel } from '../in-parallel';
import { lookUpCustomers } from '../records/customer-lookup';
import type { RecordDependencies } from '../records/record-dependencies';
import { datedStamp, fromDocument, newStamp, toDocument } from '../records/record-documents';
import { reindex, skuEntryPaths } from '../records/sku-index';
import { bury, buriedParts, buryPart, toBuriedField, withBuriedPart } from '../records/tombstones';
import { Workspace } from '../records/workspace';
import type { LoggedDeletion } from './deletion-log';
import { toHalfApplied, toRemoved } from './deletion-log';
import { InapplicableDeletion } from './set-aside';

/** What one commit does; nearly always the only one of its deletions. */
export interface Step {
  readonly writes: readonly DocumentWrite[];
  readonly isLast: boolean;
}

/**
 * Plans as many deletions as one commit takes.
 * @param deletions of one group, in their order
 * @throws InapplicableDeletion
 */
export async function planStep(
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
    const { target } = deletion;
    if (!target) throw new InapplicableDeletion('Its entry tells no records.');
    if (target.type === 'customer') {
      if (applied.length > 0 && !hasRoom(workspace, matches.get(deletion) ?? [])) break;
      half = await removeCustomers(workspace, tenant, deletion, matches.get(deletion) ?? []);
      if (half) break;
    } else {
      const change = { ...deletion, stamp: newStamp(random) };
      if (target.type === 'order' || target.type === 'orderItem') await changeOrder(workspace, tenant, target, change);
      else await changeProduct(workspace, tenant, target, change);
    }
    applied.push(deletion);
  }
  const now = new Date(clock.nowMs());
  const done = applied.flatMap((deletion) => toRemoved(tenant.tenantId, deletion, now));
  const isLast = applied.length === deletions.length;
  return {
    writes: [...workspace.toWrites(), ...done, ...(half ? [toHalfApplied(tenant.tenantId, half)] : [])],
    isLast,
  };
}

/** The record that a deletion of an order, a product or a part of one changes. */
export function recordPathOf(target: OrderTarget | ProductTarget, { tenantId }: Tenant): string {
  return 'orderId' in target
    ? recordPath(tenantId, 'orders', orderRecordId(target.orderId))
    : recordPath(tenantId, 'products', productRecordId(target.productId));
}

export type ProductTarget = Extract<DeletionTarget, { type: 'product' | 'variant' }>;
export type OrderTarget = Extract<DeletionTarget, { type: 'order' | 'orderItem' }>;

/** What changes a record beside its content. */
export interface Change {
  readonly acceptedAt: Date;
  readonly stamp: string;
  /** See `LoggedDeletion`. */
  readonly isRetried?: boolean;
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
    if (target?.type !== 'customer') return;
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
  const removed = found.slice(0, DELETION_STEP_RECORDS).filter(({ path }) => !isSpared(deletion, workspace.asOf(path)));
  const isMore = found.length > DELETION_STEP_RECORDS;
  if (isMore && removed.length === 0) {
    throw new InapplicableDeletion('Too many of the customers that it matches were written since it was accepted.');
  }
  for (const { path } of removed) workspace.put(path, undefined);
  const identities = counted.flatMap(({ lookup: { by, value } }) =>
    customerIdentities(by === 'email' ? { Email: value } : { CustomerId: value }),
  );
  const keys = removed.flatMap(({ data }) =>
    keyIdentity(fromDocument<CustomerRecord>(data), tenant.customerIdentifier),
  );
  await bury(workspace, tenant.tenantId, [...keys, ...identities], deletion.acceptedAt);
  if (!match || !isMore) return undefined;
  // Once some are removed, the identifier that found them must stay the one that counts (D-43).
  return { ...deletion, matchedBy: match.lookup.by };
}

/**
 * Whether a record is left alone: upserts did not wait for a deletion that was set aside, and what they wrote meanwhile
 * stays (D-41).
 */
function isSpared({ isRetried, acceptedAt }: Omit<Change, 'stamp'>, asOf: Date | undefined): boolean {
  return isRetried === true && asOf !== undefined && asOf > acceptedAt;
}

/** Notes in the workspace what a deletion makes of an order. */
export async function changeOrder(
  workspace: Workspace,
  tenant: Tenant,
  target: OrderTarget,
  change: Change,
): Promise<void> {
  const id = orderRecordId(target.orderId);
  const path = recordPath(tenant.tenantId, 'orders', id);
  await workspace.load([path]);
  if (isSpared(change, workspace.asOf(path))) return;
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

/** Notes in the workspace what a deletion makes of a product, and of the index by `Sku`. */
export async function changeProduct(
  workspace: Workspace,
  tenant: Tenant,
  target: ProductTarget,
  change: Change,
): Promise<void> {
  const id = productRecordId(target.productId);
  const path = recordPath(tenant.tenantId, 'products', id);
  await workspace.load([path]);
  if (isSpared(change, workspace.asOf(path))) return;
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
