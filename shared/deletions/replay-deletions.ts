/**
 * Brings deletions into a restored database that were accepted after the moment it is a copy of. The database before it
 * knows them by its tombstones, by its index of Skus, and by what its products and orders remember of parts that they
 * did not hold. Deletions that are pending there are among these once they are applied there (`applyPendingDeletions`).
 *
 * Nobody knows the parts that were deleted since from a record which held them: the record only became newer by that.
 *
 * What is done is found as done, so that all of it may be stopped and run again.
 */
import type { Deadline } from '../deadline';
import type { DocumentStore, StoredDocument } from '../documents/document-store';
import { versionTime } from '../documents/document-store';
import { idOf } from '../documents/paths';
import type { CustomerRecord } from '../domain/customer';
import type { RecordId, RecordKind } from '../domain/identity';
import { customerIdentities, keyIdentity, RECORD_KINDS } from '../domain/identity';
import type { OrderRecord } from '../domain/order';
import type { ProductRecord } from '../domain/product';
import type { Tenant } from '../domain/tenant';
import type { Random } from '../random';
import type { RecordDependencies } from '../records/record-dependencies';
import { asOf, fromDocument, newStamp } from '../records/record-documents';
import type { RecordTarget } from '../records/removed-records';
import { applyToRecord, removeRecord } from '../records/removed-records';
import { settle } from '../records/settle';
import type { BuriedPart } from '../records/tombstones';
import { bury, buriedParts, lastDeletion, remembers, tombstonePaths, withMemoryOf } from '../records/tombstones';
import { Workspace } from '../records/workspace';
import { toRaisedMark } from './deletion-log';

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
  readonly deadline: Deadline;
  readonly dependencies: RecordDependencies;
}

/** What became of a record: `kept` was written after the restore, and is newer than its deletion. */
export type Replayed = 'none' | 'removed' | 'changed' | 'kept';

/**
 * Takes over what documents of the earlier database, tombstones or entries of the index by `Sku`, know of deletions.
 * @returns how many the restored database lacked, or had with an older time
 * @throws ContentionTimeout
 */
export async function takeOverMemory(
  documents: readonly StoredDocument[],
  { deadline, dependencies }: Omit<ReplayContext, 'restore' | 'tenant'>,
): Promise<number> {
  const { store } = dependencies;
  let taken = 0;
  await settle(
    documents,
    async (open) => {
      const paths = open.map(({ path }) => path);
      const kept = new Map((await store.getAll(paths, deadline)).map((document) => [document.path, document]));
      const changes = open.flatMap((document) => {
        const before = kept.get(document.path);
        const data = withMemoryOf(before?.data, document.data);
        return data ? [{ document, data, when: before?.version ?? ('absent' as const) }] : [];
      });
      const writes = changes.map(({ document: { path }, data, when }) => ({ set: path, data, when }));
      const outcomes = await store.writeEach(writes, deadline);
      const refused = changes.filter((_, place) => outcomes[place] === 'conflict');
      taken += changes.length - refused.length;
      return refused.map(({ document }) => document);
    },
    deadline,
    dependencies,
  );
  return taken;
}

/** Makes whoever writes rows of older files look for tombstones: to be called once they are taken over. */
export async function raiseMarks(
  { tenantId }: Tenant,
  store: DocumentStore,
  random: Random,
  deadline: Deadline,
): Promise<void> {
  const cause = random.bytes(15).toString('base64url');
  await store.commit(
    RECORD_KINDS.map((kind) => toRaisedMark(tenantId, kind, cause)),
    deadline,
  );
}

/**
 * The records of a page that deletions since the snapshot concern, each with the deletions of its parts. Its tombstones
 * must be taken over.
 * @param remembered what the records of the earlier database remember of their parts, by path
 */
export async function findConcerned(
  kind: RecordKind,
  page: readonly StoredDocument[],
  remembered: ReadonlyMap<string, readonly BuriedPart[]>,
  { tenant, restore: { snapshotAt }, deadline, dependencies }: ReplayContext,
): Promise<{ path: string; parts: readonly BuriedPart[] }[]> {
  const workspace = new Workspace(dependencies.store, deadline);
  const ids = new Map(page.map((record) => [record.path, identitiesOf(record, kind)]));
  await workspace.load(tombstonePaths(tenant.tenantId, [...ids.values()].flat()));
  return page.flatMap(({ path }) => {
    const known = ids.get(path) ?? [];
    const [tombstone = ''] = tombstonePaths(tenant.tenantId, known);
    const ofTombstone = kind === 'customers' ? [] : buriedParts(workspace.get(tombstone));
    const parts = [...ofTombstone, ...(remembered.get(path) ?? [])].filter(({ deletedAt }) => deletedAt > snapshotAt);
    const deletedAt = lastDeletion(workspace, tenant.tenantId, known);
    return (deletedAt && deletedAt > snapshotAt) || parts.length > 0 ? [{ path, parts }] : [];
  });
}

/**
 * Removes a record, or parts of it, if the deletions since the snapshot are newer than it. @throws ContentionTimeout
 */
export async function replayOn(
  kind: RecordKind,
  path: string,
  parts: readonly BuriedPart[],
  context: ReplayContext,
): Promise<Replayed> {
  const { deadline, dependencies } = context;
  let replayed: Replayed = 'none';
  await settle(
    [path],
    async (open) => {
      const workspace = new Workspace(dependencies.store, deadline);
      replayed = await plan(kind, path, parts, workspace, context);
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
  path: string,
  parts: readonly BuriedPart[],
  workspace: Workspace,
  { tenant, restore, deadline, dependencies }: ReplayContext,
): Promise<Replayed> {
  const stored = await dependencies.store.get(path, deadline);
  if (!stored) return 'none';
  const isOlder = (deletedAt: Date) => versionTime(stored.version) <= restore.restoredAt || asOf(stored) < deletedAt;
  const ids = identitiesOf(stored, kind);
  workspace.adopt([stored]);
  await workspace.load(tombstonePaths(tenant.tenantId, ids));
  const deletedAt = lastDeletion(workspace, tenant.tenantId, ids);
  if (deletedAt && deletedAt > restore.snapshotAt) {
    if (!isOlder(deletedAt)) return 'kept';
    await remove(kind, stored, deletedAt, workspace, tenant, dependencies.random);
    return 'removed';
  }
  const missed = parts.filter((part) => isOlder(part.deletedAt) && !remembers(buriedParts(stored.data), part));
  for (const { target, deletedAt: acceptedAt } of missed) {
    await applyToRecord(workspace, tenant, target, { acceptedAt, stamp: newStamp(dependencies.random) });
  }
  return missed.length > 0 ? 'changed' : 'none';
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
    return bury(workspace, tenant.tenantId, keys, acceptedAt);
  }
  const target: RecordTarget =
    kind === 'orders'
      ? { type: 'order', orderId: fromDocument<OrderRecord>(data).OrderId }
      : { type: 'product', productId: fromDocument<ProductRecord>(data).ProductId };
  await removeRecord(workspace, tenant, target, { acceptedAt, stamp: newStamp(random) });
}

/** What a deletion of a record can be addressed to. */
function identitiesOf({ path, data }: StoredDocument, kind: RecordKind): RecordId[] {
  return kind === 'customers' ? customerIdentities(fromDocument<CustomerRecord>(data)) : [idOf(path) as RecordId];
}
