/** The operator's command for a restored database. */
import type { ReplayContext, Replayed, Restore } from '../../shared/deletions/replay-deletions';
import { findConcerned, raiseFlags, replayOn, takeOverMemory } from '../../shared/deletions/replay-deletions';
import { fromTenantDocument } from '../../shared/auth/tenant-documents';
import type { DocumentStore } from '../../shared/documents/document-store';
import { pagesOf } from '../../shared/documents/pages';
import { idOf, recordsPath, skusPath, tenantPath, TENANTS, tombstonesPath } from '../../shared/documents/paths';
import type { RecordKind } from '../../shared/domain/identity';
import { RECORD_KINDS } from '../../shared/domain/identity';
import type { Tenant } from '../../shared/domain/tenant';
import { inParallel } from '../../shared/in-parallel';
import type { BuriedPart } from '../../shared/records/tombstones';
import { buriedParts } from '../../shared/records/tombstones';
import type { Operator } from './connection';
import { applyAllPending } from './deletions';
import { OperatorError } from './operator-error';

/** The options as the command line has them. */
export interface ReplayOptions {
  readonly fromDatabase: string;
  readonly snapshotTime: string;
  readonly restoredAt: string;
}

export interface ReplayReport {
  readonly fromDatabase: string;
  readonly tenants: number;
  /** Tenants that the restored database does not have: they were created after the snapshot. */
  readonly tenantsMissing: number;
  /** Times of deletions that the restored database did not have. */
  readonly tombstones: number;
  readonly removed: Readonly<Record<RecordKind, number>>;
  /** Products and orders of which parts were removed, or that remember now that a part was deleted. */
  readonly changed: number;
  /** Records that were deleted after the snapshot, but written again after the restore. */
  readonly kept: number;
  /** What the earlier database does not know: to be sent again by the tenants. */
  readonly notKnown: readonly string[];
}

const NOT_KNOWN = [
  'variants and items that were deleted after the snapshot from products and orders that held them',
  'consents that were withdrawn by an upsert after the snapshot, and everything else that was sent since',
  'deletions by an identifier that a customer had only before or after the snapshot',
];

/** Few enough that records which are deleted together get through beside each other. */
const REPLAYED_AT_ONCE = 8;

/** Stored bytes of records that are read at once. */
const RECORDS_AT_ONCE_BYTES = 16 * 1024 * 1024;

/**
 * Brings the deletions since the snapshot, as the earlier database knows them, into the restored one. What is pending
 * in the earlier one is applied there first. Safe to repeat, and to be repeated when it was stopped.
 * @throws OperatorError for options that cannot be meant
 */
export async function replayDeletions(options: ReplayOptions, operator: Operator): Promise<ReplayReport> {
  const { fromDatabase } = options;
  if (fromDatabase === operator.config.databaseId)
    throw new OperatorError(`${fromDatabase} is the database that it would be read into: set FIRESTORE_DATABASE.`);
  const restore = requireRestore(options);
  const earlier = operator.database(fromDatabase);
  const counts = { tenants: 0, tenantsMissing: 0, tombstones: 0, changed: 0, kept: 0 };
  const removed = { customers: 0, products: 0, orders: 0 };
  for await (const page of pagesOf(earlier, TENANTS, operator.deadline)) {
    for (const { path, data } of page) {
      const before = fromTenantDocument(idOf(path), data);
      const restored = await operator.store.get(tenantPath(before.tenantId), operator.deadline());
      counts[restored ? 'tenants' : 'tenantsMissing'] += 1;
      if (!restored) continue;
      const tenant = fromTenantDocument(before.tenantId, restored.data);
      await applyPendingIn(earlier, before, operator);
      const say = (text: string) => operator.progress(`${tenant.tenantId}: ${text}`);
      const contextOf = () => ({ tenant, restore, deadline: operator.deadline(), dependencies: operator });
      counts.tombstones += await replayMemory(tenant, earlier, operator, say);
      for (const kind of RECORD_KINDS) {
        const replayed = await replayKind(kind, tenant, earlier, contextOf, operator, say);
        removed[kind] += replayed.removed;
        counts.changed += replayed.changed;
        counts.kept += replayed.kept;
      }
    }
  }
  const { tenants, tenantsMissing, tombstones, changed, kept } = counts;
  return { fromDatabase, tenants, tenantsMissing, tombstones, removed, changed, kept, notKnown: NOT_KNOWN };
}

function requireRestore({ snapshotTime, restoredAt }: ReplayOptions): Restore {
  const restore = {
    snapshotAt: requireTime('--snapshot-time', snapshotTime),
    restoredAt: requireTime('--restored-at', restoredAt),
  };
  if (restore.snapshotAt <= restore.restoredAt) return restore;
  throw new OperatorError('--restored-at must not be before --snapshot-time.');
}

function requireTime(option: string, text: string): Date {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text.trim());
  const time = new Date(isTime ? text.trim() : NaN);
  if (!Number.isNaN(time.getTime())) return time;
  throw new OperatorError(`${option} must be a time with its zone such as 2026-11-20T10:15:00Z; it is "${text}".`);
}

async function applyPendingIn(earlier: DocumentStore, tenant: Tenant, operator: Operator): Promise<void> {
  for (const kind of RECORD_KINDS) {
    await applyAllPending(tenant, kind, { ...operator, store: earlier });
  }
}

/** Takes over tombstones and the index by `Sku`; writers of older files are told before. */
async function replayMemory(
  tenant: Tenant,
  earlier: DocumentStore,
  operator: Operator,
  say: (text: string) => void,
): Promise<number> {
  const collections = [
    tombstonesPath(tenant.tenantId),
    ...(tenant.productIdentifier === 'sku' ? [skusPath(tenant.tenantId)] : []),
  ];
  await raiseFlags(tenant, { deadline: operator.deadline(), dependencies: operator });
  let taken = 0;
  let seen = 0;
  for (const collection of collections) {
    for await (const page of pagesOf(earlier, collection, operator.deadline)) {
      taken += await takeOverMemory(page, { deadline: operator.deadline(), dependencies: operator });
      seen += page.length;
      say(`${seen} tombstones looked at, ${taken} taken over`);
    }
  }
  return taken;
}

async function replayKind(
  kind: RecordKind,
  tenant: Tenant,
  earlier: DocumentStore,
  contextOf: () => ReplayContext,
  operator: Operator,
  say: (text: string) => void,
): Promise<Record<Replayed, number>> {
  const counts = { none: 0, removed: 0, changed: 0, kept: 0 };
  let seen = 0;
  for await (const page of pagesOf(operator.store, recordsPath(tenant.tenantId, kind), operator.deadline)) {
    const paths = page.map(({ path }) => path);
    const remembered = kind === 'customers' ? NOTHING : await readRemembered(paths, earlier, operator);
    const concerned = await findConcerned(kind, page, remembered, contextOf());
    await inParallel(concerned, REPLAYED_AT_ONCE, async ({ path, parts }) => {
      counts[await replayOn(kind, path, parts, contextOf())] += 1;
    });
    seen += page.length;
    say(`${seen} ${kind} looked at, ${counts.removed} removed`);
  }
  return counts;
}

const NOTHING: ReadonlyMap<string, readonly BuriedPart[]> = new Map();

/** What records of the earlier database remember of parts that they did not hold. */
async function readRemembered(
  paths: readonly string[],
  earlier: DocumentStore,
  { deadline }: Operator,
): Promise<ReadonlyMap<string, readonly BuriedPart[]>> {
  const remembered = new Map<string, readonly BuriedPart[]>();
  for (let unread = paths; unread.length > 0;) {
    const some = await earlier.getSome(unread, RECORDS_AT_ONCE_BYTES, deadline());
    for (const { path, data } of some.documents) {
      if (buriedParts(data).length > 0) remembered.set(path, buriedParts(data));
    }
    unread = some.unread;
  }
  return remembered;
}
