/** The entries that accepting deletions of products and orders, or of parts of them, writes. */
import type { DocumentWrite } from '../documents/document-store';
import { deletionPath } from '../documents/paths';
import type { DeletionTarget } from '../domain/deletion';
import { toDeletionId } from '../domain/deletion';
import { documentBytes } from '../domain/document';
import { orderRecordId, productRecordId } from '../domain/identity';
import { ACCEPTED_IN_COMMIT, MAX_PENDING_BYTES } from '../domain/limits';
import { newStamp } from '../records/record-documents';
import type { AcceptanceContext } from './accept-context';
import type { Entries } from './accept-context';
import { applyDeletions } from './apply-deletion';
import type { CompoundTarget, TimedTarget } from './pending-deletions';
import { findPendingDeletions, toTargetsData } from './pending-deletions';

/** See `Entries`. What is full is applied first. @throws ContentionTimeout */
export async function planCompoundEntries(
  targets: readonly DeletionTarget[],
  { tenant, mayBePending, deadline, dependencies }: AcceptanceContext,
): Promise<Entries> {
  const { tenantId } = tenant;
  const { store } = dependencies;
  const added = new Map<string, CompoundTarget[]>();
  const bytes = new Map<string, number>();
  let taken = 0;
  for (const target of targets as readonly CompoundTarget[]) {
    const deletionId = deletionIdOf(target);
    const before = added.get(deletionId) ?? [];
    // Those of one record go together: its entry would be written again by each commit.
    const isFull = before.length > 0 && (bytes.get(deletionId) ?? 0) + bytesOf(target) > MAX_PENDING_BYTES;
    if (isFull || (added.size >= ACCEPTED_IN_COMMIT && !added.has(deletionId))) break;
    if (endsAll(target)) before.length = 0; // it leaves nothing to those before it
    before.push(target);
    bytes.set(deletionId, (before.length > 1 ? (bytes.get(deletionId) ?? 0) : 0) + bytesOf(target));
    added.set(deletionId, before);
    taken += 1;
  }
  // Nearly always nothing else is pending for a record, and what is written finds out.
  const read = () => (mayBePending ? findPendingDeletions(tenantId, [...added.keys()], store, deadline) : []);
  let pending = await read();
  const full = pending.filter(({ deletionId, targets: before }) => {
    return before.reduce((sum, { target }) => sum + bytesOf(target), bytes.get(deletionId) ?? 0) > MAX_PENDING_BYTES;
  });
  if (full.length > 0) {
    await applyDeletions(
      tenant,
      full.map(({ deletionId }) => deletionId),
      deadline,
      dependencies,
    );
    pending = await read();
  }
  const stored = new Map(pending.map((entry) => [entry.deletionId, entry]));
  const writes = [...added].map(([deletionId, news]): DocumentWrite => {
    const entry = stored.get(deletionId);
    const before: readonly TimedTarget[] = news[0] && endsAll(news[0]) ? [] : (entry?.targets ?? []);
    const data = toTargetsData(before, news, newStamp(dependencies.random));
    return { set: deletionPath(tenantId, deletionId), data, when: entry?.version ?? 'absent' };
  });
  return { writes, deletionIds: [...added.keys()], taken, needsWideFlag: false };
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
