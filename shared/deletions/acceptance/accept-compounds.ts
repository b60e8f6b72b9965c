/** Plans the acceptance of deletions of products and orders, and of parts of them. */
import type { DocumentChange } from '../../documents/document-store';
import { deletionPath } from '../../documents/paths';
import type { DeletionTarget } from '../../domain/deletion';
import { toDeletionId } from '../../domain/deletion';
import { documentBytes } from '../../domain/records/document';
import { orderRecordId, productRecordId } from '../../domain/identity';
import { ACCEPTED_IN_COMMIT, MAX_PENDING_BYTES } from '../../limits/deletions';
import { newRevision } from '../../workspace/record-documents';
import type { AcceptanceContext, AcceptancePlan } from './accept-context';
import type { CompoundTarget, PendingDeletion, AcceptedTarget } from '../pending-deletions';
import { canBeExtended, findPendingDeletions, toTargetsData } from '../pending-deletions';

/** Plans one commit for as many of these deletions, in their order, as it takes. Targets must be no customers. */
export async function planCompoundEntries(
  targets: readonly DeletionTarget[],
  { tenant, readsPending, written, deadline, dependencies }: AcceptanceContext,
): Promise<AcceptancePlan> {
  const { tenantId } = tenant;
  const { store } = dependencies;
  const addedByEntry = new Map<string, AddedDeletions>();
  let acceptedCount = 0;
  for (const target of targets as readonly CompoundTarget[]) {
    const deletionId = deletionIdOf(target);
    const before = addedByEntry.get(deletionId);
    // Deletions of one record go into one commit: each further commit would write its entry again.
    const isFull = before
      ? before.bytes + bytesOf(target) > MAX_PENDING_BYTES
      : addedByEntry.size >= ACCEPTED_IN_COMMIT;
    if (isFull) break;
    addedByEntry.set(deletionId, withTarget(before, target));
    acceptedCount += 1;
  }
  // Nearly always nothing else is pending for a record. A first attempt reads no entries: its commit would conflict.
  const deletionIds = [...addedByEntry.keys()];
  const { pending, unread } = await findPendingDeletions(
    tenantId,
    deletionIds.filter((id) => readsPending || written.has(id)),
    store,
    deadline,
  );
  const hasRoom = (entry: PendingDeletion) => {
    const bytes = entry.targets.reduce((sum, { target }) => sum + bytesOf(target), 0);
    return canBeExtended(entry) && bytes + (addedByEntry.get(entry.deletionId)?.bytes ?? 0) <= MAX_PENDING_BYTES;
  };
  const blocking = pending.filter((entry) => !hasRoom(entry)).map(({ deletionId }) => deletionId);
  if (unread.length > 0) return { prerequisites: { pending: deletionIds } }; // too large to be read together
  if (blocking.length > 0) return { prerequisites: { pending: blocking } };
  const stored = new Map(pending.map((entry) => [entry.deletionId, entry]));
  const writes = [...addedByEntry].map(([deletionId, added]): DocumentChange => {
    const entry = stored.get(deletionId);
    const before: readonly AcceptedTarget[] =
      added.targets[0] && removesWhole(added.targets[0]) ? [] : (entry?.targets ?? []);
    const data = toTargetsData(before, added.targets, newRevision(dependencies.random));
    return { set: deletionPath(tenantId, deletionId), data, when: entry?.version ?? 'absent' };
  });
  return { acceptance: { writes, deletionIds, acceptedCount, hasWide: false } };
}

/** Deletions to add to the entry of one record. */
interface AddedDeletions {
  readonly targets: CompoundTarget[];
  readonly bytes: number;
}

/** Adds a target. A deletion of the whole record replaces those before it: they have nothing left to remove. */
function withTarget(before: AddedDeletions | undefined, target: CompoundTarget): AddedDeletions {
  if (!before || removesWhole(target)) return { targets: [target], bytes: bytesOf(target) };
  before.targets.push(target);
  return { targets: before.targets, bytes: before.bytes + bytesOf(target) };
}

/** About the bytes that a deletion takes in its entry. */
function bytesOf(target: CompoundTarget): number {
  return documentBytes({ target, acceptedAt: new Date(0) });
}

/** Whether a deletion removes the whole record. */
function removesWhole({ type }: CompoundTarget): boolean {
  return type === 'product' || type === 'order';
}

function deletionIdOf(target: CompoundTarget): string {
  return 'orderId' in target
    ? toDeletionId('orders', orderRecordId(target.orderId))
    : toDeletionId('products', productRecordId(target.productId));
}
