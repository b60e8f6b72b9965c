/**
 * Accepts deletions. What each means is settled here, from what is stored in this moment (D-43); from then on it is
 * about certain records. The commit that accepts it writes an entry for each of them (`pending-deletions.ts`), so that
 * it outlives its message.
 */
import type { Deadline } from '../platform/deadline';
import type { DocumentChange, DocumentStore, Transaction } from '../documents/document-store';
import { TransactionLost } from '../documents/document-store';
import { deletionFlagPath, deletionReceiptPath } from '../documents/paths';
import type { DeletionRequested, DeletionTarget, DrainRequested } from '../domain/deletion';
import { toMatchable } from '../domain/deletion';
import type { RecordKind } from '../domain/identity';
import {
  ACCEPTED_IN_COMMIT,
  DELETION_RECEIPT_SECONDS,
  DELETIONS_IN_EVENT,
  MANY_MATCHES_AT_ONCE,
} from '../limits/deletions';
import type { Tenant } from '../domain/tenant';
import { chunksOf } from '../platform/chunks';
import { waitForAll } from '../platform/async/in-parallel';
import { retryConflicts } from '../workspace/retry-conflicts';
import { ConcurrencyLimit } from '../platform/async/concurrency-limit';
import { planCompoundEntries } from './accept-compounds';
import { planCustomerEntries } from './accept-customers';
import type { AcceptanceDependencies, Entries, Obstacle } from './accept-context';
import { applyDeletions } from './apply-deletion';
import { raiseFlag, toRaisedFlag } from './pending-flag';

/** Look-ups of many customers that are in the memory of this process, whichever requests they are for. */
const manyMatches = new ConcurrencyLimit(MANY_MATCHES_AT_ONCE);

/**
 * Accepts deletions of one kind in their order: resolves when they are durable, in the database and as a message. When
 * it fails in between, what was accepted is applied, and a repeat of all of them is safe. One that no stored record can
 * match leaves nothing behind. @throws ContentionTimeout
 */
export async function acceptDeletions(
  tenant: Tenant,
  kind: RecordKind,
  targets: readonly DeletionTarget[],
  deadline: Deadline,
  dependencies: AcceptanceDependencies,
): Promise<void> {
  const matchable = targets.flatMap((target) => toMatchable(target) ?? []);
  for (let rest: readonly DeletionTarget[] = matchable; rest.length > 0;) {
    const entries = await acceptSome(tenant, kind, rest, deadline, dependencies);
    await publish(tenant, kind, entries, dependencies);
    rest = rest.slice(entries.taken);
  }
}

async function publish(
  { tenantId }: Tenant,
  kind: RecordKind,
  { deletionIds, hasWide }: Entries,
  { publisher, deletionsTopic }: Pick<AcceptanceDependencies, 'publisher' | 'deletionsTopic'>,
): Promise<void> {
  const events: (DeletionRequested | DrainRequested)[] = chunksOf(deletionIds, DELETIONS_IN_EVENT).map((ids) => ({
    tenantId,
    deletionIds: ids,
  }));
  if (hasWide) events.push({ tenantId, drain: kind });
  await waitForAll(events.map((event) => publisher.publish(deletionsTopic, event)));
}

/** Accepts as many deletions, from the first on, as one commit takes. */
async function acceptSome(
  tenant: Tenant,
  kind: RecordKind,
  targets: readonly DeletionTarget[],
  deadline: Deadline,
  dependencies: AcceptanceDependencies,
): Promise<Entries> {
  const { tenantId } = tenant;
  const { store, random } = dependencies;
  const unique = random.bytes(15).toString('base64url');
  const attempts: Entries[] = [];
  let obstacle: Obstacle = {};
  let accepted: Entries | undefined;
  await retryConflicts(
    [kind],
    async (open) => {
      if (attempts.some((entries) => needsReceipt(targets.slice(0, entries.taken)))) {
        // The answer to an attempt before may have been lost. A second acceptance could mean other records.
        const receipt = await store.get(deletionReceiptPath(tenantId, unique), deadline);
        accepted = receipt && attempts[receipt.data.attempt as number];
        if (accepted) return [];
      }
      if (obstacle.pending) await applyDeletions(tenant, obstacle.pending, deadline, dependencies);
      // Before the transaction, which would have to be given up otherwise. It nearly always is raised.
      await raiseFlag(tenantId, kind, obstacle.needsWideFlag === true, deadline, dependencies);
      const hasTurn = obstacle.needsTurn === true;
      const attempt = () =>
        inTransaction(store, deadline, async (transaction) => {
          const stored = await transaction.get(deletionFlagPath(tenantId, kind), deadline);
          const flag = stored && toRaisedFlag(stored);
          if (!flag?.isRaised) return open;
          const mayBePending = attempts.length > 0 || obstacle.pending !== undefined;
          const context = { tenant, flag, transaction, mayBePending, hasTurn, deadline, dependencies };
          const plan =
            kind === 'customers'
              ? await planCustomerEntries(targets.slice(0, ACCEPTED_IN_COMMIT), context)
              : await planCompoundEntries(targets, context);
          if ('obstacle' in plan) {
            obstacle = { ...obstacle, pending: undefined, ...plan.obstacle };
            return open;
          }
          const { entries } = plan;
          const receipt = toReceipt(tenant, targets.slice(0, entries.taken), unique, attempts.length, dependencies);
          attempts.push(entries);
          if ((await transaction.commit([...entries.writes, ...receipt], deadline)) === 'conflict') return open;
          accepted = entries;
          return [];
        });
      return (await (hasTurn ? manyMatches.run(attempt) : attempt())) ?? open;
    },
    deadline,
    dependencies,
  );
  if (!accepted) throw new Error('Deletions were accepted and are not known.');
  return accepted;
}

/** Works in a transaction, and ends it. @returns undefined: it was lost, and is to be repeated */
async function inTransaction<T>(
  store: DocumentStore,
  deadline: Deadline,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T | undefined> {
  const transaction = await store.begin(deadline);
  try {
    return await work(transaction);
  } catch (error) {
    if (error instanceof TransactionLost) return undefined;
    throw error;
  } finally {
    await transaction.end(deadline);
  }
}

/** What tells that these were accepted, and by which attempt, where they must not be twice. */
function toReceipt(
  { tenantId }: Tenant,
  targets: readonly DeletionTarget[],
  unique: string,
  attempt: number,
  { clock }: AcceptanceDependencies,
): DocumentChange[] {
  if (!needsReceipt(targets)) return [];
  const expireAt = new Date(clock.nowMs() + DELETION_RECEIPT_SECONDS * 1000);
  return [{ set: deletionReceiptPath(tenantId, unique), data: { expireAt, attempt }, when: 'absent' }];
}

/**
 * Whether one of these must not be accepted twice. By one identifier a second acceptance means the same records, or
 * what was written since, which is as if it had been sent later. By two, what the first one has removed may let the
 * second one mean other records.
 */
function needsReceipt(targets: readonly DeletionTarget[]): boolean {
  return targets.some(
    (target) =>
      (target.type === 'customer' && target.customerId !== null && target.email !== null) ||
      (target.type === 'orderItem' && target.productId !== null && target.sku !== null),
  );
}
