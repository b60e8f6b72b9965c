/**
 * Re-keys a tenant's records after its identifiers were changed (D-08):
 *
 * - Customers move to the key of the current identifier. Two customers with the same new key are merged.
 * - Products get or lose their index by `Sku`. Variants with the same new key are merged.
 * - Orders name their customer by the current field.
 *
 * Each record is one commit. So the command may be stopped and run again, and may run beside upserts.
 */
import { performAct } from '../audit/audit-log';
import { applyDeletions } from '../deletions/apply-deletion';
import { mayBePending } from '../deletions/pending-flag';
import type { StoredDocument } from '../documents/document-store';
import { applyWideDeletion } from '../deletions/wide-deletions';
import { pagesOf } from '../documents/pages';
import {
  deletionFlagPath,
  deletionPath,
  idOf,
  recordPath,
  recordsPath,
  skusPath,
  wideDeletionPath,
} from '../documents/paths';
import type { CustomerRecord, MergedCustomer } from '../domain/records/customer';
import { mergeCustomers } from '../domain/records/customer';
import { later } from '../domain/values/date-time';
import { toDeletionId } from '../domain/deletion';
import type { DocumentData } from '../domain/records/document';
import type { RecordId, RecordKind } from '../domain/identity';
import { customerIdentities, customerRecordId, variantKey } from '../domain/identity';
import type { OrderRecord } from '../domain/records/order';
import { findOrderCustomer } from '../domain/records/order';
import { mergeParts } from '../domain/records/parts';
import type { ProductRecord, VariantRecord } from '../domain/records/product';
import type { Tenant } from '../domain/tenant';
import { STALE_TENANT_MS } from '../limits/tenants';
import {
  datedRevision,
  fromCustomerDocument,
  fromDocument,
  newRevision,
  toCustomerDocument,
  toDocument,
} from '../workspace/record-documents';
import { areKeyedBy, identifiersChangedAt, keyedWrite } from '../workspace/customer-keys';
import { retryConflicts } from '../workspace/retry-conflicts';
import { reindex, skuEntryPaths } from '../workspace/sku-index';
import { partDeletionsOf, toPartDeletionsField } from '../workspace/tombstones';
import { Workspace } from '../workspace/workspace';
import { inParallel } from '../platform/async/in-parallel';
import type { Random } from '../platform/random';
import type { Operator, OperatorMeans } from './operator';
import { OperatorError } from './operator-error';
import { areIdentifiersDifferent, requireTenant } from './tenants';

/** `moved`: moved to another key or changed in place; `merged`: merged into another record. */
export interface RekeyCounts {
  readonly moved: number;
  readonly merged: number;
}

export interface RekeyReport extends RekeyCounts {
  readonly tenantId: string;
  /**
   * When it has to be run once more, because work that began before the change may store records by the former
   * identifiers until then. Null: it does not.
   */
  readonly repeatAfter: Date | null;
  /** Consents of merged customers that only the younger record had, and that are withdrawn now (D-09). */
  readonly consentsWithdrawn: number;
  readonly customers: RekeyCounts;
  readonly products: RekeyCounts;
  readonly orders: RekeyCounts;
}

/** Concurrent records: few enough that records which are merged with each other do not starve in optimistic retries. */
const REKEYED_AT_ONCE = 8;

/** The outcome of re-keying one record. */
interface Rekeyed {
  readonly effect: 'none' | 'moved' | 'merged';
  readonly consentsWithdrawn: number;
}

const UNCHANGED: Rekeyed = { effect: 'none', consentsWithdrawn: 0 };
const MOVED: Rekeyed = { effect: 'moved', consentsWithdrawn: 0 };
const MERGED: Rekeyed = { effect: 'merged', consentsWithdrawn: 0 };

/** Plans the re-keying of one record in a workspace. */
type Plan = (path: string, workspace: Workspace, tenant: Tenant, operator: OperatorMeans) => Promise<Rekeyed>;

/**
 * Re-keys all records of a tenant by its current settings, and applies pending deletions first. A repeat is safe.
 * @throws OperatorError when there is no such tenant, it is being erased, or its identifiers are changed meanwhile
 */
export async function rekeyTenant(guid: string, operator: Operator): Promise<RekeyReport> {
  const tenant = await requireTenant(guid, operator);
  const { tenantId, organizationId } = tenant;
  return performAct(
    operator,
    { action: 'tenants.rekey', tenantId, organizationId },
    (means) => rekeyRecords(tenant, means),
    ({ moved, merged, consentsWithdrawn }) => ({ moved, merged, consentsWithdrawn }),
  );
}

async function rekeyRecords(started: Tenant, operator: OperatorMeans): Promise<RekeyReport> {
  const startMs = operator.clock.nowMs();
  const tenant = await requireTenant(started.tenantId, operator);
  const changedAt = identifiersChangedAt((await readFlag(tenant, operator))?.data);
  const customers = await rekeyAll('customers', rekeyCustomer, tenant, operator);
  if (tenant.productIdentifier !== 'sku') await dropSkuIndex(tenant, operator);
  const products = await rekeyAll('products', rekeyProduct, tenant, operator);
  const orders = await rekeyAll('orders', rekeyOrder, tenant, operator);
  const openSince = await noteKeyed(tenant, { startMs, changedAt }, operator);
  const all = [customers, products, orders];
  return {
    tenantId: tenant.tenantId,
    repeatAfter: openSince ? new Date(openSince.getTime() + STALE_TENANT_MS) : null,
    moved: all.reduce((sum, { moved }) => sum + moved, 0),
    merged: all.reduce((sum, { merged }) => sum + merged, 0),
    consentsWithdrawn: all.reduce((sum, { consentsWithdrawn }) => sum + consentsWithdrawn, 0),
    customers: toCounts(customers),
    products: toCounts(products),
    orders: toCounts(orders),
  };
}

/**
 * Notes that all customers are stored by the tenant's identifier, if nobody could store one by another since the start.
 * @param changedAt the last change of the identifiers before the start
 * @returns the time of the change after which that is not certain yet
 */
async function noteKeyed(
  tenant: Tenant,
  { startMs, changedAt }: { readonly startMs: number; readonly changedAt: Date | undefined },
  operator: OperatorMeans,
): Promise<Date | undefined> {
  const { store, random } = operator;
  let openSince: Date | undefined;
  const deadline = operator.deadline();
  const attempt = async (): Promise<readonly Tenant[]> => {
    const flag = await readFlag(tenant, operator);
    const lastChange = identifiersChangedAt(flag?.data);
    const isSettled = (lastChange?.getTime() ?? 0) + STALE_TENANT_MS <= startMs;
    openSince = isSettled && lastChange?.getTime() === changedAt?.getTime() ? undefined : lastChange;
    if (openSince || areKeyedBy(tenant, flag?.data)) return [];
    return (await store.commit([keyedWrite(tenant, flag, random)], deadline)) === 'conflict' ? [tenant] : [];
  };
  await retryConflicts([tenant], attempt, deadline, operator);
  return openSince;
}

function readFlag({ tenantId }: Tenant, { store, deadline }: OperatorMeans): Promise<StoredDocument | undefined> {
  return store.get(deletionFlagPath(tenantId, 'customers'), deadline());
}

function toCounts({ moved, merged }: RekeyCounts): RekeyCounts {
  return { moved, merged };
}

async function rekeyAll(kind: RecordKind, plan: Plan, tenant: Tenant, operator: OperatorMeans) {
  const counts = { none: 0, moved: 0, merged: 0, consentsWithdrawn: 0 };
  for await (const page of pagesOf(operator.store, recordsPath(tenant.tenantId, kind), operator.deadline)) {
    // By now it may be under erasure, or have other settings: then nothing is written by those of the start.
    const current = await requireTenant(tenant.tenantId, operator);
    if (areIdentifiersDifferent(current, tenant)) {
      throw new OperatorError('The identifiers of the tenant were changed meanwhile: run tenants rekey again.');
    }
    await inParallel(page, REKEYED_AT_ONCE, async ({ path }) => {
      const { effect, consentsWithdrawn } = await rekey(path, kind, plan, tenant, operator);
      counts[effect] += 1;
      counts.consentsWithdrawn += consentsWithdrawn;
    });
    operator.progress(
      `${kind}: ${counts.none + counts.moved + counts.merged} looked at, ${counts.moved} moved, ${counts.merged} merged`,
    );
  }
  return counts;
}

async function rekey(
  path: string,
  kind: RecordKind,
  plan: Plan,
  tenant: Tenant,
  operator: OperatorMeans,
): Promise<Rekeyed> {
  let rekeyed = UNCHANGED;
  const deadline = operator.deadline();
  const attempt = async () => {
    const workspace = new Workspace(operator.store, deadline);
    rekeyed = await plan(path, workspace, tenant, operator);
    if (rekeyed.effect === 'none') return [];
    if (await applyPending(path, kind, workspace, tenant, operator)) return [path];
    return (await operator.store.commit(workspace.toWrites(), deadline)) === 'conflict' ? [path] : [];
  };
  await retryConflicts([path], attempt, deadline, operator);
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
  operator: OperatorMeans,
): Promise<boolean> {
  const { deadline } = operator;
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
  await applyDeletions(tenant, deletionIds, deadline(), operator);
  for (const deletionId of wideIds) while (!(await applyWideDeletion(tenant, deletionId, deadline(), operator)));
  return true;
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
  { random }: OperatorMeans,
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
  { random }: OperatorMeans,
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

async function dropSkuIndex({ tenantId }: Tenant, { store, deadline }: OperatorMeans): Promise<void> {
  for await (const page of pagesOf(store, skusPath(tenantId), deadline)) {
    await store.writeEach(
      page.map(({ path }) => ({ delete: path })),
      deadline(),
    );
  }
}

async function rekeyOrder(
  path: string,
  workspace: Workspace,
  { orderCustomer }: Tenant,
  { random }: OperatorMeans,
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
