/** What one commit of deletions changes: the records, their tombstones, and the deletions themselves. */
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

/** What one commit applies. */
export interface PlannedDeletions {
  /** The changes, with the removal of what is applied from what is pending. */
  readonly writes: readonly DocumentWrite[];
  /** Deletions that it applies, from the first on; one at least. */
  readonly deletionCount: number;
}

/**
 * Plans deletions of different identities, as many as memory and a commit take.
 * @param isGuess customers are taken to be as they were when they were found, and go unread: a commit is in conflict
 * where one is not so
 * @throws InapplicableDeletion
 */
export async function planDeletions(
  tenant: Tenant,
  pending: readonly PendingDeletion[],
  { isGuess }: { readonly isGuess: boolean },
  deadline: Deadline,
  { store, random }: RecordDependencies,
): Promise<PlannedDeletions> {
  const workspace = new Workspace(store, deadline);
  const paths = pending.map((deletion) => pathsOf(tenant, deletion, isGuess));
  await workspace.loadSome(paths.flat(), DELETION_READ_BYTES);
  const writes: DocumentWrite[] = [];
  let taken = 0;
  const share = new EventLoopShare();
  for (const deletion of pending) {
    if (share.isUsedUp) await share.renew();
    const own = paths[taken] ?? [];
    if (taken > 0 && (workspace.changedBytes() > COMMIT_BYTES || !own.every((path) => workspace.isLoaded(path)))) break;
    await workspace.load(own);
    if (deletion.isUnreadable) throw new InapplicableDeletion('It tells no records.');
    if (deletion.kind === 'customers') removeCustomers(workspace, tenant, deletion);
    else await changeCompound(workspace, tenant, deletion, newRevision(random));
    writes.push({ delete: deletionPath(tenant.tenantId, deletion.deletionId), when: deletion.version });
    taken += 1;
  }
  return { writes: [...workspace.toWrites(), ...writes], deletionCount: taken };
}

/** What applying a deletion reads, but for the index by `Sku`. */
function pathsOf(
  { tenantId }: Tenant,
  { kind, id, customers, isRetried }: PendingDeletion,
  isGuess: boolean,
): string[] {
  if (kind !== 'customers') return [recordPath(tenantId, kind, id), tombstonePath(tenantId, id)];
  const read = customers.filter(({ by }) => !isGuess || isRetried || !by.version);
  return read.map((customer) => recordPath(tenantId, kind, customer.id));
}

/** Removes the records alone: their tombstones are there since the deletion was accepted. */
function removeCustomers(workspace: Workspace, { tenantId }: Tenant, deletion: PendingDeletion): void {
  for (const customer of deletion.customers) {
    const path = recordPath(tenantId, 'customers', customer.id);
    const { version } = customer.by;
    if (!workspace.isLoaded(path) && version) {
      workspace.removeUnread(path, version);
      continue;
    }
    const data = workspace.get(path);
    if (!data || !isStillTargeted(data, customer)) continue; // it is another customer's by now
    if (!isSpared(timeOf(deletion), path, workspace)) workspace.put(path, undefined);
  }
}

/** Applies deletions of one record in their order; it is looked through once, however many parts they remove. */
async function changeCompound(
  workspace: Workspace,
  tenant: Tenant,
  { targets, ...pending }: PendingDeletion,
  revision: string,
): Promise<void> {
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

/** Upserts did not wait for a deletion that was set aside, and what they wrote meanwhile stays (D-41). */
function timeOf({ acceptedAt, isRetried, restoredAt }: Omit<PendingDeletion, 'targets'>): DeletionTime {
  return { acceptedAt, sparesNewer: isRetried, ...(restoredAt && { restoredAt }) };
}
