/**
 * Brings deletions into a restored database that were accepted after the moment it is a copy of. The database before it
 * knows them by its tombstones, by its index of Skus, and by what its products and orders remember of parts that they
 * did not hold. Deletions that are pending there are among these once they are applied there (`applyPendingDeletions`).
 *
 * Nobody knows the parts that were deleted since from a record which held them: the record only became newer by that.
 * Nor can anybody tell, of a record that was written after the restore and is newer than its deletion, which fields
 * came with the restore: of such a customer no consent is kept.
 *
 * What is done is found as done, so that all of it may be stopped and run again.
 */
import type { Deadline } from '../platform/deadline';
import type { StoredDocument } from '../documents/document-store';
import { versionTime } from '../documents/document-store';
import { idOf } from '../documents/paths';
import type { CustomerRecord } from '../domain/records/customer';
import { hasConsent, withoutConsents } from '../domain/records/customer';
import { later } from '../domain/values/date-time';
import type { RecordId, RecordKind } from '../domain/identity';
import { customerIdentities, keyIdentity, RECORD_KINDS } from '../domain/identity';
import { LONGEST_COMMIT_MS } from '../limits/records';
import type { OrderRecord } from '../domain/records/order';
import type { ProductRecord } from '../domain/records/product';
import type { Tenant } from '../domain/tenant';
import type { Random } from '../platform/random';
import type { RecordDependencies } from '../workspace/record-dependencies';
import {
  asOf,
  datedRevision,
  fromCustomerDocument,
  fromDocument,
  newRevision,
  toCustomerDocument,
} from '../workspace/record-documents';
import type { RecordTarget } from '../workspace/removed-records';
import { removePart, removeRecord } from '../workspace/removed-records';
import { retryConflicts } from '../workspace/retry-conflicts';
import type { PartDeletion } from '../workspace/tombstones';
import {
  addTombstones,
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

/** The two moments that tell what is in a restored database. */
export interface Restore {
  /** What it is a copy of. The deletions that were accepted until then, it knows itself. */
  readonly snapshotAt: Date;
  /**
   * When the restore had ended. What was last written until then came with it and is older than all deletions since the
   * snapshot, whether or not a restore keeps the times of documents.
   */
  readonly restoredAt: Date;
}

/** A tenant in its restored database. */
export interface ReplayContext {
  readonly tenant: Tenant;
  readonly restore: Restore;
  /** Paths of the tombstones that are newer than the snapshot though their time is not (`isCommittedSince`). */
  readonly committedSince: ReadonlySet<string>;
  readonly deadline: Deadline;
  readonly dependencies: RecordDependencies;
}

/**
 * What became of a record: `kept` was written after the restore, and is newer than its deletion; `withdrawn` is so,
 * too, and lost the consents that may have come with the restore.
 */
export type Replayed = 'none' | 'removed' | 'changed' | 'kept' | 'withdrawn';

/** What the earlier database tells of a record that it still holds. */
export interface EarlierRecord {
  /** Since when it is there: no deletion until now that is later has removed it. */
  readonly heldSince: Date;
  /** The deletions of parts that it did not hold. */
  readonly parts: readonly PartDeletion[];
}

/** A record that deletions since the snapshot concern. */
export interface ConcernedRecord {
  readonly path: string;
  /** In the earlier database; undefined: it is not there. */
  readonly earlier: EarlierRecord | undefined;
}

/** A record as the earlier database holds it. */
export function toEarlierRecord({ data, created }: StoredDocument): EarlierRecord {
  return { heldSince: versionTime(created), parts: partDeletionsOf(data) };
}

/**
 * Whether a tombstone of the earlier database is not in the snapshot, though its time is: a deletion of customers has
 * the time when the database received its commit, which is a moment before that is done.
 */
export function isCommittedSince({ data, version }: StoredDocument, { snapshotAt }: Restore): boolean {
  const deletedAt = deletedAtOf(data)?.getTime() ?? -Infinity;
  const isClose = deletedAt <= snapshotAt.getTime() && deletedAt > snapshotAt.getTime() - LONGEST_COMMIT_MS;
  return isClose && versionTime(version) > snapshotAt;
}

/**
 * Takes over what documents of the earlier database, tombstones or entries of the index by `Sku`, know of deletions.
 * @returns how many the restored database lacked, or had with an older time
 * @throws ContentionTimeout
 */
export async function restoreTombstones(
  documents: readonly StoredDocument[],
  { deadline, dependencies }: Pick<ReplayContext, 'deadline' | 'dependencies'>,
): Promise<number> {
  const { store } = dependencies;
  let taken = 0;
  await retryConflicts(
    documents,
    async (open) => {
      const paths = open.map(({ path }) => path);
      const kept = new Map((await store.getAll(paths, deadline)).map((document) => [document.path, document]));
      const changes = open.flatMap((document) => {
        const before = kept.get(document.path);
        const data = mergeTombstones(before?.data, document.data);
        return data ? [{ document, data, when: before?.version ?? ('absent' as const) }] : [];
      });
      const writes = changes.map(({ document: { path }, data, when }) => ({ set: path, data, when }));
      const outcomes = await store.writeEach(writes, deadline);
      const refused = changes.filter((_, index) => outcomes[index] === 'conflict');
      taken += changes.length - refused.length;
      return refused.map(({ document }) => document);
    },
    deadline,
    dependencies,
  );
  return taken;
}

/** Makes whoever writes rows of older files look for tombstones: to be called before they are taken over. */
export async function raiseFlags(
  { tenantId }: Tenant,
  { deadline, dependencies }: Pick<ReplayContext, 'deadline' | 'dependencies'>,
): Promise<void> {
  for (const kind of RECORD_KINDS) await raiseFlag(tenantId, kind, false, deadline, dependencies);
}

/**
 * The records of a page that deletions since the snapshot concern. Its tombstones must be taken over.
 * @param earlier the records of the earlier database, by path
 */
export async function findConcerned(
  kind: RecordKind,
  page: readonly StoredDocument[],
  earlier: ReadonlyMap<string, EarlierRecord>,
  context: ReplayContext,
): Promise<ConcernedRecord[]> {
  const { tenant, deadline, dependencies } = context;
  const workspace = new Workspace(dependencies.store, deadline);
  const ids = new Map(page.map((record) => [record.path, identitiesOf(record, kind)]));
  await workspace.load(tombstonePaths(tenant.tenantId, [...ids.values()].flat()));
  return page.flatMap(({ path }) => {
    const concerned = { path, earlier: earlier.get(path) };
    const { deletedAt, parts } = deletionsOf(concerned, ids.get(path) ?? [], workspace, context);
    return deletedAt || parts.length > 0 ? [concerned] : [];
  });
}

/**
 * The deletions since the snapshot that concern a record: the last one of all of it, and those of its parts. Its
 * tombstones must be loaded.
 */
function deletionsOf(
  { earlier }: ConcernedRecord,
  ids: readonly RecordId[],
  workspace: Workspace,
  { tenant: { tenantId }, restore: { snapshotAt }, committedSince }: ReplayContext,
): { readonly deletedAt: Date | undefined; readonly parts: readonly PartDeletion[] } {
  const tombstones = tombstonePaths(tenantId, ids).map((path) => ({ path, data: workspace.get(path) }));
  const deletedAt = tombstones
    .filter(({ path, data }) => {
      const time = deletedAtOf(data);
      if (!time || (time <= snapshotAt && !committedSince.has(path))) return false;
      // One that the record outlived did not mean it: its identifier was another one by then.
      return !(earlier && earlier.heldSince < time);
    })
    .map(({ data }) => deletedAtOf(data))
    .reduce(later, undefined);
  const buried = [...tombstones.flatMap(({ data }) => partDeletionsOf(data)), ...(earlier?.parts ?? [])];
  return { deletedAt, parts: deletedAfter(buried, snapshotAt) };
}

/**
 * Removes a record, or parts of it, if the deletions since the snapshot are newer than it. @throws ContentionTimeout
 */
export async function replayOn(
  kind: RecordKind,
  concerned: ConcernedRecord,
  context: ReplayContext,
): Promise<Replayed> {
  const { deadline, dependencies } = context;
  let replayed: Replayed = 'none';
  await retryConflicts(
    [concerned],
    async (open) => {
      const workspace = new Workspace(dependencies.store, deadline);
      replayed = await plan(kind, concerned, workspace, context);
      const writes = workspace.toWrites();
      if (writes.length === 0) return [];
      return (await dependencies.store.commit(writes, deadline)) === 'conflict' ? open : [];
    },
    deadline,
    dependencies,
  );
  return replayed;
}

async function plan(
  kind: RecordKind,
  concerned: ConcernedRecord,
  workspace: Workspace,
  context: ReplayContext,
): Promise<Replayed> {
  const { tenant, restore, deadline, dependencies } = context;
  const stored = await dependencies.store.get(concerned.path, deadline);
  if (!stored) return 'none';
  const isOlder = (deletedAt: Date) => versionTime(stored.version) <= restore.restoredAt || asOf(stored) < deletedAt;
  const ids = identitiesOf(stored, kind);
  workspace.addRead([stored]);
  await workspace.load(tombstonePaths(tenant.tenantId, ids));
  const { deletedAt, parts } = deletionsOf(concerned, ids, workspace, context);
  if (deletedAt) {
    if (!isOlder(deletedAt)) {
      const isNew = kind !== 'customers' || versionTime(stored.created) > restore.restoredAt;
      return isNew ? 'kept' : withdraw(stored, deletedAt, workspace, tenant, dependencies.random);
    }
    await remove(kind, stored, deletedAt, workspace, tenant, dependencies.random);
    return 'removed';
  }
  const missed = parts.filter(
    (part) => isOlder(part.deletedAt) && !containsPartDeletion(partDeletionsOf(stored.data), part),
  );
  for (const { target, deletedAt: acceptedAt } of missed) {
    await removePart(workspace, tenant, target, { acceptedAt, revision: newRevision(dependencies.random) });
  }
  return missed.length > 0 ? 'changed' : 'none';
}

/**
 * Takes back the consents of a kept customer whose record came with the restore, once for a deletion: what is sent
 * later counts. Their tombstones must be loaded.
 */
function withdraw(
  stored: StoredDocument,
  deletedAt: Date,
  workspace: Workspace,
  { tenantId, customerIdentifier }: Tenant,
  random: Random,
): Replayed {
  const customer = fromCustomerDocument(stored.data);
  const [key] = keyIdentity(customer, customerIdentifier);
  if (!key || isConsentWithdrawn(workspace, tenantId, key, deletedAt)) return 'kept';
  recordConsentWithdrawal(workspace, tenantId, key, deletedAt);
  if (!hasConsent(customer)) return 'kept';
  const revision = datedRevision(newRevision(random), asOf(stored));
  workspace.put(stored.path, toCustomerDocument(withoutConsents(customer), revision));
  return 'withdrawn';
}

async function remove(
  kind: RecordKind,
  { path, data }: StoredDocument,
  acceptedAt: Date,
  workspace: Workspace,
  tenant: Tenant,
  random: Random,
): Promise<void> {
  if (kind === 'customers') {
    workspace.put(path, undefined);
    const keys = keyIdentity(fromDocument<CustomerRecord>(data), tenant.customerIdentifier);
    return addTombstones(workspace, tenant.tenantId, keys, acceptedAt);
  }
  const target: RecordTarget =
    kind === 'orders'
      ? { type: 'order', orderId: fromDocument<OrderRecord>(data).OrderId }
      : { type: 'product', productId: fromDocument<ProductRecord>(data).ProductId };
  await removeRecord(workspace, tenant, target, { acceptedAt, revision: newRevision(random) });
}

/** What a deletion of a record can be addressed to. */
function identitiesOf({ path, data }: StoredDocument, kind: RecordKind): RecordId[] {
  return kind === 'customers' ? customerIdentities(fromDocument<CustomerRecord>(data)) : [idOf(path) as RecordId];
}
