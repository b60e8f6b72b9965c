/** What one commit of deletions changes: the records, their tombstones, and the deletions themselves. */
import type { Deadline } from '../deadline';
import type { DocumentWrite } from '../documents/document-store';
import { deletionPath, recordPath, tombstonePath } from '../documents/paths';
import type { DeletionTarget, PartTarget } from '../domain/deletion';
import type { DocumentData } from '../domain/document';
import { documentBytes } from '../domain/document';
import type { RecordId } from '../domain/identity';
import { orderRecordId, productRecordId } from '../domain/identity';
import { COMMIT_BYTES, DELETION_READ_BYTES, MAX_RECORD_BYTES } from '../domain/limits';
import type { OrderRecord } from '../domain/order';
import { removeItems } from '../domain/order';
import type { ProductRecord } from '../domain/product';
import { removeVariant } from '../domain/product';
import type { Tenant } from '../domain/tenant';
import type { RecordDependencies } from '../records/record-dependencies';
import { datedStamp, fromDocument, newStamp, toDocument } from '../records/record-documents';
import { reindex, skuEntryPaths } from '../records/sku-index';
import { bury, buriedParts, buryPart, toBuriedField, withBuriedPart } from '../records/tombstones';
import { Workspace } from '../records/workspace';
import type { PendingDeletion } from './pending-deletions';
import { InapplicableDeletion } from './set-aside';

/** What one commit applies. */
export interface PlannedDeletions {
  /** The changes, with the removal of what is applied from what is pending. */
  readonly writes: readonly DocumentWrite[];
  /** Deletions that it applies, from the first on; one at least. */
  readonly taken: number;
}

/** Plans deletions of different identities, as many as memory and a commit take. @throws InapplicableDeletion */
export async function planDeletions(
  tenant: Tenant,
  pending: readonly PendingDeletion[],
  deadline: Deadline,
  { store, random }: RecordDependencies,
): Promise<PlannedDeletions> {
  const workspace = new Workspace(store, deadline);
  const paths = pending.map((deletion) => pathsOf(tenant, deletion));
  await workspace.loadSome(paths.flat(), DELETION_READ_BYTES);
  const writes: DocumentWrite[] = [];
  let taken = 0;
  for (const deletion of pending) {
    const own = paths[taken] ?? [];
    if (taken > 0 && (workspace.changedBytes() > COMMIT_BYTES || !own.every((path) => workspace.isLoaded(path)))) break;
    await workspace.load(own);
    if (deletion.isUnreadable) throw new InapplicableDeletion('It tells no records.');
    if (deletion.kind === 'customers') await removeCustomers(workspace, tenant, deletion);
    else await changeCompound(workspace, tenant, deletion, newStamp(random));
    writes.push({ delete: deletionPath(tenant.tenantId, deletion.deletionId), when: deletion.version });
    taken += 1;
  }
  return { writes: [...workspace.toWrites(), ...writes], taken };
}

/** What applying a deletion reads, but for the index by `Sku`. */
function pathsOf({ tenantId }: Tenant, { kind, id, customers, isRetried }: PendingDeletion): string[] {
  const tombstone = tombstonePath(tenantId, id);
  if (kind !== 'customers') return [recordPath(tenantId, kind, id), tombstone];
  // A record that is keyed by what was deleted goes unread: nobody writes it before the deletion is applied.
  const read = customers.filter(({ by }) => by !== undefined || isRetried);
  return [tombstone, ...read.map((customer) => recordPath(tenantId, kind, customer.id))];
}

async function removeCustomers(workspace: Workspace, { tenantId }: Tenant, deletion: PendingDeletion): Promise<void> {
  for (const { id, by } of deletion.customers) {
    const path = recordPath(tenantId, 'customers', id);
    if (!workspace.isLoaded(path)) {
      workspace.remove(path);
      continue;
    }
    const data = workspace.get(path);
    if (!data || (by && data[by.field] !== by.identity)) continue; // it is another customer's by now
    if (!isSpared(deletion, workspace.asOf(path))) workspace.put(path, undefined);
  }
  await bury(workspace, tenantId, [deletion.id], deletion.acceptedAt);
}

async function changeCompound(
  workspace: Workspace,
  tenant: Tenant,
  { targets, isRetried }: PendingDeletion,
  stamp: string,
): Promise<void> {
  for (const { target, acceptedAt } of targets) {
    const change = { acceptedAt, stamp, isRetried };
    if (target.type === 'order' || target.type === 'orderItem') await changeOrder(workspace, tenant, target, change);
    else await changeProduct(workspace, tenant, target, change);
  }
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
