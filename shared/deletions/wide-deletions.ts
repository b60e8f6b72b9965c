/**
 * Deletions of customers by an identifier that very many share: too many to name in the commit that accepts one. Such a
 * deletion is a document of its own, and is worked through page by page. Customers that have the identifier are meant,
 * except those that were written since: whoever writes one first removes what is meant, and notes by a tombstone that
 * what comes then is not (`applyWideDeletionsOf`).
 */
import { chunksOf } from '../platform/chunks';
import type { Deadline } from '../platform/deadline';
import type { DocumentStore, DocumentWrite, StoredDocument, Version } from '../documents/document-store';
import { isEarlier, versionTime } from '../documents/document-store';
import { allDocuments } from '../documents/pages';
import { idOf, tombstonePath, wideDeletionPath, wideDeletionsPath } from '../documents/paths';
import type { CustomerRecord } from '../domain/records/customer';
import { parseDeletionId, toDeletionId } from '../domain/deletion';
import type { RecordId } from '../domain/identity';
import { keyIdentity } from '../domain/identity';
import { DELETIONS_LEAVE_MS, WIDE_DELETION_PAGE } from '../limits/deletions';
import type { Tenant } from '../domain/tenant';
import { findCustomersByField } from '../workspace/customer-lookup';
import type { RecordDependencies } from '../workspace/record-dependencies';
import type { MatchedField } from '../workspace/record-documents';
import { asOf, fromDocument } from '../workspace/record-documents';
import { retryConflicts } from '../workspace/retry-conflicts';
import { RetryLater } from '../platform/retry-later';
import { addTombstones, deletedAtOf } from '../workspace/tombstones';
import { Workspace } from '../workspace/workspace';
import type { RaisedFlag } from './pending-flag';
import { acceptanceOf } from './pending-deletions';
import { isLasting, setAside } from './set-aside';

export interface WideDeletion {
  readonly deletionId: string;
  readonly path: string;
  readonly version: Version;
  /** The field of a customer that holds the identity. */
  readonly field: string;
  readonly identity: RecordId;
  readonly acceptedAt: Date;
  /** That of the commit that accepted it. */
  readonly acceptedVersion: Version;
  /** The last customer that was looked at; undefined: none yet. */
  readonly after: string | undefined;
  /** See `PendingDeletion`. */
  readonly isRetried: boolean;
  /** See `PendingDeletion`. */
  readonly restoredAt: Date | undefined;
}

/** A customer that is to be written. */
export interface CustomerToWrite {
  readonly path: string;
  /** What its record is keyed by. */
  readonly key: RecordId;
  /** What it will have. */
  readonly identities: readonly RecordId[];
  /** When it is true; undefined: now. */
  readonly at?: Date;
}

type WideDependencies = Pick<RecordDependencies, 'store' | 'clock' | 'random'>;

/** The wide deletions of a tenant that are not done. */
export async function listWideDeletions(
  tenantId: string,
  store: DocumentStore,
  deadline: Deadline,
): Promise<WideDeletion[]> {
  const found: WideDeletion[] = [];
  for await (const document of allDocuments(store, wideDeletionsPath(tenantId), () => deadline)) {
    const wide = toWide(document);
    if (wide) found.push(wide);
  }
  return found;
}

/** Which of these customers wide deletions mean, and as of when. */
export async function findMeantWidely(
  customers: readonly StoredDocument[],
  wide: readonly WideDeletion[],
  tenant: Tenant,
  store: DocumentStore,
  deadline: Deadline,
): Promise<ReadonlyMap<RecordId, Date>> {
  if (wide.length === 0) return new Map();
  const meant = await whatIsMeant(customers, wide, tenant, store, deadline);
  return new Map(meant.map(({ customer, deletion }) => [idOf(customer.path) as RecordId, deletion.acceptedAt]));
}

/**
 * Removes those stored under customers to write that wide deletions mean, and notes that what is written then is meant
 * no more. To be done before the customers are written. Repeating it is safe. @throws ContentionTimeout
 */
export async function applyWideDeletionsOf(
  tenant: Tenant,
  customers: readonly CustomerToWrite[],
  flag: Pick<RaisedFlag, 'hasWide'> | undefined,
  deadline: Deadline,
  { store, clock, random }: WideDependencies,
): Promise<void> {
  if (!flag?.hasWide || customers.length === 0) return;
  const times = new Set(customers.map(({ at }) => at?.getTime()));
  const wide: WideDeletion[] = [];
  for (const deletion of await listWideDeletions(tenant.tenantId, store, deadline)) {
    const { deletionId, isRetried, acceptedAt } = deletion;
    // Of what is as old as the deletion, nothing tells what was written before it: it is applied first.
    if (!isRetried || !times.has(acceptedAt.getTime())) wide.push(deletion);
    else if (!(await applyWideDeletion(tenant, deletionId, deadline, { store, clock, random }))) {
      throw new RetryLater('A deletion of very many customers takes longer.');
    }
  }
  if (wide.length === 0) return;
  try {
    await removeWhatIsMeant(tenant, customers, wide, deadline, { store, clock, random });
  } catch (error) {
    if (!isLasting(error)) throw error;
    for (const { path } of wide) await setAside(tenant.tenantId, path, error, deadline, { store, clock, random });
  }
}

async function removeWhatIsMeant(
  tenant: Tenant,
  customers: readonly CustomerToWrite[],
  wide: readonly WideDeletion[],
  deadline: Deadline,
  { store, clock, random }: WideDependencies,
): Promise<void> {
  await retryConflicts<readonly CustomerToWrite[]>(
    chunksOf(customers, WIDE_DELETION_PAGE),
    async (open) => {
      const again: (readonly CustomerToWrite[])[] = [];
      for (const chunk of open) {
        const workspace = new Workspace(store, deadline);
        const stored = await store.getAll([...new Set(chunk.map(({ path }) => path))], deadline);
        workspace.addRead(stored);
        for (const { customer, deletion } of await whatIsMeant(stored, wide, tenant, store, deadline)) {
          await removeMeant(workspace, customer, deletion, tenant);
        }
        for (const { key, identities, at } of chunk) {
          for (const { identity, acceptedAt } of wide) {
            const isNewer = !at || at > acceptedAt;
            if (isNewer && identities.includes(identity))
              await addTombstones(workspace, tenant.tenantId, [key], acceptedAt);
          }
        }
        const writes = workspace.toWrites();
        if (writes.length > 0 && (await store.commit(writes, deadline)) === 'conflict') again.push(chunk);
      }
      return again;
    },
    deadline,
    { clock, random },
  );
}

/**
 * Removes the customers that a wide deletion means, page by page, and then the deletion. Repeating it is safe, and goes
 * on where it was. @returns false when there is no time for all of them
 */
export async function applyWideDeletion(
  tenant: Tenant,
  deletionId: string,
  deadline: Deadline,
  dependencies: WideDependencies,
): Promise<boolean> {
  const path = wideDeletionPath(tenant.tenantId, deletionId);
  try {
    let isDone = false;
    while (!isDone && deadline.remainingMs() > DELETIONS_LEAVE_MS) {
      isDone = await applyPage(tenant, path, deadline, dependencies);
    }
    return isDone;
  } catch (error) {
    if (!isLasting(error)) throw error;
    await setAside(tenant.tenantId, path, error, deadline, dependencies);
    return true;
  }
}

/** @returns whether it was the last page */
async function applyPage(
  tenant: Tenant,
  path: string,
  deadline: Deadline,
  { store, clock, random }: WideDependencies,
): Promise<boolean> {
  const { tenantId } = tenant;
  const done = new Set<string>();
  await retryConflicts(
    [path],
    async (open) => {
      const stored = await store.get(path, deadline);
      const wide = stored && toWide(stored);
      if (!wide) {
        done.add(path);
        return [];
      }
      const { field, identity, after } = wide;
      const page = { limit: WIDE_DELETION_PAGE, ...(after !== undefined && { after }) };
      const found = await findCustomersByField(tenantId, field, identity, page, store, deadline);
      const workspace = new Workspace(store, deadline);
      workspace.addRead(found);
      for (const { customer, deletion } of await whatIsMeant(found, [wide], tenant, store, deadline)) {
        await removeMeant(workspace, customer, deletion, tenant);
      }
      const isLast = found.length < WIDE_DELETION_PAGE;
      const progress: DocumentWrite = isLast
        ? { delete: path, when: wide.version }
        : {
            set: path,
            data: {
              ...stored.data,
              acceptedAt: wide.acceptedAt,
              acceptedVersion: { ...wide.acceptedVersion },
              after: found.at(-1)?.path ?? '',
            },
            when: wide.version,
          };
      return (await store.commit([...workspace.toWrites(), progress], deadline)) === 'conflict' ? open : [];
    },
    deadline,
    { clock, random },
  );
  return done.has(path);
}

async function removeMeant(
  workspace: Workspace,
  customer: StoredDocument,
  { acceptedAt }: WideDeletion,
  tenant: Tenant,
): Promise<void> {
  workspace.put(customer.path, undefined);
  await addTombstones(workspace, tenant.tenantId, keysOf(customer, tenant), acceptedAt);
}

/** Customers with the deletion that means them: one that was written since it was accepted tells by its tombstone. */
async function whatIsMeant(
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
    if (deletion.isRetried) return asOf(customer) <= deletion.acceptedAt; // upserts did not wait for it
    if (isEarlier(customer.version, deletion.acceptedVersion)) return true; // in the millisecond of its acceptance
    const isSettled = keysOf(customer, tenant).some((key) => {
      const deletedAt = deletedAtOf(tombstones.get(tombstonePath(tenant.tenantId, key)));
      return deletedAt !== undefined && deletedAt >= deletion.acceptedAt;
    });
    return !isSettled;
  });
}

/** The document of the wide deletion of an identity. */
export function wideDeletionOf(tenantId: string, identity: RecordId): string {
  return wideDeletionPath(tenantId, toDeletionId('customers', identity));
}

/**
 * Notes in the workspace a wide deletion as of a moment, which spares what is newer, unless one that is pending already
 * means as much. Its document must be loaded.
 */
export function noteWideDeletion(
  workspace: Workspace,
  tenantId: string,
  { field, identity }: Pick<WideDeletion, 'identity'> & { readonly field: MatchedField },
  acceptedAt: Date,
  revision: string,
): void {
  const path = wideDeletionOf(tenantId, identity);
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

function toWide({ path, data, version }: StoredDocument): WideDeletion | undefined {
  const deletionId = idOf(path);
  const identity = parseDeletionId(deletionId)?.id;
  if (identity === undefined || typeof data.field !== 'string') return undefined;
  const acceptedAt = acceptanceOf({ data, version });
  const after = typeof data.after === 'string' ? data.after : undefined;
  const restoredAt = data.restoredAt instanceof Date ? data.restoredAt : undefined;
  const isRetried = data.isRetried === true;
  const acceptedVersion = (data.acceptedVersion as Version | undefined) ?? version;
  const times = { acceptedAt, acceptedVersion, restoredAt };
  return { deletionId, path, version, field: data.field, identity, after, isRetried, ...times };
}
