/**
 * Replays deletions in a restored database: those that were accepted after its snapshot. The earlier database knows
 * them by its tombstones, by its index by `Sku`, and by the deletions of missing parts that its products and orders
 * remember. Deletions that are pending there have to be applied there first (`applyPendingDeletions`).
 *
 * Two things cannot be known. A part that was deleted from a record which held it leaves no trace: the record only
 * became newer. And of a record that was written after the restore and is newer than its deletion, nothing tells which
 * fields came with the restore: such a customer loses all consents. What a product remembers of parts of another one
 * that it has taken over is left out.
 *
 * Everything here may be stopped and run again: a repeat finds what is done already.
 */
import type { Deadline } from '../platform/deadline';
import type { StoredDocument } from '../documents/document-store';
import { versionTime } from '../documents/document-store';
import { hasConsent, withoutConsents } from '../domain/records/customer';
import type { DocumentData } from '../domain/records/document';
import { later } from '../domain/values/date-time';
import type { RecordId, RecordKind } from '../domain/identity';
import { keyIdentity, RECORD_KINDS } from '../domain/identity';
import { keyOfStored } from '../workspace/customer-keys';
import { LONGEST_COMMIT_MS } from '../limits/records';
import type { OrderRecord } from '../domain/records/order';
import type { ProductRecord } from '../domain/records/product';
import type { Tenant } from '../domain/tenant';
import type { Random } from '../platform/random';
import { isStub, joinDocument, splitDocument, withoutStubs } from '../workspace/kept-tombstones';
import type { RecordDependencies } from '../workspace/record-dependencies';
import {
  asOf,
  datedRevision,
  fromCustomerDocument,
  fromDocument,
  newRevision,
  storedIdentities,
  toCustomerDocument,
} from '../workspace/record-documents';
import type { RecordTarget } from '../workspace/removed-records';
import { locate, PartsRemoval, removeRecord } from '../workspace/removed-records';
import { retryConflicts } from '../workspace/retry-conflicts';
import type { PartDeletion } from '../workspace/tombstones';
import {
  addUnmatchedTombstones,
  partDeletionsOf,
  deletedAfter,
  deletedAtOf,
  isConsentWithdrawn,
  recordConsentWithdrawal,
  containsPartDeletion,
  tombstonePaths,
  mergeTombstones,
} from '../workspace/tombstones';
import { Workspace } from '../workspace/workspace';
import { raiseFlag } from './pending-flag';

/** The two moments that decide what a restored database holds. */
export interface Restore {
  /** The moment it is a copy of. It knows the deletions that were accepted until then. */
  readonly snapshotAt: Date;
  /**
   * The end of the restore. Records that were last written until then came with it. They are older than all deletions
   * since the snapshot, whether or not a restore keeps the times of documents.
   */
  readonly restoredAt: Date;
}

/** What replaying a tenant's deletions needs. */
export interface ReplayContext {
  readonly tenant: Tenant;
  readonly restore: Restore;
  /** Paths of tombstones that are not in the snapshot although their time is (`isCommittedAfterSnapshot`). */
  readonly committedSince: ReadonlySet<string>;
  readonly deadline: Deadline;
  readonly dependencies: RecordDependencies;
}

/**
 * What a replay did to a record. `kept`: it was written after the restore, and is newer than its deletion. `withdrawn`:
 * it was kept, and lost the consents that may have come with the restore.
 */
export type ReplayOutcome = 'none' | 'removed' | 'changed' | 'kept' | 'withdrawn';

/** What the earlier database knows of a record that it still holds. */
export interface EarlierRecord {
  /** When it was created there. No deletion since then has removed it. */
  readonly heldSince: Date;
  /** The remembered deletions of parts that it did not hold. */
  readonly parts: readonly PartDeletion[];
}

/** What the document of a record holds in the earlier database. */
export interface EarlierDocument {
  /** Undefined: the earlier database does not hold the record. */
  readonly record: EarlierRecord | undefined;
  /** The tombstone that is a part of the document; undefined: none. */
  readonly tombstone: DocumentData | undefined;
}

/** A record that deletions since the snapshot affect. */
export interface AffectedRecord {
  readonly path: string;
  /** Undefined: the earlier database has no document of it. */
  readonly earlier: EarlierDocument | undefined;
}

export function toEarlierDocument({ data, created }: StoredDocument): EarlierDocument {
  const { record, tombstone } = splitDocument(data);
  const createdAt = versionTime(created);
  // A record beside its tombstone is in place of the deleted one, whose document it has.
  const heldSince = later(createdAt, deletedAtOf(tombstone)) ?? createdAt;
  return { record: record && { heldSince, parts: partDeletionsOf(record) }, tombstone };
}

/**
 * Whether a tombstone of the earlier database is not in the snapshot although its time is. A deletion of customers has
 * the time at which the database received its commit, a moment before the commit was done.
 */
export function isCommittedAfterSnapshot({ data, version }: StoredDocument, { snapshotAt }: Restore): boolean {
  const deletedAt = deletedAtOf(splitDocument(data).tombstone ?? data)?.getTime() ?? -Infinity;
  const isClose = deletedAt <= snapshotAt.getTime() && deletedAt > snapshotAt.getTime() - LONGEST_COMMIT_MS;
  return isClose && versionTime(version) > snapshotAt;
}

/**
 * Merges documents of the earlier database into the restored one: tombstones, entries of the index by `Sku`, or orders
 * with tombstones. One of an order that the restored database holds is left to `replayDeletionsOn`. Repeating it is
 * safe.
 * @returns how many were missing, or had an older time
 * @throws ContentionTimeout
 */
export async function restoreTombstones(
  documents: readonly StoredDocument[],
  { deadline, dependencies }: Pick<ReplayContext, 'deadline' | 'dependencies'>,
): Promise<number> {
  const { store } = dependencies;
  let restoredCount = 0;
  await retryConflicts(
    documents,
    async (open) => {
      const paths = open.map(({ path }) => path);
      const stored = new Map((await store.getAll(paths, deadline)).map((document) => [document.path, document]));
      const changes = open.flatMap((document) => {
        const before = stored.get(document.path);
        const data = mergeDeletions(before?.data, document.data);
        return data ? [{ document, data, when: before?.version ?? ('absent' as const) }] : [];
      });
      const writes = changes.map(({ document: { path }, data, when }) => ({ set: path, data, when }));
      const outcomes = await store.writeEach(writes, deadline);
      const conflicts = changes.filter((_, index) => outcomes[index] === 'conflict');
      restoredCount += changes.length - conflicts.length;
      return conflicts.map(({ document }) => document);
    },
    deadline,
    dependencies,
  );
  return restoredCount;
}

/** The document in the restored database with the deletions of the earlier one. Undefined: it has them already. */
function mergeDeletions(restored: DocumentData | undefined, earlier: DocumentData): DocumentData | undefined {
  const { tombstone } = splitDocument(earlier);
  if (!tombstone) return mergeTombstones(restored, earlier);
  const own = splitDocument(restored);
  const merged = own.record ? undefined : mergeTombstones(own.tombstone, tombstone);
  return merged && joinDocument({ record: undefined, tombstone: merged });
}

/** The orders that have tombstones, or are nothing more. */
export function withTombstones(orders: readonly StoredDocument[]): StoredDocument[] {
  return orders.filter(({ data }) => splitDocument(data).tombstone !== undefined);
}

/**
 * Raises the pending-deletions flags, which makes writers of older files look for tombstones. Call it before the
 * tombstones are restored. Repeating it is safe. @throws ContentionTimeout
 */
export async function raiseFlags(
  { tenantId }: Tenant,
  { deadline, dependencies }: Pick<ReplayContext, 'deadline' | 'dependencies'>,
): Promise<void> {
  for (const kind of RECORD_KINDS) await raiseFlag(tenantId, kind, {}, deadline, dependencies);
}

/**
 * The records of a page that deletions since the snapshot affect. The tombstones must be restored before.
 * @param earlier their documents in the earlier database, by path
 */
export async function findAffectedRecords(
  kind: RecordKind,
  page: readonly StoredDocument[],
  earlier: ReadonlyMap<string, EarlierDocument>,
  context: ReplayContext,
): Promise<AffectedRecord[]> {
  const { tenant, deadline, dependencies } = context;
  const workspace = new Workspace(dependencies.store, deadline);
  const records = withoutStubs(page);
  const ids = new Map(records.map((record) => [record.path, storedIdentities(record, kind)]));
  workspace.addRead(records);
  await workspace.load(tombstonePaths(tenant.tenantId, kind, [...ids.values()].flat()));
  return records.flatMap(({ path }) => {
    const record = { path, earlier: earlier.get(path) };
    const { deletedAt, parts } = deletionsOf(kind, record, ids.get(path) ?? [], workspace, context);
    return deletedAt || parts.length > 0 ? [record] : [];
  });
}

/**
 * The deletions since the snapshot that affect a record: the last one of the whole record, and those of its parts. The
 * tombstones of the record must be loaded.
 */
function deletionsOf(
  kind: RecordKind,
  { path, earlier }: AffectedRecord,
  ids: readonly RecordId[],
  workspace: Workspace,
  { tenant: { tenantId }, restore: { snapshotAt }, committedSince }: ReplayContext,
): { readonly deletedAt: Date | undefined; readonly parts: readonly PartDeletion[] } {
  const tombstones = tombstonePaths(tenantId, kind, ids).map((path) => {
    const own = workspace.get(path);
    return { path, data: earlier?.tombstone ? (mergeTombstones(own, earlier.tombstone) ?? own) : own };
  });
  const deletedAt = tombstones
    .filter(({ path, data }) => {
      const time = deletedAtOf(data);
      if (!time || (time <= snapshotAt && !committedSince.has(path))) return false;
      // A deletion that the record outlived did not target it: the record had another identifier by then.
      return !(earlier?.record && earlier.record.heldSince < time);
    })
    .map(({ data }) => deletedAtOf(data))
    .reduce(later, undefined);
  // A product that has taken over another one remembers the deletions of its parts, too.
  const parts = [...tombstones.flatMap(({ data }) => partDeletionsOf(data)), ...(earlier?.record?.parts ?? [])].filter(
    ({ target }) => locate(target, tenantId).path === path,
  );
  return { deletedAt, parts: deletedAfter(parts, snapshotAt) };
}

/**
 * Removes a record, or parts of it, if the deletions since the snapshot are newer than it. Repeating it is safe.
 * @throws ContentionTimeout
 */
export async function replayDeletionsOn(
  kind: RecordKind,
  record: AffectedRecord,
  context: ReplayContext,
): Promise<ReplayOutcome> {
  const { deadline, dependencies } = context;
  let outcome: ReplayOutcome = 'none';
  await retryConflicts(
    [record],
    async (open) => {
      const workspace = new Workspace(dependencies.store, deadline);
      outcome = await replayInWorkspace(kind, record, workspace, context);
      const writes = workspace.toWrites();
      if (writes.length === 0) return [];
      return (await dependencies.store.commit(writes, deadline)) === 'conflict' ? open : [];
    },
    deadline,
    dependencies,
  );
  return outcome;
}

/** Puts the changes of a record into the workspace. */
async function replayInWorkspace(
  kind: RecordKind,
  record: AffectedRecord,
  workspace: Workspace,
  context: ReplayContext,
): Promise<ReplayOutcome> {
  const { tenant, restore, deadline, dependencies } = context;
  const stored = await dependencies.store.get(record.path, deadline);
  if (!stored || isStub(stored.data)) return 'none';
  const isOlder = (deletedAt: Date) => versionTime(stored.version) <= restore.restoredAt || asOf(stored) < deletedAt;
  const ids = storedIdentities(stored, kind);
  workspace.addRead([stored]);
  await workspace.load(tombstonePaths(tenant.tenantId, kind, ids));
  const { deletedAt, parts } = deletionsOf(kind, record, ids, workspace, context);
  if (deletedAt) {
    if (!isOlder(deletedAt)) {
      const isNew = kind !== 'customers' || versionTime(stored.created) > restore.restoredAt;
      return isNew ? 'kept' : withdrawConsents(stored, deletedAt, workspace, tenant, dependencies.random);
    }
    await removeWhole(kind, stored, deletedAt, workspace, tenant, dependencies.random);
    if (record.earlier?.tombstone) {
      const [path = ''] = tombstonePaths(tenant.tenantId, kind, ids);
      const merged = mergeTombstones(workspace.get(path), record.earlier.tombstone);
      if (merged) workspace.put(path, merged);
    }
    return 'removed';
  }
  const remembered = partDeletionsOf(stored.data);
  const missed = parts.filter((part) => isOlder(part.deletedAt) && !containsPartDeletion(remembered, part));
  const [first] = missed;
  if (!first) return 'none';
  const removal = await PartsRemoval.open(workspace, tenant, first.target);
  for (const { target, deletedAt: acceptedAt } of missed) removal.remove(target, { acceptedAt });
  await removal.finish(newRevision(dependencies.random));
  return 'changed';
}

/**
 * Withdraws the consents of a kept customer whose record came with the restore. It does so once for each deletion, so
 * consents that are sent later stay. The tombstones of the record must be loaded.
 */
function withdrawConsents(
  stored: StoredDocument,
  deletedAt: Date,
  workspace: Workspace,
  { tenantId, customerIdentifier }: Tenant,
  random: Random,
): ReplayOutcome {
  const customer = fromCustomerDocument(stored.data);
  const [key] = keyIdentity(customer, customerIdentifier);
  if (!key || isConsentWithdrawn(workspace, tenantId, key, deletedAt)) return 'kept';
  recordConsentWithdrawal(workspace, tenantId, key, deletedAt);
  if (!hasConsent(customer)) return 'kept';
  const revision = datedRevision(newRevision(random), asOf(stored));
  workspace.put(stored.path, toCustomerDocument(withoutConsents(customer), revision));
  return 'withdrawn';
}

/** Removes a whole record in the workspace, and adds its tombstones. */
async function removeWhole(
  kind: RecordKind,
  stored: StoredDocument,
  acceptedAt: Date,
  workspace: Workspace,
  tenant: Tenant,
  random: Random,
): Promise<void> {
  const { path, data } = stored;
  if (kind === 'customers') {
    workspace.put(path, undefined);
    // The tombstones that are restored tell whether a deletion has found anybody.
    return addUnmatchedTombstones(workspace, tenant.tenantId, keyOfStored(stored, tenant), acceptedAt);
  }
  const target: RecordTarget =
    kind === 'orders'
      ? { type: 'order', orderId: fromDocument<OrderRecord>(data).OrderId }
      : { type: 'product', productId: fromDocument<ProductRecord>(data).ProductId };
  await removeRecord(workspace, tenant, target, { acceptedAt, revision: newRevision(random) });
}
