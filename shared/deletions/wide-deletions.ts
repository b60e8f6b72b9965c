/**
 * Wide deletions: deletions of customers by an identifier that more of them share than a commit names. A wide deletion
 * is a document of its own and is applied page by page. It targets the customers that have the identifier, except those
 * written since its acceptance. A writer of a customer first removes the record that is still targeted, and adds a
 * tombstone, which says that the record written next is not targeted (`applyWideDeletionsBeforeWrite`).
 */
import { chunksOf } from '../platform/chunks';
import type { Deadline } from '../platform/deadline';
import type { DocumentReads, DocumentStore, DocumentWrite, StoredDocument } from '../documents/document-store';
import { isEarlier, isSameVersion, versionTime } from '../documents/document-store';
import { idOf, wideDeletionPath } from '../documents/paths';
import type { RecordId } from '../domain/identity';
import { MIN_REMAINING_FOR_DELETIONS_MS, WIDE_DELETION_PAGE } from '../limits/deletions';
import type { Tenant } from '../domain/tenant';
import { keyOfStored } from '../workspace/customer-keys';
import { findCustomersByField } from '../workspace/customer-lookup';
import type { RecordDependencies } from '../workspace/record-dependencies';
import type { MatchedField } from '../workspace/record-documents';
import { asOf } from '../workspace/record-documents';
import { retryConflicts } from '../workspace/retry-conflicts';
import { RetryLater } from '../platform/retry-later';
import { addTombstones, addUnmatchedTombstones, deletedAtOf, tombstonePaths } from '../workspace/tombstones';
import { Workspace } from '../workspace/workspace';
import type { PendingFlag } from './pending-flag';
import type { WideAcceptance, WideDeletion } from './pending-wide-deletions';
import {
  lastAcceptance,
  matchedIdentities,
  PendingWideDeletions,
  toAcceptanceFields,
  toWide,
  wideDeletionPathFor,
} from './pending-wide-deletions';
import { isPermanentError, setAside } from './set-aside';

/** A customer that is about to be written. */
export interface CustomerToWrite {
  readonly path: string;
  /** The identity that its record is keyed by. */
  readonly key: RecordId;
  /** The identities that it will have. */
  readonly identities: readonly RecordId[];
  /** Its as-of time. Undefined: now. */
  readonly at?: Date;
}

type WideDependencies = Pick<RecordDependencies, 'store' | 'clock' | 'random'>;

/** The ids of those of these customers that wide deletions target, with the time of the deletion's acceptance. */
export async function findWideDeletionTargets(
  customers: readonly StoredDocument[],
  wide: readonly WideDeletion[],
  tenant: Tenant,
  store: DocumentReads,
  deadline: Deadline,
): Promise<ReadonlyMap<RecordId, Date>> {
  if (wide.length === 0) return new Map();
  const targeted = await matchTargets(customers, wide, tenant, store, deadline);
  return new Map(targeted.map(({ customer, acceptance }) => [idOf(customer.path) as RecordId, acceptance.acceptedAt]));
}

/**
 * Removes the stored records of customers about to be written which wide deletions target, and adds the tombstones that
 * exempt the records written next. Call it before the customers are written. Repeating it is safe.
 * @returns whether anything was changed, by this call or meanwhile: what was read of these customers may be outdated
 * @throws ContentionTimeout
 * @throws RetryLater when a wide deletion has to be applied first, and takes longer than the deadline
 */
export async function applyWideDeletionsBeforeWrite(
  tenant: Tenant,
  customers: readonly CustomerToWrite[],
  flag: Pick<PendingFlag, 'hasWide'> | undefined,
  deadline: Deadline,
  dependencies: WideDependencies,
): Promise<boolean> {
  if (customers.length === 0) return false;
  const pending = await PendingWideDeletions.find(tenant.tenantId, flag, dependencies.store, deadline);
  if (pending.isEmpty) return false;
  let isChanged = false;
  await retryConflicts<readonly CustomerToWrite[]>(
    chunksOf(customers, WIDE_DELETION_PAGE),
    async (open) => {
      const again: (readonly CustomerToWrite[])[] = [];
      for (const chunk of open) {
        const outcome = await removeTargets(tenant, chunk, pending, deadline, dependencies);
        isChanged ||= outcome !== 'unchanged';
        if (outcome === 'again') again.push(chunk);
      }
      return again;
    },
    deadline,
    dependencies,
  );
  return isChanged;
}

/** `again`: after a conflict, or after a deletion was applied first or set aside. */
type Removal = 'unchanged' | 'changed' | 'again';

/** Removes what pending wide deletions target. Only a deletion that fails alone is set aside. */
async function removeTargets(
  tenant: Tenant,
  customers: readonly CustomerToWrite[],
  pending: PendingWideDeletions,
  deadline: Deadline,
  dependencies: WideDependencies,
): Promise<Removal> {
  const stored = await dependencies.store.getAll([...new Set(customers.map(({ path }) => path))], deadline);
  // The stored record can have an identity that the customer written next does not have, or does not set.
  const identities = customers.flatMap((customer) => customer.identities);
  const wide = await pending.of(stored, identities);
  if (wide.length === 0) return 'unchanged';
  // For a record of the same time, nothing tells whether it was written before the deletion: that is applied first.
  const times = new Set(customers.map(({ at }) => at?.getTime()));
  const isAsOld = ({ isRetried, acceptedAt }: WideAcceptance) => isRetried && times.has(acceptedAt.getTime());
  const first = wide.filter(({ acceptances }) => acceptances.some(isAsOld));
  for (const { deletionId } of first) await applyWideDeletionFirst(tenant, deletionId, deadline, dependencies);
  if (first.length > 0) return 'again';
  try {
    return await commitRemovals(tenant, customers, stored, wide, deadline, dependencies);
  } catch (error) {
    if (!isPermanentError(error)) throw error;
    const [failed, ...others] = wide;
    if (failed && others.length === 0) await setWideAside(tenant, failed, error, deadline, dependencies);
    else for (const each of wide) await removeTargets(tenant, customers, pending.only(each), deadline, dependencies);
    return 'again';
  }
}

async function commitRemovals(
  tenant: Tenant,
  customers: readonly CustomerToWrite[],
  stored: readonly StoredDocument[],
  wide: readonly WideDeletion[],
  deadline: Deadline,
  { store }: Pick<WideDependencies, 'store'>,
): Promise<Removal> {
  const workspace = new Workspace(store, deadline);
  workspace.addRead(stored);
  await removeCustomers(workspace, await matchTargets(stored, wide, tenant, store, deadline), tenant);
  const deletionsOf = byIdentity(wide);
  const written = customers.flatMap(({ key, identities, at }) =>
    identities
      .flatMap(deletionsOf)
      .flatMap(({ acceptances }) => acceptances)
      .filter(({ acceptedAt }) => !at || at > acceptedAt)
      .map(({ acceptedAt }) => ({ key, acceptedAt })),
  );
  const keys = written.map(({ key }) => key);
  await workspace.load(tombstonePaths(tenant.tenantId, 'customers', keys)); // all in one call
  for (const { key, acceptedAt } of written)
    await addUnmatchedTombstones(workspace, tenant.tenantId, [key], acceptedAt);
  const writes = workspace.toWrites();
  if (writes.length === 0) return 'unchanged';
  return (await store.commit(writes, deadline)) === 'conflict' ? 'again' : 'changed';
}

/**
 * Removes the customers that a wide deletion targets, page by page, and then the deletion. Sets it aside when it cannot
 * be applied. Repeating it is safe and continues where it stopped.
 * @returns false when time ran out before the end; at least one page was applied
 * @throws ContentionTimeout
 */
export async function applyWideDeletion(
  tenant: Tenant,
  deletionId: string,
  deadline: Deadline,
  dependencies: WideDependencies,
): Promise<boolean> {
  const path = wideDeletionPath(tenant.tenantId, deletionId);
  for (;;) {
    if (await applyPage(tenant, path, deadline, dependencies)) return true;
    if (deadline.remainingMs() < MIN_REMAINING_FOR_DELETIONS_MS) return false;
  }
}

/**
 * Applies a wide deletion before something else is done.
 * @throws RetryLater when it takes longer than the deadline; what was applied stays so
 */
export async function applyWideDeletionFirst(
  tenant: Tenant,
  deletionId: string,
  deadline: Deadline,
  dependencies: WideDependencies,
): Promise<void> {
  if (await applyWideDeletion(tenant, deletionId, deadline, dependencies)) return;
  throw new RetryLater('A deletion of very many customers takes longer.');
}

/**
 * Applies the next page, or sets the deletion aside when it cannot be applied.
 * @returns whether that was the last one, so that the deletion is not pending any more
 */
async function applyPage(
  tenant: Tenant,
  path: string,
  deadline: Deadline,
  { store, clock, random }: WideDependencies,
): Promise<boolean> {
  let isApplied = false;
  await retryConflicts(
    [path],
    async (open) => {
      const stored = await store.get(path, deadline);
      const wide = stored && toWide(stored);
      if (!wide) {
        isApplied = true;
        return [];
      }
      try {
        const { writes, isLast } = await planPage(tenant, wide, store, deadline);
        if ((await store.commit(writes, deadline)) === 'conflict') return open;
        isApplied = isLast;
        return [];
      } catch (error) {
        if (!isPermanentError(error)) throw error;
        await setWideAside(tenant, wide, error, deadline, { store, clock, random });
        isApplied = true;
        return [];
      }
    },
    deadline,
    { clock, random },
  );
  return isApplied;
}

/**
 * Sets a wide deletion aside that cannot be applied, also when further pages of it were applied since.
 * @throws RetryLater when its identity was deleted again meanwhile: that deletion has not been tried
 */
async function setWideAside(
  tenant: Tenant,
  failed: WideDeletion,
  error: Error,
  deadline: Deadline,
  { store, clock, random }: WideDependencies,
): Promise<void> {
  await retryConflicts(
    [failed.path],
    async (open) => {
      const stored = await store.get(failed.path, deadline);
      const wide = stored && toWide(stored);
      if (!wide) return [];
      const last = lastAcceptance(wide);
      if (!isSameVersion(last.acceptedVersion, lastAcceptance(failed).acceptedVersion)) {
        throw new RetryLater('A deletion that failed was accepted again.');
      }
      // A retry spares what was written since the last acceptance. That one targets whom the earlier ones do, but for
      // those whom a writer that had not seen the earlier ones has written since.
      const single = { ...wide, data: { ...wide.data, earlier: undefined } };
      return (await setAside(tenant.tenantId, single, error, deadline, { store, clock })) ? [] : open;
    },
    deadline,
    { clock, random },
  );
}

/** The writes of the next page of a wide deletion, and of its progress. */
async function planPage(
  tenant: Tenant,
  wide: WideDeletion,
  store: DocumentStore,
  deadline: Deadline,
): Promise<{ readonly writes: readonly DocumentWrite[]; readonly isLast: boolean }> {
  const { path, data, version, field, identity, acceptances, after } = wide;
  const page = { limit: WIDE_DELETION_PAGE, ...(after !== undefined && { after }) };
  const found = await findCustomersByField(tenant.tenantId, field, identity, page, store, deadline);
  const workspace = new Workspace(store, deadline);
  workspace.addRead(found);
  await removeCustomers(workspace, await matchTargets(found, [wide], tenant, store, deadline), tenant);
  const isLast = found.length < WIDE_DELETION_PAGE;
  const progress = { ...data, ...toAcceptanceFields(acceptances), after: found.at(-1)?.path ?? '' };
  const own = isLast ? { delete: path, when: version } : { set: path, data: progress, when: version };
  return { writes: [...workspace.toWrites(), own], isLast };
}

/** Removes customers and adds their tombstones, which are read in one call. */
async function removeCustomers(
  workspace: Workspace,
  targets: readonly TargetedByWide[],
  tenant: Tenant,
): Promise<void> {
  const keys = targets.flatMap(({ customer }) => keyOfStored(customer, tenant));
  await workspace.load(tombstonePaths(tenant.tenantId, 'customers', keys));
  for (const { customer, acceptance } of targets) {
    workspace.put(customer.path, undefined);
    await addTombstones(workspace, tenant.tenantId, 'customers', keyOfStored(customer, tenant), acceptance.acceptedAt);
  }
}

/** A customer whom a wide deletion targets, and the first acceptance that does. */
interface TargetedByWide {
  readonly customer: StoredDocument;
  readonly acceptance: WideAcceptance;
}

/**
 * The customers that wide deletions target, each with the first acceptance that does. A customer that was written since
 * an acceptance has a tombstone from then or later, and is not targeted by it.
 */
async function matchTargets(
  customers: readonly StoredDocument[],
  wide: readonly WideDeletion[],
  tenant: Tenant,
  store: DocumentReads,
  deadline: Deadline,
): Promise<TargetedByWide[]> {
  const deletionsOf = byIdentity(wide);
  const matching = customers.flatMap((customer) => {
    const acceptances = matchedIdentities(customer)
      .flatMap(deletionsOf)
      .filter(({ field, identity }) => customer.data[field] === identity)
      .flatMap((deletion) => deletion.acceptances)
      .sort((a, b) => a.acceptedAt.getTime() - b.acceptedAt.getTime());
    return acceptances.length > 0 ? [{ customer, acceptances }] : [];
  });
  const pathsOf = (customer: StoredDocument) =>
    tombstonePaths(tenant.tenantId, 'customers', keyOfStored(customer, tenant));
  const newer = matching.filter(({ customer, acceptances }) =>
    acceptances.some(({ acceptedAt }) => asOf(customer) >= acceptedAt),
  );
  const paths = newer.flatMap(({ customer }) => pathsOf(customer));
  const tombstones = new Map((await store.getAll([...new Set(paths)], deadline)).map(({ path, data }) => [path, data]));
  return matching.flatMap(({ customer, acceptances }) => {
    const deletedAt = pathsOf(customer).map((path) => deletedAtOf(tombstones.get(path)));
    const acceptance = acceptances.find((each) => isTargeted(customer, each, deletedAt));
    return acceptance ? [{ customer, acceptance }] : [];
  });
}

/** @param deletedAt times of the tombstones under the customer's key; needed if he is not older than the acceptance */
function isTargeted(
  customer: StoredDocument,
  { acceptedAt, acceptedVersion, isRetried, restoredAt }: WideAcceptance,
  deletedAt: readonly (Date | undefined)[],
): boolean {
  const isRestored = restoredAt && versionTime(customer.version) <= restoredAt;
  if (isRestored || asOf(customer) < acceptedAt) return true;
  if (isRetried) return asOf(customer) <= acceptedAt; // upserts did not wait
  if (isEarlier(customer.version, acceptedVersion)) return true; // earlier in the same millisecond
  return !deletedAt.some((time) => time !== undefined && time >= acceptedAt);
}

/**
 * Adds a wide deletion to the workspace that spares records newer than `acceptedAt`. An earlier one of the same
 * identity that is pending stays: whom that targets is gone as of its time. Does nothing when one is pending that was
 * accepted then or later. Its document must be loaded.
 */
export function addWideDeletion(
  workspace: Workspace,
  tenantId: string,
  { field, identity }: Pick<WideDeletion, 'identity'> & { readonly field: MatchedField },
  acceptedAt: Date,
  revision: string,
): void {
  const path = wideDeletionPathFor(tenantId, identity);
  const stored = workspace.asRead(path);
  const pending = (stored && toWide(stored)?.acceptances) ?? [];
  if (pending.some((each) => each.acceptedAt >= acceptedAt)) return;
  workspace.put(path, { field, revision, ...toAcceptanceFields([...pending, { acceptedAt, isRetried: true }]) });
}

/** The deletions of an identity: more than one where some were set aside. */
function byIdentity(wide: readonly WideDeletion[]): (identity: RecordId) => readonly WideDeletion[] {
  const deletions = new Map<RecordId, WideDeletion[]>();
  for (const deletion of wide) {
    const others = deletions.get(deletion.identity);
    if (others) others.push(deletion);
    else deletions.set(deletion.identity, [deletion]);
  }
  return (identity) => deletions.get(identity) ?? [];
}
