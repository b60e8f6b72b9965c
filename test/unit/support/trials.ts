/** Batches that are tried out and then upserted, over drawn states of the database. */
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { toTenantDocument } from '../../../shared/auth/tenant-documents';
import { acceptDeletions } from '../../../shared/deletions/acceptance/accept-deletions';
import { findPendingHint } from '../../../shared/deletions/pending-flag';
import type { DocumentStore, StoredDocument } from '../../../shared/documents/document-store';
import { isSameVersion } from '../../../shared/documents/document-store';
import { recordsPath, TENANT_COLLECTIONS, tenantPath } from '../../../shared/documents/paths';
import type { DeletionTarget } from '../../../shared/domain/deletion';
import type { UpsertCustomerDto } from '../../../shared/domain/dto/customer';
import type { UpsertOrderDto } from '../../../shared/domain/dto/order';
import type { UpsertProductDto } from '../../../shared/domain/dto/product';
import type { RecordKind } from '../../../shared/domain/identity';
import type { Tenant, TenantSettings } from '../../../shared/domain/tenant';
import type { PlannedUpsert, UpsertedCounts } from '../../../shared/records/planned-upsert';
import { trialDependencies } from '../../../shared/records/trial';
import { planCustomers } from '../../../shared/records/upsert-customers';
import type { UpsertDependencies } from '../../../shared/records/upsert-dependencies';
import { planOrders } from '../../../shared/records/upsert-orders';
import { planProducts } from '../../../shared/records/upsert-products';
import { ValidationFailed } from '../../../shared/validation/validation-failed';
import { splitDocument, withoutStubs } from '../../../shared/workspace/kept-tombstones';
import { mayHoldLargeRecords } from '../../../shared/workspace/large-records';
import { AMPLE, DeletionsLab } from '../deletions/deletions-lab';
import { aTenant } from './tenant';

/** A kind of record, what tenants may send of it, and how it is upserted. */
interface TriedKind<Dto> {
  readonly kind: RecordKind;
  readonly settings: Partial<TenantSettings>;
  readonly element: fc.Arbitrary<Dto>;
  readonly deletion: fc.Arbitrary<DeletionTarget>;
  readonly plan: (
    batch: readonly Dto[],
    tenant: Tenant,
    dependencies: UpsertDependencies,
  ) => PlannedUpsert | Promise<PlannedUpsert>;
}

const ID = fc.constantFrom('1', '2', '3', '4', '5');
const SKU = fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F');
const EMAIL = fc.constantFrom('ann@x.io', 'bob@x.io', 'eve@x.io');
const TEXT = fc.constantFrom('x', 'y'.repeat(90), 'z'.repeat(190));

const customers: TriedKind<UpsertCustomerDto> = {
  kind: 'customers',
  settings: {},
  element: fc
    .record({ CustomerId: ID, Email: EMAIL, Name: fc.option(TEXT) }, { requiredKeys: [] })
    .filter(({ CustomerId, Email }) => CustomerId !== undefined || Email !== undefined),
  deletion: fc
    .record({ customerId: fc.option(ID), email: fc.option(EMAIL) })
    .filter(({ customerId, email }) => customerId !== null || email !== null)
    .map((ids) => ({ type: 'customer' as const, ...ids })),
  plan: planCustomers,
};

const products: TriedKind<UpsertProductDto> = {
  kind: 'products',
  settings: {},
  element: fc
    .record({ ProductId: ID, ProductName: TEXT, skus: fc.array(SKU, { maxLength: 3 }) })
    .map(({ skus, ...product }) => {
      return { ...product, ProductVariants: skus.map((Sku) => ({ VariantId: `v${Sku}`, Sku })) };
    }),
  deletion: fc.oneof(
    fc.record({ type: fc.constant('product' as const), productId: ID }),
    fc.record({ type: fc.constant('variant' as const), productId: ID, variantId: SKU.map((sku) => `v${sku}`) }),
  ),
  plan: planProducts,
};

const orders: TriedKind<UpsertOrderDto> = {
  kind: 'orders',
  settings: {},
  element: fc
    .record({ OrderId: ID, Brand: TEXT, skus: fc.array(SKU, { maxLength: 3 }) })
    .map(({ OrderId, Brand, skus }) => ({
      OrderId,
      Currency: 'EUR',
      OrderItems: skus.map((Sku) => ({ ProductId: 'p', Sku, Quantity: 1, Price: 1, Brand })),
    })),
  deletion: fc.oneof(
    fc.record({ type: fc.constant('order' as const), orderId: ID }),
    fc.record({
      type: fc.constant('orderItem' as const),
      orderId: ID,
      productId: fc.constant('p'),
      sku: fc.option(SKU),
    }),
  ),
  plan: planOrders,
};

type Expectation = (runs: number) => Promise<void>;

/**
 * Expects, of each kind and of products by Sku, that a trial changes nothing, and that the upsert right after it has
 * the outcome of the trial.
 */
export const EXPECT_SAME_AS_TRIAL: readonly (readonly [title: string, expectSame: Expectation])[] = [
  ['customers', (runs) => expectSame(customers, runs)],
  ['customers by their ids', (runs) => expectSame(withSettings(customers, { customerIdentifier: 'customerid' }), runs)],
  ['products', (runs) => expectSame(products, runs)],
  ['products by Sku', (runs) => expectSame(withSettings(products, { productIdentifier: 'sku' }), runs)],
  ['orders', (runs) => expectSame(orders, runs)],
];

function withSettings<Dto>(tried: TriedKind<Dto>, settings: TriedKind<Dto>['settings']): TriedKind<Dto> {
  return { ...tried, settings };
}

type Outcome = UpsertedCounts | { readonly errors: object };

async function expectSame<Dto>(tried: TriedKind<Dto>, runs: number): Promise<void> {
  const { kind, settings, element, deletion, plan } = tried;
  const batch = fc.array(element, { minLength: 1, maxLength: 7 });
  const step = fc.oneof(
    { weight: 2, arbitrary: batch.map((sent) => ({ sent })) },
    { weight: 1, arbitrary: fc.array(deletion, { minLength: 1, maxLength: 3 }).map((deleted) => ({ deleted })) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 4 }), batch, async (steps, sent) => {
      const tenant = aTenant(settings);
      const lab = new DeletionsLab(tenant);
      await lab.memory.commit([{ set: tenantPath(tenant.tenantId), data: toTenantDocument(tenant) }]);
      const upsert = async (elements: readonly Dto[], dependencies: UpsertDependencies): Promise<Outcome> => {
        try {
          const flag = findPendingHint(tenant.tenantId, kind, elements.length, lab.memory, AMPLE);
          const mayHoldLarge = mayHoldLargeRecords(tenant.tenantId, lab.memory, AMPLE);
          return await (
            await plan(elements, tenant, dependencies)
          )(flag, AMPLE, mayHoldLarge);
        } catch (error) {
          if (error instanceof ValidationFailed) return { errors: error.errors };
          throw error;
        }
      };
      for (const each of steps) {
        if ('sent' in each) await upsert(each.sent, lab);
        else await acceptDeletions(tenant, kind, each.deleted, AMPLE, lab);
      }
      const before = await everythingIn(lab.memory, tenant);
      const published = lab.publisher.published.length;
      const outcome = await upsert(sent, trialDependencies(lab));
      expect(await everythingIn(lab.memory, tenant)).toStrictEqual(before);
      expect(lab.publisher.published).toHaveLength(published);
      const recordsBefore = await recordsIn(lab.memory, tenant, kind);
      expect(await upsert(sent, lab)).toStrictEqual(outcome);
      if ('errors' in outcome) return;
      if (settings.productIdentifier === 'sku') return; // `NaiveProductsBySku` counts these
      expect(outcome).toEqual(writtenSince(recordsBefore, await recordsIn(lab.memory, tenant, kind)));
    }),
    { numRuns: runs },
  );
}

/** Every document of a tenant, with its versions. */
async function everythingIn(store: DocumentStore, { tenantId }: Tenant): Promise<unknown> {
  const collections = TENANT_COLLECTIONS.map((id) =>
    store.list(`${tenantPath(tenantId)}/${id}`, { limit: 10_000 }, AMPLE),
  );
  return [await store.get(tenantPath(tenantId), AMPLE), ...(await Promise.all(collections))];
}

async function recordsIn(
  store: DocumentStore,
  { tenantId }: Tenant,
  kind: RecordKind,
): Promise<ReadonlyMap<string, StoredDocument>> {
  const records = await store.list(recordsPath(tenantId, kind), { limit: 10_000 }, AMPLE);
  return new Map(withoutStubs(records).map((record) => [record.path, record]));
}

/** The records that an upsert created, and those that it changed. */
function writtenSince(
  before: ReadonlyMap<string, StoredDocument>,
  after: ReadonlyMap<string, StoredDocument>,
): UpsertedCounts {
  const counts = { created: 0, updated: 0 };
  for (const [path, { version, created, data }] of after) {
    const earlier = before.get(path);
    const isDeletedBetween = !isDeepStrictEqual(splitDocument(earlier?.data).tombstone, splitDocument(data).tombstone);
    if (!earlier || isDeletedBetween || !isSameVersion(earlier.created, created)) counts.created += 1;
    else if (!isSameVersion(earlier.version, version)) counts.updated += 1;
  }
  return counts;
}
