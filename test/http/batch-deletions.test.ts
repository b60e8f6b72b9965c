/** That many deletions at once mean what their elements mean, sent one after the other as single deletes (R-50). */
import * as fc from 'fast-check';
import { ACCEPTED_IN_COMMIT } from '../../shared/limits/deletions';
import type { RecordKind } from '../../shared/domain/identity';
import type { TenantSettings } from '../../shared/domain/tenant';
import type { Caller } from '../support/test-service';
import { useTestService } from '../support/test-service';

const RUNS = 60;

const service = useTestService('customers', 'products', 'orders');

/** An element of a batch, and the address of the single delete that it stands for. */
interface Deletion {
  readonly element: object;
  /** After the tenant. */
  readonly address: string;
}

const few = (letter: string) => fc.constantFrom(...[1, 2, 3].map((n) => `${letter}-${n}`));
const sent = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
/** What of these is sent, as a query. */
const query = (params: Readonly<Record<string, string | undefined>>) =>
  `?${Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`)).join('&')}`; // prettier-ignore

const item = fc.record({
  ProductId: few('P'),
  Sku: few('S'),
  Quantity: fc.constant(1),
  Price: fc.constant(1),
});
const RECORDS: Readonly<Record<RecordKind, fc.Arbitrary<object>>> = {
  customers: fc
    .record({ CustomerId: sent(few('C')), Email: sent(few('e').map((name) => `${name}@x.com`)) })
    .filter(({ CustomerId, Email }) => (CustomerId ?? Email) !== undefined),
  products: fc.record({
    ProductId: few('P'),
    ProductVariants: fc.array(fc.record({ VariantId: few('V'), Sku: few('S') }), { maxLength: 3 }),
  }),
  orders: fc.record({ OrderId: few('O'), Currency: fc.constant('EUR'), OrderItems: fc.array(item, { maxLength: 4 }) }),
};

const DELETIONS: Readonly<Record<RecordKind, fc.Arbitrary<Deletion>>> = {
  customers: RECORDS.customers.map((element) => {
    const { CustomerId, Email } = element as Readonly<Record<string, string | undefined>>;
    return { element, address: query({ customerId: CustomerId, email: Email }) };
  }),
  products: fc.record({ ProductId: few('P'), VariantId: sent(few('V')) }).map((element) => {
    const { ProductId, VariantId } = element;
    return { element, address: `/${ProductId}${VariantId === undefined ? '' : `/variants/${VariantId}`}` };
  }),
  orders: fc.record({ OrderId: few('O'), ProductId: sent(few('P')), Sku: sent(few('S')) }).map((element) => {
    const { OrderId, ProductId, Sku } = element;
    const isItem = (ProductId ?? Sku) !== undefined;
    return { element, address: `/${OrderId}${isItem ? `/items${query({ productId: ProductId, sku: Sku })}` : ''}` };
  }),
};

const settings: fc.Arbitrary<Partial<TenantSettings>> = fc.record({
  customerIdentifier: fc.constantFrom('email', 'customerid'),
  productIdentifier: fc.constantFrom('productid', 'sku'),
});

/** What is stored of a kind, but for what every write has of its own. */
async function storedOf({ tenantId }: Caller, kind: RecordKind): Promise<string[]> {
  const records = await service().records(tenantId, kind);
  return records.map(({ revision: _, ...record }) => JSON.stringify(record)).sort();
}

async function must(method: string, path: string, { key }: Caller, json?: unknown): Promise<void> {
  const answer = await service().request(method, path, { key, ...(json !== undefined && { json }) });
  expect({ path, status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
}

/** @param before elements in front of the drawn ones, so that commits end among these */
async function expectEqual(
  kind: RecordKind,
  tenant: Partial<TenantSettings>,
  records: readonly object[],
  deletions: readonly Deletion[],
  before: number,
): Promise<void> {
  const options = { ...tenant, requestsPerMinute: 1_000_000 };
  const [batch, singles] = [await service().createCaller(options), await service().createCaller(options)];
  for (const caller of [batch, singles]) await must('POST', `/${kind}/${caller.tenantId}`, caller, records);
  service().publisher.published.length = 0;
  const nobody = { customers: { CustomerId: 'x' }, products: { ProductId: 'x' }, orders: { OrderId: 'x' } }[kind];
  const elements = [...Array<object>(before).fill(nobody), ...deletions.map(({ element }) => element)];
  await must('POST', `/${kind}/${batch.tenantId}/deletions`, batch, elements);
  for (const { address } of deletions) await must('DELETE', `/${kind}/${singles.tenantId}${address}`, singles);
  await service().deliverDeletions();
  expect(await storedOf(batch, kind)).toEqual(await storedOf(singles, kind));
  for (const { tenantId } of [batch, singles]) expect(await service().pendingDeletions(tenantId)).toEqual([]);
}

it.each(['customers', 'products', 'orders'] as const)(
  'a batch of deletions of %s ends as its elements do, sent one after the other, repeated ones too (R-50)',
  async (kind) => {
    const property = fc.asyncProperty(
      settings,
      fc.array(RECORDS[kind], { minLength: 1, maxLength: 6 }),
      fc.array(DELETIONS[kind], { minLength: 1, maxLength: 6 }),
      fc.constantFrom(0, 0, 0, ACCEPTED_IN_COMMIT - 1),
      (tenant, records, deletions, before) => expectEqual(kind, tenant, records, deletions, before),
    );
    await fc.assert(property, { numRuns: RUNS });
  },
);
