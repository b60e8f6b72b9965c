/** Plans a commit that applies deletions: it changes records and their tombstones, and removes the entries. */
import type { Deadline } from '../platform/deadline';
import type { DocumentWrite } from '../documents/document-store';
import { deletionPath, recordPath, tombstonePath } from '../documents/paths';
import { COMMIT_BYTES } from '../limits/records';
import { DELETION_READ_BYTES } from '../limits/deletions';
import type { Tenant } from '../domain/tenant';
import { EventLoopShare } from '../platform/async/event-loop-share';
import type { RecordDependencies } from '../workspace/record-dependencies';
import { newRevision } from '../workspace/record-documents';
import type { DeletionTime } from '../workspace/removed-records';
import { isSpared, PartsRemoval, removeRecord } from '../workspace/removed-records';
import { Workspace } from '../workspace/workspace';
import type { PendingDeletion } from './pending-deletions';
import { isStillTargeted } from './pending-deletions';
import { InapplicableDeletion } from './set-aside';

export interface ApplyAttempt {
  /**
   * Customers are assumed to be unchanged since the acceptance and are not read. The commit has a conflict if one has
   * changed.
   */
  readonly assumesUnchanged: boolean;
}

export interface PlannedDeletions {
  /** The changes of records, and the removals of the entries. */
  readonly writes: readonly DocumentWrite[];
  /** How many deletions it applies, counted from the first. At least 1. */
  readonly deletionCount: number;
}

/** Plans deletions of different identities, as many as memory and a commit take. @throws InapplicableDeletion */
export async function planDeletions(
  tenant: Tenant,
  pending: readonly PendingDeletion[],
  attempt: ApplyAttempt,
  deadline: Deadline,
  { store, random }: RecordDependencies,
): Promise<PlannedDeletions> {
  const workspace = new Workspace(store, deadline);
  const paths = pending.map((deletion) => readPathsOf(tenant, deletion, attempt));
  await workspace.loadSome(paths.flat(), DELETION_READ_BYTES);
  const writes: DocumentWrite[] = [];
  let deletionCount = 0;
  const share = new EventLoopShare();
  for (const deletion of pending) {
    if (share.isUsedUp) await share.renew();
    const own = paths[deletionCount] ?? [];
    const isFull = workspace.changedBytes() > COMMIT_BYTES || !own.every((path) => workspace.isLoaded(path));
    if (deletionCount > 0 && isFull) break;
    await workspace.load(own);
    if (deletion.isUnreadable) throw new InapplicableDeletion('It tells no records.');
    if (deletion.kind === 'customers') removeCustomers(workspace, tenant, deletion);
    else await changeCompound(workspace, tenant, deletion, newRevision(random));
    writes.push({ delete: deletionPath(tenant.tenantId, deletion.deletionId), when: deletion.version });
    deletionCount += 1;
  }
  return { writes: [...workspace.toWrites(), ...writes], deletionCount };
}

/** The documents that applying a deletion reads, without those of the index by `Sku`. */
function readPathsOf(
  { tenantId }: Tenant,
  { kind, id, customers, isRetried }: PendingDeletion,
  { assumesUnchanged }: ApplyAttempt,
): string[] {
  if (kind !== 'customers') return [recordPath(tenantId, kind, id), tombstonePath(tenantId, kind, id)];
  const read = customers.filter(({ by }) => !assumesUnchanged || isRetried || !by.version);
  return read.map((customer) => recordPath(tenantId, kind, customer.id));
}

/** Removes the records only: the commit that accepted the deletion has written their tombstones. */
function removeCustomers(workspace: Workspace, { tenantId }: Tenant, deletion: PendingDeletion): void {
  for (const customer of deletion.customers) {
    const path = recordPath(tenantId, 'customers', customer.id);
    const { version } = customer.by;
    if (!workspace.isLoaded(path) && version) {
      workspace.removeUnread(path, version);
      continue;
    }
    const data = workspace.get(path);
    if (!data || !isStillTargeted(data, customer)) continue; // it has another identifier by now
    if (!isSpared(timeOf(deletion), path, workspace)) workspace.put(path, undefined);
  }
}

/** Applies the deletions of one record in their order, in one pass over it, however many parts they remove. */
async function changeCompound(
  workspace: Workspace,
  tenant: Tenant,
  { targets, ...pending }: PendingDeletion,
  revision: string,
): Promise<void> {
  // A row of a file that is older than the deletion may be stored until then: the commit must not pass it over.
  workspace.requireUnchanged(recordPath(tenant.tenantId, pending.kind, pending.id));
  let parts: PartsRemoval | undefined;
  for (const { target, acceptedAt } of targets) {
    const deletion = { ...timeOf(pending), acceptedAt };
    if (target.type === 'order' || target.type === 'product') {
      await parts?.finish(revision);
      parts = undefined;
      await removeRecord(workspace, tenant, target, { ...deletion, revision });
    } else {
      parts ??= await PartsRemoval.open(workspace, tenant, target);
      parts.remove(target, deletion);
    }
  }
  await parts?.finish(revision);
}

/** A deletion that was set aside spares newer records: upserts did not wait for it, and their writes stay (D-41). */
export function timeOf({
  acceptedAt,
  isRetried,
  restoredAt,
}: Pick<PendingDeletion, 'acceptedAt' | 'isRetried' | 'restoredAt'>): DeletionTime {
  return { acceptedAt, sparesNewer: isRetried, ...(restoredAt && { restoredAt }) };
}
