/** Applies accepted deletions: each in one commit with its own removal from the log, so that it happens once. */
import type { Deadline } from '../deadline';
import type { DocumentStore, DocumentWrite, StoredDocument } from '../documents/document-store';
import { deletionPath, recordPath, recordsPath } from '../documents/paths';
import type { CustomerRecord } from '../domain/customer';
import type { CustomerLookup, DeletionTarget, PartTarget } from '../domain/deletion';
import { customerLookups, DELETION_KIND } from '../domain/deletion';
import type { RecordId, RecordKind } from '../domain/identity';
import { customerIdentities, keyIdentity, orderRecordId, productRecordId } from '../domain/identity';
import type { DocumentData } from '../domain/document';
import { documentBytes } from '../domain/document';
import { DELETION_STEP_RECORDS, DELETIONS_AT_ONCE, DELETIONS_IN_COMMIT, MAX_RECORD_BYTES } from '../domain/limits';
import { inParallel } from '../in-parallel';
import type { OrderRecord } from '../domain/order';
import { removeItems } from '../domain/order';
import type { ProductRecord } from '../domain/product';
import { removeVariant } from '../domain/product';
import type { Tenant } from '../domain/tenant';
import { toMatchingEmail, toMatchingId } from '../domain/text';
import type { RecordDependencies } from '../records/record-dependencies';
import {
  AS_OF,
  fromDocument,
  MATCHING_CUSTOMER_ID,
  MATCHING_EMAIL,
  newStamp,
  toDocument,
} from '../records/record-documents';
import { settle } from '../records/settle';
import { reindex, skuEntryPaths } from '../records/sku-index';
import { bury, buriedParts, buryPart, toBuriedField, withBuriedPart } from '../records/tombstones';
import { Workspace } from '../records/workspace';
import type { LoggedDeletion } from './deletion-log';
import {
  findPendingDeletions,
  findRaisedMark,
  listPendingDeletions,
  lowerMark,
  toApplied,
  toDeletionDocument,
} from './deletion-log';

/**
 * Applies all pending deletions that can touch records of this kind. Called before records of the kind are written.
 * @returns whether there may have been any
 */
export async function applyPendingDeletions(
  tenant: Tenant,
  kind: RecordKind,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<boolean> {
  const { store } = dependencies;
  const mark = await findRaisedMark(tenant.tenantId, kind, store, deadline);
  if (!mark) return false;
  const pending = await listPendingDeletions(tenant.tenantId, store, deadline);
  const touching = pending.filter(({ target }) => DELETION_KIND[target.type] === kind);
  const groups = toGroups(touching, tenant).values();
  await inParallel(groups, DELETIONS_AT_ONCE, (ids) => applyTogether(tenant, ids, deadline, dependencies));
  await lowerMark(mark, store, deadline);
  return true;
}

/** Deletions of one record belong together: applied at once they would only be in each other's way. */
function toGroups(deletions: readonly LoggedDeletion[], tenant: Tenant): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { deletionId, target } of deletions) {
    const key = target.type === 'customer' ? deletionId : recordPathOf(target, tenant);
    groups.set(key, [...(groups.get(key) ?? []), deletionId]);
  }
  return groups;
}

/**
 * Applies a deletion: removes what it addresses and takes it out of the log, both or neither. One that is not in the log
 * has been applied: nothing happens. @throws ContentionTimeout
 */
export function applyDeletion(
  tenant: Tenant,
  deletionId: string,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  return applyTogether(tenant, [deletionId], deadline, dependencies);
}

/** Applies deletions of the same record, in the order in which they were accepted, as many in one commit as it takes. */
async function applyTogether(
  tenant: Tenant,
  deletionIds: readonly string[],
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  await settle(
    deletionIds,
    async (open) => {
      const step = open.slice(0, DELETIONS_IN_COMMIT);
      const later = open.slice(DELETIONS_IN_COMMIT);
      const deletions = await findPendingDeletions(tenant.tenantId, step, dependencies.store, deadline);
      if (deletions.length === 0) return later;
      const { writes, isLast } = await planStep(tenant, deletions, deadline, dependencies);
      const outcome = await dependencies.store.commit(writes, deadline);
      return outcome === 'written' && isLast ? later : open;
    },
    deadline,
    dependencies,
  );
}

/** What one commit does; nearly always the only one of its deletions. */
interface Step {
  readonly writes: readonly DocumentWrite[];
  readonly isLast: boolean;
}

async function planStep(
  tenant: Tenant,
  deletions: readonly LoggedDeletion[],
  deadline: Deadline,
  { store, random, clock }: RecordDependencies,
): Promise<Step> {
  const workspace = new Workspace(store, deadline);
  const logPathOf = ({ deletionId }: LoggedDeletion) => deletionPath(tenant.tenantId, deletionId);
  for (const deletion of deletions) {
    const { target, acceptedAt } = deletion;
    if (target.type === 'customer') {
      const progress = await removeCustomers(workspace, tenant, { ...deletion, target }, store, deadline);
      if (!progress) continue;
      const half = { set: logPathOf(progress), data: toDeletionDocument(progress), when: 'present' } as const;
      return { writes: [...workspace.toWrites(), half], isLast: false };
    }
    const change = { acceptedAt, stamp: newStamp(random) };
    if (target.type === 'order' || target.type === 'orderItem') await changeOrder(workspace, tenant, target, change);
    else await changeProduct(workspace, tenant, target, change);
  }
  const now = new Date(clock.nowMs());
  const done = deletions.flatMap((deletion) => toApplied(tenant.tenantId, deletion, now));
  return { writes: [...workspace.toWrites(), ...done], isLast: true };
}

/** The record that a deletion of an order, a product or a part of one changes. */
function recordPathOf(target: OrderTarget | ProductTarget, { tenantId }: Tenant): string {
  return 'orderId' in target
    ? recordPath(tenantId, 'orders', orderRecordId(target.orderId))
    : recordPath(tenantId, 'products', productRecordId(target.productId));
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
  const keys = removed.flatMap(({ data }) =>
    keyIdentity(fromDocument<CustomerRecord>(data), tenant.customerIdentifier),
  );
  await bury(workspace, tenant.tenantId, [...keys, ...identities], acceptedAt);
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
  const data = workspace.get(path);
  if (!data) return buryPart(workspace, tenant.tenantId, id, target, change.acceptedAt);
  const after = removeItems(fromDocument<OrderRecord>(data), target, tenant.productIdentifier);
  workspace.put(path, after ? toChanged(workspace, path, after, change) : toBurying(workspace, path, target, change));
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
  const data = workspace.get(path);
  const before = data && fromDocument<ProductRecord>(data);
  if (target.type === 'product') {
    workspace.put(path, undefined);
    await bury(workspace, tenant.tenantId, [id], change.acceptedAt);
    if (before) await reindexProduct(workspace, tenant, id, before, undefined);
    return;
  }
  if (!before) return buryPart(workspace, tenant.tenantId, id, target, change.acceptedAt);
  const after = removeVariant(before, target.variantId);
  workspace.put(path, after ? toChanged(workspace, path, after, change) : toBurying(workspace, path, target, change));
  if (after) await reindexProduct(workspace, tenant, id, before, after);
}

/**
 * A record that does not hold a deleted part: as old as it was, it remembers the deletion for the rows of older files. One
 * that has no room for it becomes as new as the deletion instead.
 */
function toBurying(workspace: Workspace, path: string, target: PartTarget, change: Change): DocumentData {
  const data = workspace.get(path) ?? {};
  const buried = withBuriedPart(buriedParts(data), target, change.acceptedAt);
  const burying = { ...data, stamp: change.stamp, [AS_OF]: workspace.asOf(path), ...toBuriedField(buried) };
  return documentBytes(burying) <= MAX_RECORD_BYTES ? burying : toChanged(workspace, path, fromDocument(data), change);
}

/**
 * A record of which a part was removed: as new as the deletion, so that an older file does not bring the part back. What was
 * deleted later, but applied before, is still remembered.
 */
function toChanged(workspace: Workspace, path: string, record: object, { acceptedAt, stamp }: Change): DocumentData {
  const before = workspace.asOf(path);
  const asOf = before && before > acceptedAt ? before : acceptedAt;
  const later = buriedParts(workspace.get(path)).filter(({ deletedAt }) => deletedAt > asOf);
  return { ...toDocument(record, stamp), [AS_OF]: asOf, ...toBuriedField(later) };
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
