/**
 * Accepts deletions. Acceptance decides which records a deletion targets, from what is stored at that moment (D-43).
 * Records that are written later are not among them. The commit writes an entry for each record
 * (`pending-deletions.ts`), so the deletion does not depend on its message.
 */
import type { Deadline } from '../../platform/deadline';
import type { DocumentChange, DocumentStore, Transaction, Version } from '../../documents/document-store';
import { TransactionLost } from '../../documents/document-store';
import { deletionFlagPath, deletionReceiptPath } from '../../documents/paths';
import { KnownDocuments } from '../../documents/known-documents';
import type { DeletionRequested, DeletionTarget } from '../../domain/deletion';
import { toMatchable } from '../../domain/deletion';
import type { RecordKind } from '../../domain/identity';
import {
  ACCEPTED_IN_COMMIT,
  DELETION_RECEIPT_SECONDS,
  DELETIONS_IN_EVENT,
  MANY_MATCHES_AT_ONCE,
} from '../../limits/deletions';
import type { Tenant } from '../../domain/tenant';
import { chunksOf } from '../../platform/chunks';
import { waitForAll } from '../../platform/async/in-parallel';
import { retryConflicts } from '../../workspace/retry-conflicts';
import { ConcurrencyLimit } from '../../platform/async/concurrency-limit';
import { planCompoundEntries } from './accept-compounds';
import { customersByKey, planCustomerEntries, soleIdentifierIn } from './accept-customers';
import type { Acceptance, AcceptanceDependencies, Prerequisites } from './accept-context';
import { applyDeletions } from '../apply-deletion';
import { requestDrainUnlessUnderWay } from '../drains';
import { areKeyedBy } from '../../workspace/customer-keys';
import { raiseFlag, toPendingFlag } from '../pending-flag';
import { toUnreadRemoval } from '../unread-removal';
import { applyWideDeletionFirst } from '../wide-deletions';

/** Deletions that were accepted. */
interface Accepted extends Acceptance {
  /** The version of the commit. Undefined: its answer was lost. */
  readonly version?: Version;
}

/** Limits the lookups of very many customers in this process, whichever requests they are for: memory. */
const largeLookups = new ConcurrencyLimit(MANY_MATCHES_AT_ONCE);

/**
 * Accepts deletions of one kind in their order. Resolves when they are durable, in the database and as messages.
 * A deletion that no stored record can match writes nothing. After an error the deletions that were accepted are
 * applied, and repeating all of them is safe.
 * @param onAccepted called after each commit, with how many of the targets are durable by then, from the first on
 * @throws ContentionTimeout
 */
export async function acceptDeletions(
  tenant: Tenant,
  kind: RecordKind,
  targets: readonly DeletionTarget[],
  deadline: Deadline,
  dependencies: AcceptanceDependencies,
  onAccepted: (count: number) => void = () => undefined,
): Promise<void> {
  const matchable = targets.flatMap((sent, index) => {
    const target = toMatchable(sent);
    return target ? [{ target, index }] : [];
  });
  const written = new Set<string>();
  for (let rest = matchable; rest.length > 0;) {
    const waiting = rest.map(({ target }) => target);
    const acceptance = await acceptSome(tenant, kind, waiting, written, deadline, dependencies);
    await publish(tenant, kind, acceptance, dependencies);
    for (const id of acceptance.deletionIds) written.add(id);
    rest = rest.slice(acceptance.acceptedCount);
    onAccepted(rest[0]?.index ?? targets.length);
  }
}

async function publish(
  { tenantId }: Tenant,
  kind: RecordKind,
  accepted: Accepted,
  dependencies: AcceptanceDependencies,
): Promise<void> {
  const { publisher, deletionsTopic } = dependencies;
  const { deletionIds, repeatedIds = [], hasWide, version } = accepted;
  const removal = version && toUnreadRemoval(accepted, version);
  const toEvents = (ids: readonly string[], told: Pick<DeletionRequested, 'removal'>) =>
    chunksOf(ids, DELETIONS_IN_EVENT).map((some): DeletionRequested => ({ tenantId, deletionIds: some, ...told }));
  const events = [...toEvents(deletionIds, removal ? { removal } : {}), ...toEvents(repeatedIds, {})];
  await waitForAll([
    ...events.map((event) => publisher.publish(deletionsTopic, event)),
    ...(hasWide ? [requestDrainUnlessUnderWay({ tenantId, kind }, dependencies)] : []),
  ]);
}

/**
 * Accepts as many deletions as one commit takes, from the first on.
 * @param written ids of entries that the commits before have written
 * @throws ContentionTimeout
 */
async function acceptSome(
  tenant: Tenant,
  kind: RecordKind,
  targets: readonly DeletionTarget[],
  written: ReadonlySet<string>,
  deadline: Deadline,
  dependencies: AcceptanceDependencies,
): Promise<Accepted> {
  const { tenantId } = tenant;
  const { store, random } = dependencies;
  const flagPath = deletionFlagPath(tenantId, kind);
  const inCommit = targets.slice(0, ACCEPTED_IN_COMMIT);
  const namedByKey = kind === 'customers' ? customersByKey(tenant, inCommit) : [];
  const receiptId = random.bytes(15).toString('base64url');
  const attempts: Acceptance[] = [];
  let prerequisites: Prerequisites = {};
  let accepted: Accepted | undefined;
  await retryConflicts(
    [kind],
    async (open) => {
      if (attempts.some(({ acceptedCount }) => needsReceipt(targets.slice(0, acceptedCount)))) {
        // An earlier attempt may have been committed and its answer lost. Accepting again could target other records.
        const receipt = await store.get(deletionReceiptPath(tenantId, receiptId), deadline);
        accepted = receipt && attempts[receipt.data.attempt as number];
        if (accepted) return [];
      }
      if (prerequisites.pending) await applyDeletions(tenant, prerequisites.pending, deadline, dependencies);
      if (prerequisites.wide) await applyWideDeletionFirst(tenant, prerequisites.wide, deadline, dependencies);
      const { needsFlag } = prerequisites;
      if (needsFlag) await raiseFlag(tenantId, kind, needsFlag, deadline, dependencies);
      const allowsLargeLookup = prerequisites.needsLargeLookup === true;
      const attempt = () =>
        inTransaction(store, deadline, async (transaction) => {
          const reads = await KnownDocuments.of(transaction, [flagPath, ...namedByKey], deadline);
          const stored = await reads.get(flagPath, deadline);
          const flag = stored && toPendingFlag(stored);
          const areCustomersKeyed = kind === 'customers' && areKeyedBy(tenant, stored?.data);
          const soleIdentifier = areCustomersKeyed ? soleIdentifierIn(tenant, inCommit) : undefined;
          if (!flag?.isRaised) {
            // Nearly always it is raised. It is raised outside of the transaction: transactions that all have read it
            // and want to write it would wait for each other.
            prerequisites = { needsFlag: { soleIdentifier }, ...prerequisites };
            return open;
          }
          const { hasWide } = flag;
          if (flag.soleIdentifier !== undefined && flag.soleIdentifier !== soleIdentifier) {
            prerequisites = { ...prerequisites, needsFlag: {} };
            return open;
          }
          const readsPending = attempts.length > 0 || prerequisites.pending !== undefined;
          const context = {
            tenant,
            hasWide,
            areCustomersKeyed,
            reads,
            readsPending,
            written,
            allowsLargeLookup,
            deadline,
            dependencies,
          };
          const plan =
            kind === 'customers'
              ? await planCustomerEntries(inCommit, context)
              : await planCompoundEntries(targets, context);
          if ('prerequisites' in plan) {
            prerequisites = { ...prerequisites, pending: undefined, wide: undefined, ...plan.prerequisites };
            return open;
          }
          const { acceptance } = plan;
          const acceptedTargets = targets.slice(0, acceptance.acceptedCount);
          const receipt = toReceipt(tenant, acceptedTargets, receiptId, attempts.length, dependencies);
          attempts.push(acceptance);
          const version = await transaction.commit([...acceptance.writes, ...receipt], deadline);
          if (version === 'conflict') return open;
          accepted = { ...acceptance, version };
          return [];
        });
      return (await (allowsLargeLookup ? largeLookups.run(attempt) : attempt())) ?? open;
    },
    deadline,
    dependencies,
  );
  if (!accepted) throw new Error('Deletions were accepted and are not known.');
  return accepted;
}

/** Runs work in a transaction and ends it. @returns undefined when the transaction was lost: repeat it */
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
    await transaction.end();
  }
}

/** The receipt: it says which attempt accepted these deletions. No write where accepting them twice does no harm. */
function toReceipt(
  { tenantId }: Tenant,
  targets: readonly DeletionTarget[],
  receiptId: string,
  attempt: number,
  { clock }: AcceptanceDependencies,
): DocumentChange[] {
  if (!needsReceipt(targets)) return [];
  const expireAt = new Date(clock.nowMs() + DELETION_RECEIPT_SECONDS * 1000);
  return [{ set: deletionReceiptPath(tenantId, receiptId), data: { expireAt, attempt }, when: 'absent' }];
}

/**
 * Whether one of these deletions must not be accepted twice. With one identifier, a second acceptance targets the same
 * records and those written since, as if it had been sent later. With two identifiers it may target other records,
 * because the first acceptance has removed what the first identifier matched.
 */
export function needsReceipt(targets: readonly DeletionTarget[]): boolean {
  return targets.some(
    (target) =>
      (target.type === 'customer' && target.customerId !== null && target.email !== null) ||
      (target.type === 'orderItem' && target.productId !== null && target.sku !== null),
  );
}
