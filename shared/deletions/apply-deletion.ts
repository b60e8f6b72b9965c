/** Applies accepted deletions: each in one commit with its own removal from the log, so that it happens once. */
import type { Deadline } from '../deadline';
import type { DocumentStore, DocumentWrite, StoredDocument } from '../documents/document-store';
import { deletionPath, recordPath, recordsPath } from '../documents/paths';
import type { CustomerLookup, DeletionTarget } from '../domain/deletion';
import { customerLookups, DELETION_KIND } from '../domain/deletion';
import type { RecordId, RecordKind } from '../domain/identity';
import { orderRecordId, productRecordId } from '../domain/identity';
import { DELETION_STEP_RECORDS } from '../domain/limits';
import type { OrderRecord } from '../domain/order';
import { removeItems } from '../domain/order';
import type { ProductRecord } from '../domain/product';
import { removeVariant } from '../domain/product';
import type { Tenant } from '../domain/tenant';
import { toMatchingEmail, toMatchingId } from '../domain/text';
import type { RecordDependencies } from '../records/record-dependencies';
import { fromDocument, MATCHING_CUSTOMER_ID, MATCHING_EMAIL, newStamp, toDocument } from '../records/record-documents';
import { settle } from '../records/settle';
import { reindex, skuEntryPaths } from '../records/sku-index';
import { Workspace } from '../records/workspace';
import type { LoggedDeletion } from './deletion-log';
import { findPendingDeletion, listPendingDeletions, toDeletionDocument } from './deletion-log';

/** Applies all pending deletions that can touch records of this kind. Called before records of the kind are written. */
export async function applyPendingDeletions(
  tenant: Tenant,
  kind: RecordKind,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  const pending = await listPendingDeletions(tenant.tenantId, dependencies.store, deadline);
  const touching = pending.filter(({ target }) => DELETION_KIND[target.type] === kind);
  await Promise.all(touching.map(({ deletionId }) => applyDeletion(tenant, deletionId, deadline, dependencies)));
}

/**
 * Applies a deletion: removes what it addresses and takes it out of the log, both or neither. One that is not in the log
 * has been applied: nothing happens. @throws ContentionTimeout
 */
export async function applyDeletion(
  tenant: Tenant,
  deletionId: string,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  await settle(
    [deletionId],
    async () => {
      const deletion = await findPendingDeletion(tenant.tenantId, deletionId, dependencies.store, deadline);
      if (!deletion) return [];
      const step = await planStep(tenant, deletion, deadline, dependencies);
      const outcome = await dependencies.store.commit(step.writes, deadline);
      return outcome === 'written' && step.isLast ? [] : [deletionId];
    },
    deadline,
    dependencies,
  );
}

/** What one commit does; nearly always the only one of its deletion. */
interface Step {
  readonly writes: readonly DocumentWrite[];
  readonly isLast: boolean;
}

async function planStep(
  tenant: Tenant,
  deletion: LoggedDeletion,
  deadline: Deadline,
  { store, random }: RecordDependencies,
): Promise<Step> {
  const { tenantId } = tenant;
  const { target } = deletion;
  const logPath = deletionPath(tenantId, deletion.deletionId);
  const done: DocumentWrite = { delete: logPath, when: 'present' };
  if (target.type === 'customer') {
    const { by, found } = await findCustomers(tenant, deletion, target, store, deadline);
    const removals = found.slice(0, DELETION_STEP_RECORDS).map(toRemoval);
    if (found.length <= DELETION_STEP_RECORDS) return { writes: [...removals, done], isLast: true };
    // Once some are removed, the identifier that found them must stay the one that counts (D-43).
    const progress = toDeletionDocument({ ...deletion, ...(by && { matchedBy: by }) });
    return { writes: [...removals, { set: logPath, data: progress, when: 'present' }], isLast: false };
  }
  const workspace = new Workspace(store, deadline);
  if (DELETION_KIND[target.type] === 'orders')
    await changeOrder(workspace, tenant, target as OrderTarget, newStamp(random));
  else await changeProduct(workspace, tenant, target as ProductTarget, newStamp(random));
  return { writes: [...workspace.toWrites(), done], isLast: true };
}

type CustomerTarget = Extract<DeletionTarget, { type: 'customer' }>;
type ProductTarget = Extract<DeletionTarget, { type: 'product' | 'variant' }>;
type OrderTarget = Extract<DeletionTarget, { type: 'order' | 'orderItem' }>;

function toRemoval({ path, version }: StoredDocument): DocumentWrite {
  return { delete: path, when: version };
}

/** The matching customers, one more than a step removes. */
async function findCustomers(
  tenant: Tenant,
  { matchedBy }: LoggedDeletion,
  target: CustomerTarget,
  store: DocumentStore,
  deadline: Deadline,
): Promise<{ by?: CustomerLookup['by']; found: readonly StoredDocument[] }> {
  const lookups = customerLookups(target, tenant.customerIdentifier);
  for (const lookup of lookups.filter(({ by }) => matchedBy === undefined || by === matchedBy)) {
    const found = await lookUpCustomers(tenant.tenantId, lookup, DELETION_STEP_RECORDS + 1, store, deadline);
    if (found.length > 0) return { by: lookup.by, found };
  }
  return { found: [] };
}

/** Stored customers with this e-mail or customer id, at most `limit`. */
export function lookUpCustomers(
  tenantId: string,
  { by, value }: CustomerLookup,
  limit: number,
  store: DocumentStore,
  deadline: Deadline,
): Promise<StoredDocument[]> {
  const [field, matching] =
    by === 'email' ? [MATCHING_EMAIL, toMatchingEmail(value)] : [MATCHING_CUSTOMER_ID, toMatchingId(value)];
  return store.findWhere(recordsPath(tenantId, 'customers'), field, matching, limit, deadline);
}

async function changeOrder(workspace: Workspace, tenant: Tenant, target: OrderTarget, stamp: string): Promise<void> {
  const path = recordPath(tenant.tenantId, 'orders', orderRecordId(target.orderId));
  await workspace.load([path]);
  const data = workspace.get(path);
  if (!data) return;
  if (target.type === 'order') {
    workspace.put(path, undefined);
    return;
  }
  const after = removeItems(fromDocument<OrderRecord>(data), target, tenant.productIdentifier);
  if (after) workspace.put(path, toDocument(after, stamp));
}

async function changeProduct(
  workspace: Workspace,
  tenant: Tenant,
  target: ProductTarget,
  stamp: string,
): Promise<void> {
  const id = productRecordId(target.productId);
  const path = recordPath(tenant.tenantId, 'products', id);
  await workspace.load([path]);
  const data = workspace.get(path);
  if (!data) return;
  const before = fromDocument<ProductRecord>(data);
  const after = target.type === 'product' ? undefined : removeVariant(before, target.variantId);
  if (target.type === 'variant' && !after) return;
  workspace.put(path, after && toDocument(after, stamp));
  await reindexProduct(workspace, tenant, id, before, after);
}

async function reindexProduct(
  workspace: Workspace,
  tenant: Tenant,
  id: RecordId,
  before: ProductRecord,
  after: ProductRecord | undefined,
): Promise<void> {
  if (tenant.productIdentifier !== 'sku') return;
  await workspace.load(skuEntryPaths(tenant.tenantId, [before]));
  reindex(workspace, tenant.tenantId, id, before, after);
}
