/**
 * Wide deletions: deletions of customers by an identifier that more of them share than a commit names. A wide deletion
 * is a document of its own and is applied page by page. It targets the customers that have the identifier, except those
 * written since its acceptance. A writer of a customer first removes the record that is still targeted, and adds a
 * tombstone, which says that the record written next is not targeted (`applyWideDeletionsBeforeWrite`).
 */
import { chunksOf } from '../platform/chunks';
import type { Deadline } from '../platform/deadline';
import type { DocumentStore, DocumentWrite, StoredDocument, Version } from '../documents/document-store';
import { isEarlier, isSameVersion, versionTime } from '../documents/document-store';
import { allDocuments } from '../documents/pages';
import { idOf, tombstonePath, wideDeletionPath, wideDeletionsPath } from '../documents/paths';
import type { CustomerRecord } from '../domain/records/customer';
import type { DocumentData } from '../domain/records/document';
import { parseDeletionId, toDeletionId } from '../domain/deletion';
import type { RecordId } from '../domain/identity';
import { keyIdentity } from '../domain/identity';
import { MIN_REMAINING_FOR_DELETIONS_MS, WIDE_DELETION_PAGE } from '../limits/deletions';
import type { Tenant } from '../domain/tenant';
import { findCustomersByField } from '../workspace/customer-lookup';
import type { RecordDependencies } from '../workspace/record-dependencies';
import type { MatchedField } from '../workspace/record-documents';
import { asOf, fromDocument } from '../workspace/record-documents';
import { retryConflicts } from '../workspace/retry-conflicts';
import { RetryLater } from '../platform/retry-later';
import { addTombstones, deletedAtOf, tombstonePaths } from '../workspace/tombstones';
import { Workspace } from '../workspace/workspace';
import type { PendingFlag } from './pending-flag';
import type { PendingDocument } from './pending-deletions';
import { acceptanceTimeOf } from './pending-deletions';
import { isPermanentError, setAside } from './set-aside';

export interface WideDeletion {
  readonly deletionId: string;
  readonly path: string;
  readonly version: Version;
  /** Its document. */
  readonly data: DocumentData;
  /** The field of a customer that holds the identity. */
  readonly field: string;
  readonly identity: RecordId;
  readonly acceptedAt: Date;
  /** The version that the accepting commit gave the document. */
  readonly acceptedVersion: Version;
  /** The path of the last customer that was looked at. Undefined: none yet. */
  readonly after: string | undefined;
  /** See `PendingDeletion`. */
  readonly isRetried: boolean;
  /** See `PendingDeletion`. */
  readonly restoredAt: Date | undefined;
}

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

/** The pending wide deletions of a tenant. */
export async function listWideDeletions(
  tenantId: string,
  store: DocumentStore,
  deadline: Deadline,
): Promise<WideDeletion[]> {
  const pending: WideDeletion[] = [];
  for await (const document of allDocuments(store, wideDeletionsPath(tenantId), () => deadline)) {
    const wide = toWide(document);
    if (wide) pending.push(wide);
  }
  return pending;
}

/** The ids of those of these customers that wide deletions target, with the time of the deletion's acceptance. */
export async function findWideDeletionTargets(
  customers: readonly StoredDocument[],
  wide: readonly WideDeletion[],
  tenant: Tenant,
  store: DocumentStore,
  deadline: Deadline,
): Promise<ReadonlyMap<RecordId, Date>> {
  if (wide.length === 0) return new Map();
  const targeted = await matchTargets(customers, wide, tenant, store, deadline);
  return new Map(targeted.map(({ customer, deletion }) => [idOf(customer.path) as RecordId, deletion.acceptedAt]));
}

/**
 * Removes the stored records of customers about to be written which wide deletions target, and adds the tombstones that
 * exempt the records written next. Call it before the customers are written. Repeating it is safe.
 * @throws ContentionTimeout
 * @throws RetryLater when a wide deletion has to be applied first, and takes longer than the deadline
 */
export async function applyWideDeletionsBeforeWrite(
  tenant: Tenant,
  customers: readonly CustomerToWrite[],
  flag: Pick<PendingFlag, 'hasWide'> | undefined,
  deadline: Deadline,
  { store, clock, random }: WideDependencies,
): Promise<void> {
  if (!flag?.hasWide || customers.length === 0) return;
  const times = new Set(customers.map(({ at }) => at?.getTime()));
  const wide: WideDeletion[] = [];
  for (const deletion of await listWideDeletions(tenant.tenantId, store, deadline)) {
    const { deletionId, isRetried, acceptedAt } = deletion;
    // For a record of the same time, nothing tells whether it was written before the deletion: that is applied first.
    if (!isRetried || !times.has(acceptedAt.getTime())) wide.push(deletion);
    else await applyWideDeletionFirst(tenant, deletionId, deadline, { store, clock, random });
  }
  if (wide.length > 0) await removeTargetsOrSetAside(tenant, customers, wide, deadline, { store, clock, random });
}

/** Only a deletion that fails alone is set aside. */
async function removeTargetsOrSetAside(
  tenant: Tenant,
  customers: readonly CustomerToWrite[],
  wide: readonly WideDeletion[],
  deadline: Deadline,
  dependencies: WideDependencies,
): Promise<void> {
  try {
    await removeTargets(tenant, customers, wide, deadline, dependencies);
  } catch (error) {
    if (!isPermanentError(error)) throw error;
    const [first, ...others] = wide;
    if (first && others.length === 0) return setWideAside(tenant, first, error, deadline, dependencies);
    for (const each of wide) await removeTargetsOrSetAside(tenant, customers, [each], deadline, dependencies);
  }
}

async function removeTargets(
  tenant: Tenant,
  customers: readonly CustomerToWrite[],
  wide: readonly WideDeletion[],
  deadline: Deadline,
  { store, clock, random }: WideDependencies,
): Promise<void> {
  await retryConflicts<readonly CustomerToWrite[]>(
    chunksOf(customers, WIDE_DELETION_PAGE),
    async (open) => {
      const conflicts: (readonly CustomerToWrite[])[] = [];
      for (const chunk of open) {
        const workspace = new Workspace(store, deadline);
        const stored = await store.getAll([...new Set(chunk.map(({ path }) => path))], deadline);
        workspace.addRead(stored);
        const targets = await matchTargets(stored, wide, tenant, store, deadline);
        await removeCustomers(workspace, targets, tenant);
        const written = chunk.flatMap(({ key, identities, at }) =>
          wide
            .filter(({ identity, acceptedAt }) => (!at || at > acceptedAt) && identities.includes(identity))
            .map(({ acceptedAt }) => ({ key, acceptedAt })),
        );
        const keys = written.map(({ key }) => key);
        await workspace.load(tombstonePaths(tenant.tenantId, keys)); // all in one call
        for (const { key, acceptedAt } of written) {
          await addTombstones(workspace, tenant.tenantId, [key], acceptedAt);
        }
        const writes = workspace.toWrites();
        if (writes.length > 0 && (await store.commit(writes, deadline)) === 'conflict') conflicts.push(chunk);
      }
      return conflicts;
    },
    deadline,
    { clock, random },
  );
}

/**
 * Removes the customers that a wide deletion targets, page by page, and then the deletion. Sets it aside when it cannot
 * be applied. Repeating it is safe and continues where it stopped.
 * @returns false when time ran out before the end
 * @throws ContentionTimeout
 */
export async function applyWideDeletion(
  tenant: Tenant,
  deletionId: string,
  deadline: Deadline,
  dependencies: WideDependencies,
): Promise<boolean> {
  const path = wideDeletionPath(tenant.tenantId, deletionId);
  let isApplied = false;
  while (!isApplied && deadline.remainingMs() > MIN_REMAINING_FOR_DELETIONS_MS) {
    isApplied = await applyPage(tenant, path, deadline, dependencies);
  }
  return isApplied;
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
 * @returns true when there was no page: the deletion is not pending any more
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
        const writes = await planPage(tenant, wide, store, deadline);
        return (await store.commit(writes, deadline)) === 'conflict' ? open : [];
      } catch (error) {
        if (!isPermanentError(error)) throw error;
        await setWideAside(tenant, wide, error, deadline, { store, clock, random });
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
      if (!isSameVersion(wide.acceptedVersion, failed.acceptedVersion)) {
        throw new RetryLater('A deletion that failed was accepted again.');
      }
      return (await setAside(tenant.tenantId, wide, error, deadline, { store, clock })) ? [] : open;
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
): Promise<DocumentWrite[]> {
  const { path, data, version, field, identity, acceptedAt, acceptedVersion, after } = wide;
  const page = { limit: WIDE_DELETION_PAGE, ...(after !== undefined && { after }) };
  const found = await findCustomersByField(tenant.tenantId, field, identity, page, store, deadline);
  const workspace = new Workspace(store, deadline);
  workspace.addRead(found);
  await removeCustomers(workspace, await matchTargets(found, [wide], tenant, store, deadline), tenant);
  const isLast = found.length < WIDE_DELETION_PAGE;
  const progress = { ...data, acceptedAt, acceptedVersion: { ...acceptedVersion }, after: found.at(-1)?.path ?? '' };
  return [
    ...workspace.toWrites(),
    isLast ? { delete: path, when: version } : { set: path, data: progress, when: version },
  ];
}

/** Removes customers and adds their tombstones, which are read in one call. */
async function removeCustomers(
  workspace: Workspace,
  targets: readonly { readonly customer: StoredDocument; readonly deletion: WideDeletion }[],
  tenant: Tenant,
): Promise<void> {
  const keys = targets.flatMap(({ customer }) => keysOf(customer, tenant));
  await workspace.load(tombstonePaths(tenant.tenantId, keys));
  for (const { customer, deletion } of targets) {
    workspace.put(customer.path, undefined);
    await addTombstones(workspace, tenant.tenantId, keysOf(customer, tenant), deletion.acceptedAt);
  }
}

/**
 * The customers that wide deletions target, each with the latest of these deletions. A customer that was written since
 * the acceptance has a tombstone from then or later, and is not targeted.
 */
async function matchTargets(
  customers: readonly StoredDocument[],
  wide: readonly WideDeletion[],
  tenant: Tenant,
  store: DocumentStore,
  deadline: Deadline,
): Promise<{ readonly customer: StoredDocument; readonly deletion: WideDeletion }[]> {
  const matching = customers.flatMap((customer) => {
    const [deletion] = wide
      .filter(({ field, identity }) => customer.data[field] === identity)
      .sort((a, b) => b.acceptedAt.getTime() - a.acceptedAt.getTime());
    return deletion ? [{ customer, deletion }] : [];
  });
  const newer = matching.filter(({ customer, deletion }) => asOf(customer) >= deletion.acceptedAt);
  const paths = newer.flatMap(({ customer }) =>
    keysOf(customer, tenant).map((key) => tombstonePath(tenant.tenantId, key)),
  );
  const tombstones = new Map((await store.getAll([...new Set(paths)], deadline)).map(({ path, data }) => [path, data]));
  return matching.filter(({ customer, deletion }) => {
    const isRestored = deletion.restoredAt && versionTime(customer.version) <= deletion.restoredAt;
    if (isRestored || asOf(customer) < deletion.acceptedAt) return true;
    if (deletion.isRetried) return asOf(customer) <= deletion.acceptedAt; // upserts did not wait
    if (isEarlier(customer.version, deletion.acceptedVersion)) return true; // earlier in the same millisecond
    const isExempt = keysOf(customer, tenant).some((key) => {
      const deletedAt = deletedAtOf(tombstones.get(tombstonePath(tenant.tenantId, key)));
      return deletedAt !== undefined && deletedAt >= deletion.acceptedAt;
    });
    return !isExempt;
  });
}

/** The path of the wide deletion of an identity. */
export function wideDeletionPathFor(tenantId: string, identity: RecordId): string {
  return wideDeletionPath(tenantId, toDeletionId('customers', identity));
}

/**
 * Adds a wide deletion to the workspace that spares records newer than `acceptedAt`. Does nothing when one of the same
 * identity is pending that was accepted then or later. Its document must be loaded.
 */
export function addWideDeletion(
  workspace: Workspace,
  tenantId: string,
  { field, identity }: Pick<WideDeletion, 'identity'> & { readonly field: MatchedField },
  acceptedAt: Date,
  revision: string,
): void {
  const path = wideDeletionPathFor(tenantId, identity);
  const data = workspace.get(path);
  const pendingAt = data?.acceptedAt instanceof Date ? data.acceptedAt : workspace.writtenAt(path);
  if (data && pendingAt && pendingAt >= acceptedAt) return;
  const restoredAt = data?.restoredAt;
  workspace.put(path, {
    field,
    acceptedAt,
    isRetried: true,
    revision,
    ...(restoredAt !== undefined && { restoredAt }),
  });
}

function keysOf({ data }: StoredDocument, { customerIdentifier }: Tenant): RecordId[] {
  return keyIdentity(fromDocument<CustomerRecord>(data), customerIdentifier);
}

/** The wide deletion in a document. Undefined: there is none. */
export function toWide({ path, data, version }: PendingDocument): WideDeletion | undefined {
  const deletionId = idOf(path);
  const identity = parseDeletionId(deletionId)?.id;
  if (identity === undefined || typeof data.field !== 'string') return undefined;
  const acceptedAt = acceptanceTimeOf({ data, version });
  const after = typeof data.after === 'string' ? data.after : undefined;
  const restoredAt = data.restoredAt instanceof Date ? data.restoredAt : undefined;
  const isRetried = data.isRetried === true;
  const acceptedVersion = (data.acceptedVersion as Version | undefined) ?? version;
  const times = { acceptedAt, acceptedVersion, restoredAt };
  return { deletionId, path, version, data, field: data.field, identity, after, isRetried, ...times };
}
