/** What one commit of deletions changes: the records, their tombstones, and the deletions themselves. */
import { chunksOf } from '../chunks';
import type { Deadline } from '../deadline';
import type { DocumentStore, DocumentWrite, StoredDocument } from '../documents/document-store';
import { idOf, recordPath } from '../documents/paths';
import type { CustomerRecord } from '../domain/customer';
import type { CustomerLookup, DeletionTarget, PartTarget } from '../domain/deletion';
import { customerLookups } from '../domain/deletion';
import type { DocumentData } from '../domain/document';
import { documentBytes } from '../domain/document';
import type { RecordId } from '../domain/identity';
import { customerIdentities, keyIdentity, orderRecordId, productRecordId } from '../domain/identity';
import { DELETION_SHARED_RECORDS, DELETION_STEP_RECORDS, DELETIONS_AT_ONCE, MAX_RECORD_BYTES } from '../domain/limits';
import type { OrderRecord } from '../domain/order';
import type { ProductRecord } from '../domain/product';
import { removeParts } from '../domain/removed-parts';
import type { Tenant } from '../domain/tenant';
import { EventLoopShare } from '../event-loop-share';
import { allOver } from '../in-parallel';
import { lookUpCustomers } from '../records/customer-lookup';
import type { RecordDependencies } from '../records/record-dependencies';
import { datedStamp, fromDocument, newStamp, toDocument } from '../records/record-documents';
import { reindex, skuEntryPaths } from '../records/sku-index';
import { bury, buriedParts, buryParts, toBuriedField, withBuriedParts } from '../records/tombstones';
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
  const applied: LoggedDeletion[] = [];
  let half: LoggedDeletion | undefined;
  const share = new EventLoopShare();
  for await (const { together, matches } of withMatches(togetherInOrder(deletions, tenant), tenant, store, deadline)) {
    if (share.isUsedUp) await share.renew();
    const [deletion] = together;
    const { target } = deletion;
    if (!target) throw new InapplicableDeletion('Its entry tells no records.');
    if (target.type === 'customer') {
      if (applied.length > 0 && !hasRoom(workspace, matches)) break;
      half = await removeCustomers(workspace, tenant, deletion, matches);
      if (half) break;
    } else {
      const change = { ...deletion, stamp: newStamp(random) };
      if (target.type === 'order' || target.type === 'product') await removeRecord(workspace, tenant, target, change);
      else await removeStoredParts(workspace, tenant, [target, ...together.slice(1).flatMap(toPart)], change);
    }
    applied.push(...together);
  }
  const now = new Date(clock.nowMs());
  const done = applied.flatMap((deletion) => toRemoved(tenant.tenantId, deletion, now));
  const isLast = applied.length === deletions.length;
  return {
    writes: [...workspace.toWrites(), ...done, ...(half ? [toHalfApplied(tenant.tenantId, half)] : [])],
    isLast,
  };
}

type Together = readonly [LoggedDeletion, ...LoggedDeletion[]];

/**
 * Deletions in their order; those of parts of one record that follow each other and were accepted at one time, as a
 * batch is, together: a record of a megabyte is then looked through once for all of them.
 */
function togetherInOrder(deletions: readonly LoggedDeletion[], tenant: Tenant): Together[] {
  const runs: [LoggedDeletion, ...LoggedDeletion[]][] = [];
  let last: string | undefined;
  for (const deletion of deletions) {
    const [part] = toPart(deletion);
    const isOfBatch = part && !deletion.isRetried;
    const key = isOfBatch ? `${deletion.acceptedAt.getTime()} ${recordPathOf(part, tenant)}` : undefined;
    if (key !== undefined && key === last) runs.at(-1)?.push(deletion);
    else runs.push([deletion]);
    last = key;
  }
  return runs;
}

/** The part that a deletion removes; none where it removes something else. */
function toPart({ target }: LoggedDeletion): PartTarget[] {
  return target?.type === 'variant' || target?.type === 'orderItem' ? [target] : [];
}

/** The record that a deletion of an order, a product or a part of one changes. */
export function recordPathOf(target: RecordTarget | PartTarget, { tenantId }: Tenant): string {
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
  /** See `LoggedDeletion`. */
  readonly isRetried?: boolean;
  /** See `LoggedDeletion`. */
  readonly restoredAt?: Date;
}

/** The stored customers that an identifier of a deletion matches; one more than was asked for: there are more. */
interface Match {
  readonly lookup: CustomerLookup;
  readonly found: readonly StoredDocument[];
}

interface Matched {
  readonly together: Together;
  /** Of a deletion of customers, by its identifiers in their order of priority. */
  readonly matches: readonly Match[];
}

/**
 * Deletions in their order with what they match, as many as one step may take: what they match is in memory together
 * . Later ones are looked up, some at once, when those before them are taken. One that matches many has a step of
 * its own.
 */
async function* withMatches(
  deletions: readonly Together[],
  tenant: Tenant,
  store: DocumentStore,
  deadline: Deadline,
): AsyncGenerator<Matched, void, undefined> {
  const [first, ...others] = deletions;
  if (!first) return;
  const alone = await findMatches(first[0], DELETION_STEP_RECORDS, tenant, store, deadline);
  yield { together: first, matches: alone };
  if (isMany(alone)) return;
  let found = countFound(alone);
  for (const next of chunksOf(others, DELETIONS_AT_ONCE)) {
    if (found >= DELETION_STEP_RECORDS) return;
    const matchesOfEach = await allOver(
      next.map(([deletion]) => findMatches(deletion, DELETION_SHARED_RECORDS, tenant, store, deadline)),
    );
    for (const [place, matches] of matchesOfEach.entries()) {
      const together = next[place];
      if (!together || isMany(matches)) return;
      yield { together, matches };
      found += countFound(matches);
    }
  }
}

function isMany(matches: readonly Match[]): boolean {
  return matches.some(({ found }) => found.length > DELETION_SHARED_RECORDS);
}

function countFound(matches: readonly Match[]): number {
  return matches.reduce((sum, { found }) => sum + found.length, 0);
}

/** What a deletion of customers matches, by each identifier at most one more than `limit`; other deletions nothing. */
async function findMatches(
  { target, matchedBy }: LoggedDeletion,
  limit: number,
  tenant: Tenant,
  store: DocumentStore,
  deadline: Deadline,
): Promise<readonly Match[]> {
  if (target?.type !== 'customer') return [];
  const lookups = customerLookups(target, tenant.customerIdentifier).filter(
    ({ by }) => matchedBy === undefined || by === matchedBy,
  );
  return allOver(
    lookups.map(async (lookup) => ({
      lookup,
      found: await lookUpCustomers(tenant.tenantId, lookup, limit + 1, store, deadline),
    })),
  );
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
  const removed = found.slice(0, DELETION_STEP_RECORDS).filter(({ path }) => !isSpared(deletion, path, workspace));
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
