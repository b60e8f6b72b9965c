/** Operators' use case for a restored database: it replays the deletions since the snapshot. */
import { performAct } from '../audit/audit-log';
import { findServedTenant } from '../auth/served-tenant';
import type { EarlierDocument, ReplayContext, ReplayOutcome, Restore } from '../deletions/replay-deletions';
import {
  findAffectedRecords,
  isCommittedAfterSnapshot,
  raiseFlags,
  replayDeletionsOn,
  restoreTombstones,
  toEarlierDocument,
  withTombstones,
} from '../deletions/replay-deletions';
import { listSetAsideDeletions, restoreSetAsideDeletion } from '../deletions/set-aside';
import { fromTenantDocument } from '../auth/tenant-documents';
import type { DocumentStore } from '../documents/document-store';
import { versionTime } from '../documents/document-store';
import { pagesOf, pagesByOneQuery } from '../documents/pages';
import { idOf, recordsPath, skusPath, tombstonePath, TENANTS, tombstonesPath } from '../documents/paths';
import type { RecordId, RecordKind } from '../domain/identity';
import { RECORD_KINDS } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import { inParallel } from '../platform/async/in-parallel';
import type { Operator, OperatorMeans } from './operator';
import { applyAllPending } from './deletions';
import { OperatorError } from './operator-error';
import { requireTenant } from './tenants';

export interface ReplayOptions {
  /** The id of the earlier database. */
  readonly fromDatabase: string;
  /** The moment that the restored database is a copy of. */
  readonly snapshotTime: Date;
  /** When the restore had ended, not before the snapshot. What was written later is newer than the snapshot. */
  readonly restoredAt: Date;
}

export interface ReplayReport {
  readonly fromDatabase: string;
  readonly tenants: number;
  /** Tenants that the restored database lacks, because they were created after the snapshot, or that it is erasing. */
  readonly tenantsMissing: number;
  /** Tenants whose erasure began after the snapshot, so that the restore brought them back: erase them again. */
  readonly tenantsErased: readonly string[];
  /** Tombstones that the restored database lacked. */
  readonly tombstones: number;
  readonly removed: Readonly<Record<RecordKind, number>>;
  /** Products and orders that lost parts, or that now hold the deletion of a part. */
  readonly changed: number;
  /** Records that were deleted after the snapshot and written again after the restore. */
  readonly kept: number;
  /** Customers among `kept` whose consents are false now, because the restore may have brought them back. */
  readonly consentsWithdrawn: number;
  /** Deletions since the snapshot that the earlier database had set aside, and that were added to the restored one. */
  readonly setAside: number;
  /** What the earlier database cannot tell: the tenants have to send it again. */
  readonly notKnown: readonly string[];
}

const NOT_KNOWN = [
  'variants and items that were deleted after the snapshot from products and orders that held them',
  'deletions of variants of a product that another one has taken over since',
  'consents that were withdrawn by an upsert after the snapshot, and everything else that was sent since',
  'deletions by an identifier that a customer had only before or after the snapshot',
  'fields of kept records that came with the restore; consents of such customers are false (consentsWithdrawn)',
  'keys that were revoked, rotated or made since: those that were revoked, or ended by a rotation, open again',
  'settings and suspensions of tenants, and owners of buckets, that were changed since',
  'usage that was counted since, and the last use of keys',
];

/** Concurrent records: few enough that records of one deletion do not starve in optimistic retries. */
const REPLAYED_AT_ONCE = 8;

/** The most stored bytes of records that one read returns. */
const RECORDS_AT_ONCE_BYTES = 16 * 1024 * 1024;

/**
 * Replays the deletions since the snapshot, as the earlier database knows them, on the restored one. Pending deletions
 * of the earlier one are applied there first. A repeat is safe, also after the command was stopped.
 * @throws OperatorError when the databases are the same, or the restore ended before the snapshot
 */
export async function replayDeletions(options: ReplayOptions, operator: Operator): Promise<ReplayReport> {
  const { fromDatabase } = options;
  if (fromDatabase === operator.config.databaseId)
    throw new OperatorError(`${fromDatabase} is the database that it would be read into: set FIRESTORE_DATABASE.`);
  const restore = requireRestore(options);
  return performAct(
    operator,
    { action: 'restore.replay-deletions', before: { fromDatabase } },
    (means) => replayOn(means, fromDatabase, restore),
    ({ tenants, changed, kept, removed: { customers, products, orders } }) => {
      return { tenants, changed, kept, removed: customers + products + orders };
    },
  );
}

async function replayOn(operator: OperatorMeans, fromDatabase: string, restore: Restore): Promise<ReplayReport> {
  const earlier = operator.database(fromDatabase);
  const counts = { tenants: 0, tenantsMissing: 0, tombstones: 0, changed: 0, kept: 0, setAside: 0 };
  let consentsWithdrawn = 0;
  const removed = { customers: 0, products: 0, orders: 0 };
  for await (const page of pagesOf(earlier, TENANTS, operator.deadline)) {
    for (const { path, data } of page) {
      const before = fromTenantDocument(idOf(path), data);
      if (before.erasingSince) continue;
      const tenant = await findServedTenant(before.tenantId, operator.store, operator.deadline());
      counts[tenant ? 'tenants' : 'tenantsMissing'] += 1;
      if (!tenant) continue;
      await applyPendingIn(earlier, before, operator);
      const say = (text: string) => operator.progress(`${tenant.tenantId}: ${text}`);
      const { taken, committedSince } = await replayTombstones(tenant, earlier, restore, operator, say);
      const contextOf = () => {
        return { tenant, restore, committedSince, deadline: operator.deadline(), dependencies: operator };
      };
      counts.tombstones += taken;
      counts.setAside += await replaySetAside(tenant, earlier, restore, operator);
      for (const kind of RECORD_KINDS) {
        const replayed = await replayKind(kind, tenant, earlier, contextOf, operator, say);
        removed[kind] += replayed.removed;
        if (kind === 'orders') counts.tombstones += replayed.removed; // each has become one
        counts.changed += replayed.changed;
        counts.kept += replayed.kept + replayed.withdrawn;
        consentsWithdrawn += replayed.withdrawn;
      }
    }
  }
  const tenantsErased = await findErased(earlier, restore, operator);
  return { fromDatabase, ...counts, tenantsErased, removed, consentsWithdrawn, notKnown: NOT_KNOWN };
}

/** Tenants that came with the restore, but that the earlier database no longer serves. */
async function findErased(earlier: DocumentStore, { restoredAt }: Restore, operator: OperatorMeans): Promise<string[]> {
  const erased: string[] = [];
  for await (const page of pagesOf(operator.store, TENANTS, operator.deadline)) {
    // A tenant that was created after the restore is in the restored database only, and was not erased.
    const restored = page.filter(({ data, version }) => {
      return data.erasingSince === undefined && versionTime(version) <= restoredAt;
    });
    for (const { path } of restored) {
      if (!(await findServedTenant(idOf(path), earlier, operator.deadline()))) erased.push(idOf(path));
    }
  }
  return erased;
}

function requireRestore({ snapshotTime, restoredAt }: ReplayOptions): Restore {
  if (snapshotTime <= restoredAt) return { snapshotAt: snapshotTime, restoredAt };
  throw new OperatorError('--restored-at must not be before --snapshot-time.');
}

async function applyPendingIn(earlier: DocumentStore, tenant: Tenant, operator: OperatorMeans): Promise<void> {
  for (const kind of RECORD_KINDS) {
    await applyAllPending(tenant, kind, { ...operator, store: earlier });
  }
}

/**
 * Copies tombstones, also those of orders, and the index by `Sku`. It raises the pending-deletions flags before, so
 * that rows of older files look for the tombstones. @returns `taken`: how many were copied; `committedSince`: see
 * `ReplayContext`
 */
async function replayTombstones(
  tenant: Tenant,
  earlier: DocumentStore,
  restore: Restore,
  operator: OperatorMeans,
  say: (text: string) => void,
): Promise<{ readonly taken: number; readonly committedSince: ReadonlySet<string> }> {
  const orders = recordsPath(tenant.tenantId, 'orders');
  const collections = [
    tombstonesPath(tenant.tenantId),
    orders,
    ...(tenant.productIdentifier === 'sku' ? [skusPath(tenant.tenantId)] : []),
  ];
  await raiseFlags(tenant, { deadline: operator.deadline(), dependencies: operator });
  const committedSince = new Set<string>();
  let taken = 0;
  let read = 0;
  for (const collection of collections) {
    for await (const page of pagesByOneQuery(earlier, collection, operator.deadline)) {
      await requireTenant(tenant.tenantId, operator); // the tenant may be under erasure by now: then nothing is written
      const found = collection === orders ? withTombstones(page) : page;
      taken += await restoreTombstones(found, { deadline: operator.deadline(), dependencies: operator });
      for (const { path } of found.filter((document) => isCommittedAfterSnapshot(document, restore)))
        committedSince.add(
          collection === orders ? tombstonePath(tenant.tenantId, 'orders', idOf(path) as RecordId) : path,
        );
      read += found.length;
      say(`${read} tombstones looked at, ${taken} taken over`);
    }
  }
  return { taken, committedSince };
}

/** Copies deletions since the snapshot that were set aside. @returns how many the restored database lacked */
async function replaySetAside(
  { tenantId }: Tenant,
  earlier: DocumentStore,
  { snapshotAt, restoredAt }: Restore,
  operator: OperatorMeans,
): Promise<number> {
  let taken = 0;
  for await (const deletion of listSetAsideDeletions(tenantId, earlier, operator.deadline)) {
    if (deletion.acceptedAt <= snapshotAt) continue;
    if (await restoreSetAsideDeletion(tenantId, deletion, restoredAt, operator.deadline(), operator)) taken += 1;
  }
  return taken;
}

async function replayKind(
  kind: RecordKind,
  tenant: Tenant,
  earlier: DocumentStore,
  contextOf: () => ReplayContext,
  operator: OperatorMeans,
  say: (text: string) => void,
): Promise<Record<ReplayOutcome, number>> {
  const counts = { none: 0, removed: 0, changed: 0, kept: 0, withdrawn: 0 };
  let read = 0;
  for await (const page of pagesByOneQuery(operator.store, recordsPath(tenant.tenantId, kind), operator.deadline)) {
    await requireTenant(tenant.tenantId, operator);
    const paths = page.map(({ path }) => path);
    const concerned = await findAffectedRecords(kind, page, await readEarlier(paths, earlier, operator), contextOf());
    await inParallel(concerned, REPLAYED_AT_ONCE, async (record) => {
      counts[await replayDeletionsOn(kind, record, contextOf())] += 1;
    });
    read += page.length;
    say(`${read} ${kind} looked at, ${counts.removed} removed`);
  }
  return counts;
}

/** What the documents of these records hold in the earlier database, by their paths. */
async function readEarlier(
  paths: readonly string[],
  earlier: DocumentStore,
  { deadline }: OperatorMeans,
): Promise<ReadonlyMap<string, EarlierDocument>> {
  const records = new Map<string, EarlierDocument>();
  for (let unread = paths; unread.length > 0;) {
    const batch = await earlier.getSome(unread, RECORDS_AT_ONCE_BYTES, deadline());
    for (const document of batch.documents) records.set(document.path, toEarlierDocument(document));
    unread = batch.unread;
  }
  return records;
}
