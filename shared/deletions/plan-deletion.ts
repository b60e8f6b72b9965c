/** What one commit of deletions changes: the records, their tombstones, and the deletions themselves. */
import type { Deadline } from '../deadline';
import type { DocumentWrite } from '../documents/document-store';
import { deletionPath, idOf, recordPath, tombstonePath } from '../documents/paths';
import type { DeletionTarget, PartTarget } from '../domain/deletion';
import type { DocumentData } from '../domain/document';
import { documentBytes } from '../domain/document';
import type { RecordId } from '../domain/identity';
import { orderRecordId, productRecordId } from '../domain/identity';
import { COMMIT_BYTES, DELETION_READ_BYTES, MAX_RECORD_BYTES } from '../domain/limits';
import type { OrderRecord } from '../domain/order';
import type { ProductRecord } from '../domain/product';
import { removeParts } from '../domain/removed-parts';
import type { Tenant } from '../domain/tenant';
import { EventLoopShare } from '../event-loop-share';
import type { RecordDependencies } from '../records/record-dependencies';
import { datedStamp, fromDocument, newStamp, toDocument } from '../records/record-documents';
import { reindex, skuEntryPaths } from '../records/sku-index';
import { bury, buriedParts, buryParts, toBuriedField, withBuriedParts } from '../records/tombstones';
import { Workspace } from '../records/workspace';
import type { PendingDeletion, TimedTarget } from './pending-deletions';
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
  const share = new EventLoopShare();
  for (const deletion of pending) {
    if (share.isUsedUp) await share.renew();
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
    if (!isSpared(deletion, path, workspace)) workspace.put(path, undefined);
  }
  await bury(workspace, tenantId, [deletion.id], deletion.acceptedAt);
}

async function changeCompound(
  workspace: Workspace,
  tenant: Tenant,
  { targets, isRetried, restoredAt }: PendingDeletion,
  stamp: string,
): Promise<void> {
  for (const together of togetherInOrder(targets)) {
    const [{ target, acceptedAt }] = together;
    const change = { acceptedAt, stamp, isRetried, ...(restoredAt && { restoredAt }) };
    if (target.type === 'order' || target.type === 'product') await removeRecord(workspace, tenant, target, change);
    else await removeStoredParts(workspace, tenant, [target, ...together.slice(1).flatMap(toPart)], change);
  }
}

/**
 * Deletions of one record in their order; those of parts that follow each other and were accepted at one time, as a
 * batch is, together: a record of a megabyte is then looked through once for all of them.
 */
function togetherInOrder(targets: readonly TimedTarget[]): [TimedTarget, ...TimedTarget[]][] {
  const runs: [TimedTarget, ...TimedTarget[]][] = [];
  for (const target of targets) {
    const last = runs.at(-1);
    const isOfBatch = last?.[0].acceptedAt.getTime() === target.acceptedAt.getTime();
    if (isOfBatch && [last[0], target].every((each) => toPart(each).length > 0)) last.push(target);
    else runs.push([target]);
  }
  return runs;
}

/** The part that a deletion removes; none where it removes something else. */
function toPart({ target }: TimedTarget): PartTarget[] {
  return target.type === 'variant' || target.type === 'orderItem' ? [target] : [];
}

/** The record that a deletion of an order, a product or a part of one changes. */
function recordPathOf(target: RecordTarget | PartTarget, { tenantId }: Tenant): string {
  return 'orderId' in target
    ? recordPath(tenantId, 'orders', orderRecordId(target.orderId))
    : recordPath(tenantId, 'products', productRecordId(target.productId));
}

/** A whole product or order. */
export type RecordTarget = Extract<DeletionTarget, { type: 'product' | 'order' }>;

/** What changes a record beside its content. */
export interface Change {
  readonly acceptedAt: Date;
  readonly stamp: string;
  /** See `PendingDeletion`. */
  readonly isRetried?: boolean;
  /** See `PendingDeletion`. */
  readonly restoredAt?: Date;
}

/**
 * Whether a record is left alone: upserts did not wait for a deletion that was set aside, and what they wrote meanwhile
 * stays (D-41). What came with a restore from before the deletion is older than it, whatever times the restore gave it.
 */
function isSpared(
  { isRetried, acceptedAt, restoredAt }: Omit<Change, 'stamp'>,
  path: string,
  workspace: Workspace,
): boolean {
  if (isRetried !== true) return false;
  const [asOf, writtenAt] = [workspace.asOf(path), workspace.writtenAt(path)];
  const isRestored = restoredAt && writtenAt && writtenAt <= restoredAt;
  return !isRestored && asOf !== undefined && asOf > acceptedAt;
}

/** Notes in the workspace that a product or an order is gone, and what becomes of the index by `Sku`. */
export async function removeRecord(
  workspace: Workspace,
  tenant: Tenant,
  target: RecordTarget,
  change: Change,
): Promise<void> {
  const path = recordPathOf(target, tenant);
  const id = idOf(path) as RecordId;
  await workspace.load([path]);
  if (isSpared(change, path, workspace)) return;
  const data = workspace.get(path);
  workspace.put(path, undefined);
  await bury(workspace, tenant.tenantId, [id], change.acceptedAt);
  if (data && target.type === 'product') {
    await reindexProduct(workspace, tenant, id, fromDocument<ProductRecord>(data), undefined, change);
  }
}

/**
 * Notes in the workspace what deletions of parts of one record make of it, in their order, and of the index by `Sku`.
 * All were accepted at one time.
 */
export async function removeStoredParts(
  workspace: Workspace,
  tenant: Tenant,
  targets: readonly [PartTarget, ...PartTarget[]],
  change: Change,
): Promise<void> {
  const path = recordPathOf(targets[0], tenant);
  const id = idOf(path) as RecordId;
  await workspace.load([path]);
  if (isSpared(change, path, workspace)) return;
  const data = workspace.get(path);
  if (!data) return buryParts(workspace, tenant.tenantId, id, targets, change.acceptedAt);
  const before = fromDocument<ProductRecord | OrderRecord>(data);
  const { record, isFound } = removeParts(before, targets, tenant.productIdentifier);
  if (record !== before) workspace.put(path, toChanged(workspace, path, record, change));
  // What was not found before a part was is forgotten with it: the record is as new as the deletion.
  const missed = targets.slice(isFound.lastIndexOf(true) + 1);
  if (missed.length > 0) workspace.put(path, toBurying(workspace, path, missed, change));
  if (record !== before && 'ProductVariants' in before) {
    await reindexProduct(workspace, tenant, id, before, record as ProductRecord, change);
  }
}

/**
 * A record that does not hold deleted parts: as old as it was, it remembers the deletions for the rows of older files.
 * One that has no room for them becomes as new as the deletions instead.
 */
function toBurying(workspace: Workspace, path: string, targets: readonly PartTarget[], change: Change): DocumentData {
  const data = workspace.get(path) ?? {};
  const buried = withBuriedParts(buriedParts(data), targets, change.acceptedAt);
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
