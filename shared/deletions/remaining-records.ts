/**
 * What accepted deletions leave of stored records, whether they are applied yet or not: pending ones, wide ones, and
 * those that were set aside, as their retry would apply them. It writes nothing and applies nothing.
 */
import { waitForAll } from '../platform/async/in-parallel';
import type { Deadline } from '../platform/deadline';
import type { DocumentReads, StoredDocument } from '../documents/document-store';
import { isSameVersion, versionTime } from '../documents/document-store';
import { deletionFlagPath, idOf } from '../documents/paths';
import type { DocumentData } from '../domain/records/document';
import type { RecordWithParts } from '../domain/records/removed-parts';
import { RemainingParts } from '../domain/records/removed-parts';
import { toDeletionId } from '../domain/deletion';
import type { RecordId, RecordKind } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import { withoutStubs } from '../workspace/kept-tombstones';
import { asOf, storedIdentities } from '../workspace/record-documents';
import type { DeletionTime } from '../workspace/removed-records';
import { isNewer } from '../workspace/removed-records';
import type { AcceptedTarget, PendingDeletion } from './pending-deletions';
import { findPendingDeletions, isStillTargeted, toPending } from './pending-deletions';
import type { PendingFlag } from './pending-flag';
import { toPendingFlag } from './pending-flag';
import { timeOf } from './plan-deletion';
import { findSetAsideDeletions, isWide, toRetried } from './set-aside';
import type { WideDeletion } from './pending-wide-deletions';
import { PendingWideDeletions, toWide } from './pending-wide-deletions';
import { findWideDeletionTargets } from './wide-deletions';

/** Accepted deletions that are not applied. */
interface AcceptedDeletions {
  readonly pending: readonly PendingDeletion[];
  readonly wide: readonly WideDeletion[];
}

/** What deletions leave of records that were read. */
export interface Remainder {
  readonly records: StoredDocument[];
  /** When the first deletion was accepted that is left out here and not applied yet; undefined: there is none. */
  readonly deletionAcceptedAt: Date | undefined;
}

/**
 * Reads records, and returns what all deletions leave of them that were accepted before: none of a record that one
 * removes, and the others without their removed parts.
 * @param read reads the records. It gets the document of the flag, and is called again after the deletions were read:
 *   one that was applied in between is in neither the records that were read before nor the deletions
 */
export async function readRemainder(
  tenant: Tenant,
  kind: RecordKind,
  read: (flag: DocumentData | undefined) => Promise<readonly StoredDocument[]>,
  store: DocumentReads,
  deadline: Deadline,
): Promise<Remainder> {
  const stored = await store.get(deletionFlagPath(tenant.tenantId, kind), deadline);
  const flag = stored && toPendingFlag(stored);
  const readRecords = async () => withoutStubs(await read(stored?.data));
  // A record that did not change while its deletions were read is looked at no more, however often others change.
  const remainders = new Map<string, Remainder>();
  for (let records = await readRecords(); ;) {
    const open = records.filter(({ path }) => !remainders.has(path));
    if (open.length === 0) return together(records.flatMap(({ path }) => remainders.get(path) ?? []));
    const accepted = await findAccepted(tenant, kind, open, flag, store, deadline);
    const again = flag ? await readRecords() : records;
    const versions = new Map(again.map(({ path, version }) => [path, version]));
    const isUnchanged = ({ path, version }: StoredDocument) => {
      const now = versions.get(path);
      return now !== undefined && isSameVersion(now, version);
    };
    const unchanged = open.filter(isUnchanged);
    const left = await withoutDeleted(unchanged, kind, accepted, tenant, store, deadline);
    for (const [path, remainder] of left) remainders.set(path, remainder);
    records = again;
  }
}

/** What is left of several records. */
function together(remainders: readonly Remainder[]): Remainder {
  const times = remainders.flatMap(({ deletionAcceptedAt }) => deletionAcceptedAt ?? []);
  return { records: remainders.flatMap(({ records }) => records), deletionAcceptedAt: earliest(times) };
}

/** As `readRemainder`, for those who need the records alone. */
export async function readRemaining(...of: Parameters<typeof readRemainder>): Promise<StoredDocument[]> {
  return (await readRemainder(...of)).records;
}

async function findAccepted(
  { tenantId }: Tenant,
  kind: RecordKind,
  records: readonly StoredDocument[],
  flag: PendingFlag | undefined,
  store: DocumentReads,
  deadline: Deadline,
): Promise<AcceptedDeletions> {
  const identities = new Set(records.flatMap((record) => storedIdentities(record, kind)));
  const deletionIds = [...identities].map((id) => toDeletionId(kind, id));
  const findPending = async () => {
    const found: PendingDeletion[] = [];
    for (let rest: readonly string[] = flag ? deletionIds : []; rest.length > 0;) {
      const { pending, unread } = await findPendingDeletions(tenantId, rest, store, deadline);
      found.push(...pending);
      rest = unread;
    }
    return found;
  };
  const findWide = async () => (await PendingWideDeletions.find(tenantId, flag, store, deadline)).of(records);
  const [pending, wide] = await waitForAll([findPending(), findWide()]);
  // After those: one that is set aside meanwhile is found in one of the two places.
  const setAside = await findSetAsideDeletions(tenantId, deletionIds, store, deadline);
  const retried = setAside.map(toRetried);
  return {
    pending: [...pending, ...retried.flatMap((one) => (isWide(tenantId, one.path) ? [] : (toPending(one) ?? [])))],
    wide: [...wide, ...retried.flatMap((one) => (isWide(tenantId, one.path) ? (toWide(one) ?? []) : []))],
  };
}

/** What deletions leave of each of these records, by its path. */
async function withoutDeleted(
  records: readonly StoredDocument[],
  kind: RecordKind,
  { pending, wide }: AcceptedDeletions,
  tenant: Tenant,
  store: DocumentReads,
  deadline: Deadline,
): Promise<ReadonlyMap<string, Remainder>> {
  const widely = await findWideDeletionTargets(records, wide, tenant, store, deadline);
  const toRemainder = (record: StoredDocument): Remainder => {
    if (kind === 'customers') {
      const times = [...targeting(record, pending), widely.get(idOf(record.path) as RecordId) ?? []].flat();
      return { records: times.length === 0 ? [record] : [], deletionAcceptedAt: earliest(times) };
    }
    const own = targetsIn(record, pending);
    const left = own.length === 0 ? record : remainderOf(record, own, tenant);
    return { records: left ? [left] : [], deletionAcceptedAt: earliest(own.map(({ acceptedAt }) => acceptedAt)) };
  };
  return new Map(records.map((record) => [record.path, toRemainder(record)]));
}

function earliest(times: readonly Date[]): Date | undefined {
  return times.reduce<Date | undefined>((first, time) => (first && first <= time ? first : time), undefined);
}

/** When the deletions were accepted that mean a customer. */
function targeting(customer: StoredDocument, pending: readonly PendingDeletion[]): Date[] {
  const meaning = pending.filter(
    (deletion) =>
      !isSpared(customer, timeOf(deletion)) &&
      deletion.customers.some(
        (targeted) => targeted.id === idOf(customer.path) && isStillTargeted(customer.data, targeted),
      ),
  );
  return meaning.map(({ acceptedAt }) => acceptedAt);
}

/** The deletions of a product or an order, or of parts of it, that do not spare it. */
function targetsIn(record: StoredDocument, pending: readonly PendingDeletion[]): AcceptedTarget[] {
  return pending
    .filter(({ id }) => id === idOf(record.path))
    .flatMap((deletion) =>
      deletion.targets.filter(({ acceptedAt }) => !isSpared(record, { ...timeOf(deletion), acceptedAt })),
    );
}

/** What the deletions of a product or an order leave of it. Undefined: nothing. */
function remainderOf(
  record: StoredDocument,
  targets: readonly AcceptedTarget[],
  { productIdentifier }: Tenant,
): StoredDocument | undefined {
  const remaining = new RemainingParts<RecordWithParts>(record.data, productIdentifier);
  for (const { target } of targets) {
    if (target.type === 'product' || target.type === 'order') return undefined;
    remaining.remove(target);
  }
  return { ...record, data: remaining.toRecord() as DocumentData };
}

function isSpared(record: StoredDocument, deletion: DeletionTime): boolean {
  return isNewer(deletion, asOf(record), versionTime(record.version));
}
