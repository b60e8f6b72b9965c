/**
 * Re-keys a tenant's records after its identifiers were changed (D-08): customers move to the key of the identifier that
 * counts now, and become one where two meet; products get or lose their index by `Sku`, and variants with one key become
 * one; orders name their customer by the field that counts now. Each step is one commit, so that it can be stopped and
 * run again, beside running upserts too.
 */
import type { DocumentWrite, StoredDocument } from '../../shared/documents/document-store';
import { idOf, recordPath, recordsPath, skusPath } from '../../shared/documents/paths';
import type { CustomerRecord } from '../../shared/domain/customer';
import type { RecordId, RecordKind } from '../../shared/domain/identity';
import { customerRecordId, variantKey } from '../../shared/domain/identity';
import type { OrderRecord } from '../../shared/domain/order';
import { findOrderCustomer } from '../../shared/domain/order';
import { mergeParts } from '../../shared/domain/parts';
import type { ProductRecord, VariantRecord } from '../../shared/domain/product';
import type { Tenant } from '../../shared/domain/tenant';
import {
  AS_OF,
  asOf,
  fromDocument,
  newStamp,
  toCustomerDocument,
  toDocument,
} from '../../shared/records/record-documents';
import { settle } from '../../shared/records/settle';
import { reindex, skuEntryPaths } from '../../shared/records/sku-index';
import { Workspace } from '../../shared/records/workspace';
import { inParallel } from '../../shared/in-parallel';
import type { Operator } from './connection';
import { pagesOf } from './pages';
import { requireTenant } from './tenants';

/** What became of records: moved to another key or changed in place; merged into another one. */
export interface RekeyCounts {
  readonly moved: number;
  readonly merged: number;
}

export interface RekeyReport extends RekeyCounts {
  readonly tenantId: string;
  readonly customers: RekeyCounts;
  readonly products: RekeyCounts;
  readonly orders: RekeyCounts;
}

/** Few enough that records which become one get through beside each other. */
const REKEYED_AT_ONCE = 8;

type Effect = 'none' | 'moved' | 'merged';

/** Plans the commit that re-keys one record, from its current state. */
type Plan = (path: string) => Promise<{ readonly effect: Effect; readonly writes: readonly DocumentWrite[] }>;

export async function rekeyTenant(guid: string, operator: Operator): Promise<RekeyReport> {
  const tenant = await requireTenant(guid, operator);
  const customers = await rekeyAll('customers', planCustomer(tenant, operator), tenant, operator);
  if (tenant.productIdentifier !== 'sku') await dropSkuIndex(tenant, operator);
  const products = await rekeyAll('products', planProduct(tenant, operator), tenant, operator);
  const orders = await rekeyAll('orders', planOrder(tenant, operator), tenant, operator);
  const all = [customers, products, orders];
  return {
    tenantId: tenant.tenantId,
    moved: all.reduce((sum, { moved }) => sum + moved, 0),
    merged: all.reduce((sum, { merged }) => sum + merged, 0),
    customers,
    products,
    orders,
  };
}

async function rekeyAll(kind: RecordKind, plan: Plan, tenant: Tenant, operator: Operator): Promise<RekeyCounts> {
  const counts = { none: 0, moved: 0, merged: 0 };
  for await (const page of pagesOf(recordsPath(tenant.tenantId, kind), operator)) {
    await inParallel(page, REKEYED_AT_ONCE, async ({ path }) => {
      counts[await rekey(path, plan, operator)] += 1;
    });
    operator.progress(
      `${kind}: ${counts.none + counts.moved + counts.merged} looked at, ${counts.moved} moved, ${counts.merged} merged`,
    );
  }
  return { moved: counts.moved, merged: counts.merged };
}

async function rekey(path: string, plan: Plan, operator: Operator): Promise<Effect> {
  let effect: Effect = 'none';
  const deadline = operator.deadline();
  const attempt = async () => {
    const planned = await plan(path);
    effect = planned.effect;
    if (planned.writes.length === 0) return [];
    return (await operator.store.commit(planned.writes, deadline)) === 'conflict' ? [path] : [];
  };
  await settle([path], attempt, deadline, operator);
  return effect;
}

function planCustomer(tenant: Tenant, { store, random, deadline }: Operator): Plan {
  return async (path) => {
    const source = await store.get(path, deadline());
    if (!source) return { effect: 'none', writes: [] };
    const customer = fromDocument<CustomerRecord>(source.data);
    const target = recordPath(tenant.tenantId, 'customers', customerRecordId(customer, tenant.customerIdentifier));
    if (target === path) return { effect: 'none', writes: [] };
    const met = await store.get(target, deadline());
    const data = toCustomerDocument(met ? newerOver(source, met) : customer, newStamp(random));
    const times = [source, ...(met ? [met] : [])].map((document) => asOf(document).getTime());
    return {
      effect: met ? 'merged' : 'moved',
      writes: [
        { set: target, data: { ...data, [AS_OF]: new Date(Math.max(...times)) }, when: met?.version ?? 'absent' },
        { delete: path, when: source.version },
      ],
    };
  };
}

/** Two customers that became one: the one that was written last wins, field by field. */
function newerOver(a: StoredDocument, b: StoredDocument): CustomerRecord {
  const [older, newer] = asOf(a) > asOf(b) ? [b, a] : [a, b];
  return { ...fromDocument<CustomerRecord>(older.data), ...fromDocument<CustomerRecord>(newer.data) };
}

function planProduct(tenant: Tenant, { store, random, deadline }: Operator): Plan {
  const keyOf = (variant: VariantRecord) => variantKey(variant, tenant.productIdentifier);
  return async (path) => {
    const workspace = new Workspace(store, deadline());
    await workspace.load([path]);
    const stored = workspace.get(path);
    if (!stored) return { effect: 'none', writes: [] };
    const before = fromDocument<ProductRecord>(stored);
    const variants = mergeParts<VariantRecord, VariantRecord>([], before.ProductVariants, keyOf, (kept, next) => ({
      ...kept,
      ...next,
    }));
    const after = { ...before, ProductVariants: variants };
    const isSmaller = variants.length < before.ProductVariants.length;
    if (isSmaller) workspace.put(path, { ...toDocument(after, newStamp(random)), [AS_OF]: workspace.asOf(path) });
    if (tenant.productIdentifier === 'sku') {
      await workspace.load(skuEntryPaths(tenant.tenantId, [before]));
      reindex(workspace, tenant.tenantId, idOf(path) as RecordId, undefined, after); // every Sku is entered anew
    }
    const writes = workspace.toWrites();
    return { effect: writes.length === 0 ? 'none' : isSmaller ? 'merged' : 'moved', writes };
  };
}

async function dropSkuIndex(tenant: Tenant, operator: Operator): Promise<void> {
  for await (const page of pagesOf(skusPath(tenant.tenantId), operator)) {
    await operator.store.writeEach(
      page.map(({ path }) => ({ delete: path })),
      operator.deadline(),
    );
  }
}

function planOrder(tenant: Tenant, { store, random, deadline }: Operator): Plan {
  return async (path) => {
    const source = await store.get(path, deadline());
    if (!source) return { effect: 'none', writes: [] };
    const order = fromDocument<OrderRecord>(source.data);
    const customer = findOrderCustomer(order, tenant.orderCustomer);
    if (JSON.stringify(customer) === JSON.stringify(order.Customer)) return { effect: 'none', writes: [] };
    const data = { ...toDocument({ ...order, Customer: customer }, newStamp(random)), [AS_OF]: asOf(source) };
    return { effect: 'moved', writes: [{ set: path, data, when: source.version }] };
  };
}
