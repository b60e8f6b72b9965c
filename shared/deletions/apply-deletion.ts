/** Applies accepted deletions: each in one commit with its own removal from the log, so that it happens once. */
import type { Deadline } from '../deadline';
import type { DocumentStore, DocumentWrite, StoredDocument } from '../documents/document-store';
import { deletionPath, idOf, recordPath, recordsPath } from '../documents/paths';
import type { CustomerLookup, DeletionTarget } from '../domain/deletion';
import { customerLookups, DELETION_KIND } from '../domain/deletion';
import type { RecordId, RecordKind } from '../domain/identity';
import { customerIdentities, orderRecordId, productRecordId } from '../domain/identity';
import type { DocumentData } from '../domain/document';
import { DELETION_STEP_RECORDS } from '../domain/limits';
import type { OrderRecord } from '../domain/order';
import { removeItems } from '../domain/order';
import type { ProductRecord } from '../domain/product';
import { removeVariant } from '../domain/product';
import type { Tenant } from '../domain/tenant';
import { toMatchingEmail, toMatchingId } from '../domain/text';
import type { RecordDependencies } from '../records/record-dependencies';
import {
  AS_OF,
  asOf,
  fromDocument,
  MATCHING_CUSTOMER_ID,
  MATCHING_EMAIL,
  newStamp,
  toDocument,
} from '../records/record-documents';
import { settle } from '../records/settle';
import { reindex, skuEntryPaths } from '../records/sku-index';
import { bury } from '../records/tombstones';
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
  const { target } = deletion;
  const workspace = new Workspace(store, deadline);
  const logPath = deletionPath(tenant.tenantId, deletion.deletionId);
  if (target.type === 'customer') {
    const progress = await removeCustomers(workspace, tenant, { ...deletion, target }, store, deadline);
    if (progress) {
      const half = { set: logPath, data: toDeletionDocument(progress), when: 'present' } as const;
      return { writes: [...workspace.toWrites(), half], isLast: false };
    }
  } else {
    const change = { acceptedAt: deletion.acceptedAt, stamp: newStamp(random) };
    if (target.type === 'order' || target.type === 'orderItem') await changeOrder(workspace, tenant, target, change);
    else await changeProduct(workspace, tenant, target, change);
  }
  return { writes: [...workspace.toWrites(), { delete: logPath, when: 'present' }], isLast: true };
}

type CustomerTarget = Extract<DeletionTarget, { type: 'customer' }>;
type ProductTarget = Extract<DeletionTarget, { type: 'product' | 'variant' }>;
type OrderTarget = Extract<DeletionTarget, { type: 'order' | 'orderItem' }>;

/** What changes a record beside its content. */
interface Change {
  readonly acceptedAt: Date;
  readonly stamp: string;
}

/** Removes the matching customers, or as many as one step takes: then the deletion as it goes on. */
async function removeCustomers(
  workspace: Workspace,
  tenant: Tenant,
  deletion: LoggedDeletion & { readonly target: CustomerTarget },
  store: DocumentStore,
  deadline: Deadline,
): Promise<LoggedDeletion | undefined> {
  const { target, matchedBy, acceptedAt } = deletion;
  const lookups = customerLookups(target, tenant.customerIdentifier).filter(
    ({ by }) => matchedBy === undefined || by === matchedBy,
  );
  let found: readonly StoredDocument[] = [];
  let counted = lookups; // where nothing matches, every identifier of the deletion counts
  for (const lookup of lookups) {
    found = await lookUpCustomers(tenant.tenantId, lookup, DELETION_STEP_RECORDS + 1, store, deadline);
    if (found.length === 0) continue;
    counted = [lookup];
    break;
  }
  const removed = found.slice(0, DELETION_STEP_RECORDS);
  workspace.adopt(removed);
  for (const { path } of removed) workspace.put(path, undefined);
  const identities = counted.flatMap(({ by, value }) =>
    customerIdentities(by === 'email' ? { Email: value } : { CustomerId: value }),
  );
  await bury(
    workspace,
    tenant.tenantId,
    [...removed.map(({ path }) => idOf(path) as RecordId), ...identities],
    acceptedAt,
  );
  if (found.length <= DELETION_STEP_RECORDS) return undefined;
  // Once some are removed, the identifier that found them must stay the one that counts (D-43).
  return { ...deletion, ...(counted[0] && { matchedBy: counted[0].by }) };
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

async function changeOrder(workspace: Workspace, tenant: Tenant, target: OrderTarget, change: Change): Promise<void> {
  const id = orderRecordId(target.orderId);
  const path = recordPath(tenant.tenantId, 'orders', id);
  await workspace.load([path]);
  if (target.type === 'order') {
    workspace.put(path, undefined);
    await bury(workspace, tenant.tenantId, [id], change.acceptedAt);
    return;
  }
  const stored = workspace.stored(path);
  const after = stored && removeItems(fromDocument<OrderRecord>(stored.data), target, tenant.productIdentifier);
  if (stored && after) workspace.put(path, toChanged(after, stored, change));
}

async function changeProduct(
  workspace: Workspace,
  tenant: Tenant,
  target: ProductTarget,
  change: Change,
): Promise<void> {
  const id = productRecordId(target.productId);
  const path = recordPath(tenant.tenantId, 'products', id);
  await workspace.load([path]);
  const stored = workspace.stored(path);
  const before = stored && fromDocument<ProductRecord>(stored.data);
  if (target.type === 'product') {
    workspace.put(path, undefined);
    await bury(workspace, tenant.tenantId, [id], change.acceptedAt);
    if (before) await reindexProduct(workspace, tenant, id, before, undefined);
    return;
  }
  const after = before && removeVariant(before, target.variantId);
  if (!stored || !before || !after) return;
  workspace.put(path, toChanged(after, stored, change));
  await reindexProduct(workspace, tenant, id, before, after);
}

/** A record of which a part was removed: it is as new as the deletion, so that an older file does not bring the part back. */
function toChanged(record: object, stored: StoredDocument, { acceptedAt, stamp }: Change): DocumentData {
  const before = asOf(stored);
  return { ...toDocument(record, stamp), [AS_OF]: before > acceptedAt ? before : acceptedAt };
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
