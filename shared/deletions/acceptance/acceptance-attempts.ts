import type { Deadline } from '../../platform/deadline';
import type { DocumentChange, DocumentStore, Transaction, Version } from '../../documents/document-store';
import { TransactionLost } from '../../documents/document-store';
import { deletionFlagPath, deletionReceiptPath } from '../../documents/paths';
import { KnownDocuments } from '../../documents/known-documents';
import type { DeletionTarget } from '../../domain/deletion';
import type { RecordKind } from '../../domain/identity';
import { ACCEPTED_IN_COMMIT, DELETION_RECEIPT_SECONDS, MANY_MATCHES_AT_ONCE } from '../../limits/deletions';
import type { Tenant } from '../../domain/tenant';
import { ConcurrencyLimit } from '../../platform/async/concurrency-limit';
import { planCompoundEntries } from './accept-compounds';
import { customersByKey, planCustomerEntries, soleIdentifierIn } from './accept-customers';
import type { Acceptance, AcceptanceDependencies, Prerequisites } from './accept-context';
import { applyDeletions } from '../apply-deletion';
import { areKeyedBy } from '../../workspace/customer-keys';
import { raiseFlag, toPendingFlag } from '../pending-flag';
import { applyWideDeletionFirst } from '../wide-deletions';

/** Deletions that were accepted. */
export interface Accepted extends Acceptance {
  /** The version of the commit. Undefined: its answer was lost. */
  readonly version?: Version;
}

/** Limits the lookups of very many customers in this process, whichever requests they are for: memory. */
const largeLookups = new ConcurrencyLimit(MANY_MATCHES_AT_ONCE);

/** The attempts to accept deletions in one commit. Each first does what the one before it has found to be missing. */
export class AcceptanceAttempts {
  /** What each of them would accept or has accepted, in their order. The receipt names one by its index. */
  private readonly acceptances: Acceptance[] = [];
  private prerequisites: Prerequisites = {};
  private readonly receiptId: string;
  private readonly inCommit: readonly DeletionTarget[];
  private readonly namedByKey: readonly string[];

  constructor(
    private readonly tenant: Tenant,
    private readonly kind: RecordKind,
    private readonly targets: readonly DeletionTarget[],
    private readonly written: ReadonlySet<string>,
    private readonly deadline: Deadline,
    private readonly dependencies: AcceptanceDependencies,
  ) {
    this.receiptId = dependencies.random.bytes(15).toString('base64url');
    this.inCommit = targets.slice(0, ACCEPTED_IN_COMMIT);
    this.namedByKey = kind === 'customers' ? customersByKey(tenant, this.inCommit) : [];
  }

  /** @returns undefined when no commit is known: another one wrote, its answer was lost, or something comes first */
  async next(): Promise<Accepted | undefined> {
    const committed = await this.findCommitted();
    if (committed) return committed;
    await this.meetPrerequisites();
    const attempt = () =>
      inTransaction(this.dependencies.store, this.deadline, (transaction) => this.acceptIn(transaction));
    return this.allowsLargeLookup ? largeLookups.run(attempt) : attempt();
  }

  /** An earlier attempt that was committed, and its answer lost. Accepting again could target other records. */
  private async findCommitted(): Promise<Acceptance | undefined> {
    const hasReceipt = ({ acceptedCount }: Acceptance) => needsReceipt(this.targets.slice(0, acceptedCount));
    if (!this.acceptances.some(hasReceipt)) return undefined;
    const path = deletionReceiptPath(this.tenant.tenantId, this.receiptId);
    const receipt = await this.dependencies.store.get(path, this.deadline);
    return receipt && this.acceptances[receipt.data.attempt as number];
  }

  private async meetPrerequisites(): Promise<void> {
    const { tenant, kind, deadline, dependencies } = this;
    const { pending, wide, needsFlag } = this.prerequisites;
    if (pending) await applyDeletions(tenant, pending, deadline, dependencies);
    if (wide) await applyWideDeletionFirst(tenant, wide, deadline, dependencies);
    if (needsFlag) await raiseFlag(tenant.tenantId, kind, needsFlag, deadline, dependencies);
  }

  private get allowsLargeLookup(): boolean {
    return this.prerequisites.needsLargeLookup === true;
  }

  private async acceptIn(transaction: Transaction): Promise<Accepted | undefined> {
    const { tenant, kind, targets, written, deadline, dependencies, allowsLargeLookup } = this;
    const flagPath = deletionFlagPath(tenant.tenantId, kind);
    const reads = await KnownDocuments.of(transaction, [flagPath, ...this.namedByKey], deadline);
    const stored = await reads.get(flagPath, deadline);
    const flag = stored && toPendingFlag(stored);
    const areCustomersKeyed = kind === 'customers' && areKeyedBy(tenant, stored?.data);
    const soleIdentifier = areCustomersKeyed ? soleIdentifierIn(tenant, this.inCommit) : undefined;
    if (!flag?.isRaised) {
      // Nearly always it is raised. It is raised outside of the transaction: transactions that all have read it
      // and want to write it would wait for each other.
      this.prerequisites = { needsFlag: { soleIdentifier }, ...this.prerequisites };
      return undefined;
    }
    const { hasWide } = flag;
    if (flag.soleIdentifier !== undefined && flag.soleIdentifier !== soleIdentifier) {
      this.prerequisites = { ...this.prerequisites, needsFlag: {} };
      return undefined;
    }
    const readsPending = this.acceptances.length > 0 || this.prerequisites.pending !== undefined;
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
        ? await planCustomerEntries(this.inCommit, context)
        : await planCompoundEntries(targets, context);
    if ('prerequisites' in plan) {
      this.prerequisites = { ...this.prerequisites, pending: undefined, wide: undefined, ...plan.prerequisites };
      return undefined;
    }
    const { acceptance } = plan;
    const writes = [...acceptance.writes, ...this.receiptOf(acceptance)];
    this.acceptances.push(acceptance);
    const version = await transaction.commit(writes, deadline);
    return version === 'conflict' ? undefined : { ...acceptance, version };
  }

  /** The receipt: it says which attempt has accepted the deletions. None where accepting them twice does no harm. */
  private receiptOf({ acceptedCount }: Acceptance): DocumentChange[] {
    if (!needsReceipt(this.targets.slice(0, acceptedCount))) return [];
    const expireAt = new Date(this.dependencies.clock.nowMs() + DELETION_RECEIPT_SECONDS * 1000);
    const path = deletionReceiptPath(this.tenant.tenantId, this.receiptId);
    return [{ set: path, data: { expireAt, attempt: this.acceptances.length }, when: 'absent' }];
  }
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
