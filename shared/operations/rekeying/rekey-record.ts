/**
 * Re-keys one record after the identifiers of its tenant were changed (D-08):
 *
 * - A customer moves to the key of the current identifier. Two customers with the same new key are merged.
 * - A product gets its index by `Sku`. Variants with the same new key are merged.
 * - An order names its customer by the current field.
 *
 * Each record is one commit. So the work may be stopped and repeated, and may go on beside upserts.
 */
import type { AuditMeans } from '../../audit/audit-log';
import { applyDeletions } from '../../deletions/apply-deletion';
import { mayBePending } from '../../deletions/pending-flag';
import { applyWideDeletion } from '../../deletions/wide-deletions';
import { deletionFlagPath, deletionPath, idOf, recordPath, wideDeletionPath } from '../../documents/paths';
import { toDeletionId } from '../../domain/deletion';
import type { RecordId, RecordKind } from '../../domain/identity';
import { customerIdentities, customerRecordId, variantKey } from '../../domain/identity';
import type { CustomerRecord, MergedCustomer } from '../../domain/records/customer';
import { mergeCustomers } from '../../domain/records/customer';
import type { DocumentData } from '../../domain/records/document';
import type { OrderRecord } from '../../domain/records/order';
import { findOrderCustomer } from '../../domain/records/order';
import { mergeParts } from '../../domain/records/parts';
import type { ProductRecord, VariantRecord } from '../../domain/records/product';
import type { Tenant } from '../../domain/tenant';
import { later } from '../../domain/values/date-time';
import { MIN_REMAINING_FOR_DELETIONS_MS } from '../../limits/deletions';
import type { Random } from '../../platform/random';
import { RetryLater } from '../../platform/retry-later';
import {
  datedRevision,
  fromCustomerDocument,
  fromDocument,
  newRevision,
  toCustomerDocument,
  toDocument,
} from '../../workspace/record-documents';
import { retryConflicts } from '../../workspace/retry-conflicts';
import { reindex, skuEntryPaths } from '../../workspace/sku-index';
import { partDeletionsOf, toPartDeletionsField } from '../../workspace/tombstones';
import { Workspace } from '../../workspace/workspace';

/** The outcome of re-keying one record. `moved`: to another key or changed in place; `merged`: into another record. */
export interface Rekeyed {
  readonly effect: 'none' | 'moved' | 'merged';
  readonly consentsWithdrawn: number;
}

const UNCHANGED: Rekeyed = { effect: 'none', consentsWithdrawn: 0 };
const MOVED: Rekeyed = { effect: 'moved', consentsWithdrawn: 0 };
const MERGED: Rekeyed = { effect: 'merged', consentsWithdrawn: 0 };

/** Plans the re-keying of one record in a workspace. */
type Plan = (path: string, workspace: Workspace, tenant: Tenant, means: AuditMeans) => Promise<Rekeyed>;

const PLANS: Readonly<Record<RecordKind, Plan>> = {
  customers: rekeyCustomer,
  products: rekeyProduct,
  orders: rekeyOrder,
};

/** Re-keys one record by the tenant's settings, and applies its pending deletions first. A repeat is safe. */
export async function rekeyRecord(path: string, kind: RecordKind, tenant: Tenant, means: AuditMeans): Promise<Rekeyed> {
  let rekeyed = UNCHANGED;
  const deadline = means.deadline();
  const attempt = async () => {
    const workspace = new Workspace(means.store, deadline);
    rekeyed = await PLANS[kind](path, workspace, tenant, means);
    if (rekeyed.effect === 'none') return [];
    if (await applyPending(path, kind, workspace, tenant, means)) return [path];
    return (await means.store.commit(workspace.toWrites(), deadline)) === 'conflict' ? [path] : [];
  };
  await retryConflicts([path], attempt, deadline, means);
  return rekeyed;
}

/**
 * Applies the pending deletions of a record, as they name it by its present key, or have passed its new place by now.
 * The commit of the workspace fails when one is accepted meanwhile.
 * @returns whether any was pending: then the record has to be read again
 */
async function applyPending(
  path: string,
  kind: RecordKind,
  workspace: Workspace,
  tenant: Tenant,
  means: AuditMeans,
): Promise<boolean> {
  const { deadline } = means;
  const { tenantId } = tenant;
  const flag = deletionFlagPath(tenantId, kind);
  await workspace.load([flag]);
  workspace.requireUnchanged(flag);
  if (!mayBePending(workspace.get(flag))) return false;
  const ids = kind === 'customers' ? identitiesBefore(workspace) : [idOf(path) as RecordId];
  const deletionIds = ids.map((id) => toDeletionId(kind, id));
  const wideIds = workspace.get(flag)?.hasWide === true ? deletionIds : [];
  const paths = [
    ...deletionIds.map((deletionId) => deletionPath(tenantId, deletionId)),
    ...wideIds.map((deletionId) => wideDeletionPath(tenantId, deletionId)),
  ];
  await workspace.load(paths);
  if (!paths.some((pending) => workspace.has(pending))) {
    for (const pending of paths) workspace.requireUnchanged(pending);
    return false;
  }
  await applyDeletions(tenant, deletionIds, deadline(), means);
  for (const deletionId of wideIds) await applyWide(tenant, deletionId, means);
  return true;
}

/** @throws RetryLater when the time of the work is over: deadlines of a request do not begin anew */
async function applyWide(tenant: Tenant, deletionId: string, means: AuditMeans): Promise<void> {
  for (;;) {
    const deadline = means.deadline();
    if (deadline.remainingMs() <= MIN_REMAINING_FOR_DELETIONS_MS) break;
    if (await applyWideDeletion(tenant, deletionId, deadline, means)) return;
  }
  throw new RetryLater('A deletion of very many customers takes longer.');
}

/** The identities of the customers that a workspace changes, as they were. Two, where one is merged into the other. */
function identitiesBefore(workspace: Workspace): RecordId[] {
  const ids = [...workspace.changes()].flatMap(({ before }) =>
    before && before !== 'released' ? customerIdentities(fromDocument<CustomerRecord>(before)) : [],
  );
  return [...new Set(ids)];
}

async function rekeyCustomer(
  path: string,
  workspace: Workspace,
  { tenantId, customerIdentifier }: Tenant,
  { random }: AuditMeans,
): Promise<Rekeyed> {
  await workspace.load([path]);
  const source = recordAt(workspace, path);
  if (!source) return UNCHANGED;
  const customer = fromCustomerDocument(source.data);
  const target = recordPath(tenantId, 'customers', customerRecordId(customer, customerIdentifier));
  if (target === path) return UNCHANGED;
  await workspace.load([target]);
  const existing = recordAt(workspace, target);
  const revision = datedRevision(newRevision(random), later(source.asOf, existing?.asOf));
  const merged = existing && mergeByAge(source, existing);
  workspace.put(target, toCustomerDocument(merged?.customer ?? customer, revision));
  workspace.put(path, undefined);
  return merged ? { effect: 'merged', consentsWithdrawn: merged.consentsWithdrawn } : MOVED;
}

/** A record in a workspace and its as-of time. */
interface TimedRecord {
  readonly data: DocumentData;
  readonly asOf: Date;
}

function recordAt(workspace: Workspace, path: string): TimedRecord | undefined {
  const data = workspace.get(path);
  const asOf = workspace.asOf(path);
  return data && asOf && { data, asOf };
}

function mergeByAge(a: TimedRecord, b: TimedRecord): MergedCustomer {
  const [older, younger] = a.asOf > b.asOf ? [b, a] : [a, b];
  return mergeCustomers(fromCustomerDocument(older.data), fromCustomerDocument(younger.data));
}

async function rekeyProduct(
  path: string,
  workspace: Workspace,
  { tenantId, productIdentifier }: Tenant,
  { random }: AuditMeans,
): Promise<Rekeyed> {
  await workspace.load([path]);
  const stored = recordAt(workspace, path);
  if (!stored) return UNCHANGED;
  const before = fromDocument<ProductRecord>(stored.data);
  const keyOf = (variant: VariantRecord) => variantKey(variant, productIdentifier);
  const variants = mergeParts<VariantRecord, VariantRecord>([], before.ProductVariants, keyOf, (kept, next) => ({
    ...kept,
    ...next,
  }));
  const after = { ...before, ProductVariants: variants };
  const isSmaller = variants.length < before.ProductVariants.length;
  if (isSmaller) workspace.put(path, inPlaceOf(stored, after, random));
  if (productIdentifier === 'sku') {
    await workspace.load(skuEntryPaths(tenantId, [before]));
    reindex(workspace, tenantId, idOf(path) as RecordId, undefined, after); // no earlier version: every Sku is indexed anew
  }
  if (workspace.changedPaths().length === 0) return UNCHANGED;
  return isSmaller ? MERGED : MOVED;
}

async function rekeyOrder(
  path: string,
  workspace: Workspace,
  { orderCustomer }: Tenant,
  { random }: AuditMeans,
): Promise<Rekeyed> {
  await workspace.load([path]);
  const stored = recordAt(workspace, path);
  if (!stored) return UNCHANGED;
  const order = fromDocument<OrderRecord>(stored.data);
  const customer = findOrderCustomer(order, orderCustomer);
  if (JSON.stringify(customer) === JSON.stringify(order.Customer)) return UNCHANGED;
  workspace.put(path, inPlaceOf(stored, { ...order, Customer: customer }, random));
  return MOVED;
}

/** The document of a record that keeps its key: with its as-of time and its deletions of parts. */
function inPlaceOf({ data, asOf }: TimedRecord, record: object, random: Random): DocumentData {
  return {
    ...toDocument(record, datedRevision(newRevision(random), asOf)),
    ...toPartDeletionsField(partDeletionsOf(data)),
  };
}
