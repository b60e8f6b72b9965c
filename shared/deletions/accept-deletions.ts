/**
 * Accepts deletions. What each means is settled here, from what is stored in this moment (D-43); from then on it is
 * about certain records. The commit that accepts it writes an entry for each of them (`pending-deletions.ts`), so that
 * it outlives its message.
 */
import type { Deadline } from '../deadline';
import type { CommitOutcome, DocumentChange, DocumentStore, Transaction } from '../documents/document-store';
import { TransactionLost } from '../documents/document-store';
import { deletionFlagPath, deletionReceiptPath } from '../documents/paths';
import type { DeletionRequested, DeletionTarget, DrainRequested } from '../domain/deletion';
import { toMatchable } from '../domain/deletion';
import type { RecordKind } from '../domain/identity';
import { ACCEPTED_IN_COMMIT, DELETION_RECEIPT_SECONDS, DELETIONS_IN_EVENT } from '../domain/limits';
import type { Tenant } from '../domain/tenant';
import { chunksOf } from '../chunks';
import { allOver } from '../in-parallel';
import { settle } from '../records/settle';
import { planCompoundEntries } from './accept-compounds';
import { planCustomerEntries } from './accept-customers';
import type { AcceptanceDependencies, Entries } from './accept-context';
import { raiseFlag, toRaisedFlag } from './pending-flag';

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
  { deletionIds, needsWideFlag }: Entries,
  { publisher, deletionsTopic }: Pick<AcceptanceDependencies, 'publisher' | 'deletionsTopic'>,
): Promise<void> {
  const events: (DeletionRequested | DrainRequested)[] = chunksOf(deletionIds, DELETIONS_IN_EVENT).map((ids) => ({
    tenantId,
    deletionIds: ids,
  }));
  if (needsWideFlag) events.push({ tenantId, drain: kind });
  await allOver(events.map((event) => publisher.publish(deletionsTopic, event)));
}

/** Accepts as many deletions, from the first on, as one commit takes. */
async function acceptSome(
  tenant: Tenant,
  kind: RecordKind,
  targets: readonly DeletionTarget[],
  deadline: Deadline,
  dependencies: AcceptanceDependencies,
): Promise<Entries> {
  const { store, random } = dependencies;
  const unique = random.bytes(15).toString('base64url');
  let accepted: Entries | undefined;
  let tried: Entries | undefined;
  await settle(
    [kind],
    async (open) => {
      if (tried && needsReceipt(targets.slice(0, tried.taken))) {
        // The answer to the attempt before may have been lost. A second acceptance could mean other records.
        if (await store.get(deletionReceiptPath(tenant.tenantId, unique), deadline)) {
          accepted = tried;
          return [];
        }
      }
      const mayBePending = tried !== undefined;
      const attempt = await inTransaction(store, deadline, async (transaction): Promise<Attempt> => {
        const stored = await transaction.get(deletionFlagPath(tenant.tenantId, kind), deadline);
        const flag = stored && toRaisedFlag(stored);
        if (!flag?.isRaised) return { needsFlag: { isWide: flag?.hasWide === true } };
        const context = { tenant, flag, transaction, mayBePending, deadline, dependencies };
        const entries =
          kind === 'customers'
            ? await planCustomerEntries(targets.slice(0, ACCEPTED_IN_COMMIT), context)
            : await planCompoundEntries(targets, context);
        if (entries.needsWideFlag && !flag.hasWide) return { needsFlag: { isWide: true } };
        tried = entries;
        const receipt = toReceipt(tenant, targets.slice(0, entries.taken), unique, dependencies);
        return { outcome: await transaction.commit([...entries.writes, ...receipt], deadline) };
      });
      if (attempt?.needsFlag) {
        await raiseFlag(tenant.tenantId, kind, attempt.needsFlag.isWide, deadline, dependencies);
      }
      if (attempt?.outcome === undefined || attempt.outcome === 'conflict') return open;
      accepted = tried;
      return [];
    },
    deadline,
    dependencies,
  );
  if (!accepted) throw new Error('Deletions were accepted and are not known.');
  return accepted;
}

/** What came of a transaction. */
interface Attempt {
  /** Nothing, as the flag has to be raised first. */
  readonly needsFlag?: { readonly isWide: boolean };
  readonly outcome?: CommitOutcome;
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

/** What tells that these were accepted, where they must not be twice. */
function toReceipt(
  { tenantId }: Tenant,
  targets: readonly DeletionTarget[],
  unique: string,
  { clock }: AcceptanceDependencies,
): DocumentChange[] {
  if (!needsReceipt(targets)) return [];
  const expireAt = new Date(clock.nowMs() + DELETION_RECEIPT_SECONDS * 1000);
  return [{ set: deletionReceiptPath(tenantId, unique), data: { expireAt }, when: 'absent' }];
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
