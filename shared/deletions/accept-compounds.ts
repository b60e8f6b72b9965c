/** The entries that accepting deletions of products and orders, or of parts of them, writes. */
import type { DocumentChange } from '../documents/document-store';
import { deletionPath } from '../documents/paths';
import type { DeletionTarget } from '../domain/deletion';
import { toDeletionId } from '../domain/deletion';
import { documentBytes } from '../domain/records/document';
import { orderRecordId, productRecordId } from '../domain/identity';
import { ACCEPTED_IN_COMMIT, MAX_PENDING_BYTES } from '../limits/deletions';
import { newRevision } from '../workspace/record-documents';
import type { AcceptanceContext, AcceptancePlan } from './accept-context';
import type { CompoundTarget, PendingDeletion, AcceptedTarget } from './pending-deletions';
import { canBeExtended, findPendingDeletions, toTargetsData } from './pending-deletions';

/** See `Plan`. */
export async function planCompoundEntries(
  targets: readonly DeletionTarget[],
  { tenant, mayBePending, deadline, dependencies }: AcceptanceContext,
): Promise<AcceptancePlan> {
  const { tenantId } = tenant;
  const { store } = dependencies;
  const added = new Map<string, Added>();
  let taken = 0;
  for (const target of targets as readonly CompoundTarget[]) {
    const deletionId = deletionIdOf(target);
    const before = added.get(deletionId);
    // Those of one record go together: its entry would be written again by each commit.
    const isFull = before ? before.bytes + bytesOf(target) > MAX_PENDING_BYTES : added.size >= ACCEPTED_IN_COMMIT;
    if (isFull) break;
    added.set(deletionId, withTarget(before, target));
    taken += 1;
  }
  // Nearly always nothing else is pending for a record, and what is written finds out.
  const deletionIds = [...added.keys()];
  const { pending, unread } = await findPendingDeletions(tenantId, mayBePending ? deletionIds : [], store, deadline);
  const isOpen = (entry: PendingDeletion) => {
    const bytes = entry.targets.reduce((sum, { target }) => sum + bytesOf(target), 0);
    return canBeExtended(entry) && bytes + (added.get(entry.deletionId)?.bytes ?? 0) <= MAX_PENDING_BYTES;
  };
  const closed = pending.filter((entry) => !isOpen(entry)).map(({ deletionId }) => deletionId);
  if (unread.length > 0) return { obstacle: { pending: deletionIds } }; // they are too large to be read together
  if (closed.length > 0) return { obstacle: { pending: closed } };
  const stored = new Map(pending.map((entry) => [entry.deletionId, entry]));
  const writes = [...added].map(([deletionId, { targets: news }]): DocumentChange => {
    const entry = stored.get(deletionId);
    const before: readonly AcceptedTarget[] = news[0] && endsAll(news[0]) ? [] : (entry?.targets ?? []);
    const data = toTargetsData(before, news, newRevision(dependencies.random));
    return { set: deletionPath(tenantId, deletionId), data, when: entry?.version ?? 'absent' };
  });
  return { entries: { writes, deletionIds, acceptedCount: taken, hasWide: false } };
}

/** Deletions of one record. */
interface Added {
  readonly targets: CompoundTarget[];
  readonly bytes: number;
}

function withTarget(before: Added | undefined, target: CompoundTarget): Added {
  if (!before || endsAll(target)) return { targets: [target], bytes: bytesOf(target) };
  before.targets.push(target);
  return { targets: before.targets, bytes: before.bytes + bytesOf(target) };
}

/** About what a deletion takes in its entry. */
function bytesOf(target: CompoundTarget): number {
  return documentBytes({ target, acceptedAt: new Date(0) });
}

/** Whether a deletion leaves nothing for those before it to remove. */
function endsAll({ type }: CompoundTarget): boolean {
  return type === 'product' || type === 'order';
}

function deletionIdOf(target: CompoundTarget): string {
  return 'orderId' in target
    ? toDeletionId('orders', orderRecordId(target.orderId))
    : toDeletionId('products', productRecordId(target.productId));
}
