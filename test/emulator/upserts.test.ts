/** Upserts on the real database: what two requests at once, repeats and large records leave behind. */
import { systemClock } from '../../shared/platform/clock';
import { deadlineIn } from '../../shared/platform/deadline';
import { countRecords, exportRecords, getRecord } from '../../shared/operations/records';
import type { UpsertProductDto } from '../../shared/domain/dto/product';
import { MAX_VARIANTS_BY_SKU } from '../../shared/limits/records';
import { ValidationFailed } from '../../shared/validation/validation-failed';
import { remove } from '../support/api-writes';
import type { EmulatorOperator } from '../support/emulator-operator';
import { connectToEmulator } from '../support/emulator-operator';
import { upsertCustomers, upsertOrders, upsertProducts } from '../support/upserts';

let operator: EmulatorOperator;
beforeAll(() => {
  operator = connectToEmulator();
});
afterAll(() => operator.close());

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

describe('customers', () => {
  it('keeps every field that 20 requests at once set on one new customer, and no default over them (D-13)', async () => {
    const tenant = await operator.createTenant();
    const fields = [{ EmailOptin: true }, { Name: 'Ann' }, { Surname: 'Lee' }, { Phone: '1' }, { GdprOptin: true }];
    await Promise.all(
      times(20, (index) =>
        upsertCustomers([{ Email: 'ANN@x.com', ...fields[index % 7] }], tenant, operator.deadline(), operator),
      ),
    );
    expect(await getRecord(tenant.tenantId, 'customers', { email: 'ann@x.com' }, operator)).toEqual({
      Email: 'ANN@x.com',
      Name: 'Ann',
      Surname: 'Lee',
      Phone: '1',
      EmailOptin: true,
      SmsOptin: false,
      WhatsappOptin: false,
      AppPushOptin: false,
      GdprOptin: true,
      IsExcluded: false,
    });
    expect(await countRecords(tenant.tenantId, 'customers', operator)).toEqual({ count: 1 });
  });

  it('stores a batch of new and known customers in one go, and the same again when it is repeated', async () => {
    const tenant = await operator.createTenant({ defaultLanguage: 'de' });
    const batch = times(600, (index) => ({ Email: `c${index}@x.com`, CustomerId: `id${index}` }));
    await upsertCustomers(batch.slice(0, 300), tenant, operator.deadline(), operator);
    for (let repeat = 0; repeat < 2; repeat += 1) {
      await upsertCustomers(batch, tenant, operator.deadline(), operator);
      expect(await countRecords(tenant.tenantId, 'customers', operator)).toEqual({ count: 600 });
    }
    expect(await getRecord(tenant.tenantId, 'customers', { customerId: 'id599' }, operator)).toMatchObject({
      Email: 'c599@x.com',
      Language: 'de',
    });
  });

  it('shows all customers with one customer id, the one keyed by it first', async () => {
    const tenant = await operator.createTenant();
    await upsertCustomers(
      [
        { CustomerId: 'shared', Email: 'a@x.com' },
        { CustomerId: 'shared', Name: 'keyed by it' },
      ],
      tenant,
      operator.deadline(),
      operator,
    );
    expect(await countRecords(tenant.tenantId, 'customers', operator)).toEqual({ count: 2 });
    expect(await getRecord(tenant.tenantId, 'customers', { customerId: 'shared' }, operator)).toMatchObject([
      { Name: 'keyed by it' },
      { Email: 'a@x.com' },
    ]);
  });

  it('never mixes two tenants that have the same customer', async () => {
    const [one, other] = [await operator.createTenant(), await operator.createTenant()];
    await upsertCustomers([{ Email: 'a@x.com', Name: 'One' }], one, operator.deadline(), operator);
    await upsertCustomers([{ Email: 'a@x.com', Name: 'Other' }], other, operator.deadline(), operator);
    expect(await getRecord(one.tenantId, 'customers', { email: 'a@x.com' }, operator)).toMatchObject({ Name: 'One' });
    expect(await getRecord(other.tenantId, 'customers', { email: 'a@x.com' }, operator)).toMatchObject({
      Name: 'Other',
    });
  });
});

describe('orders', () => {
  it('keeps the item of each of 12 requests at once (no lost update)', async () => {
    const tenant = await operator.createTenant();
    const send = (index: number) =>
      upsertOrders(
        [
          {
            OrderId: 'o',
            Currency: 'EUR',
            OrderItems: [{ ProductId: `p${index}`, Sku: 's', Quantity: 1, Price: index }],
          },
        ],
        tenant,
        operator.deadline(),
        operator,
      );
    await Promise.all(times(12, send));
    const order = (await getRecord(tenant.tenantId, 'orders', { id: 'o' }, operator)) as {
      OrderItems: { Price: number }[];
    };
    expect(order.OrderItems.map(({ Price }) => Price).sort((a, b) => a - b)).toEqual(times(12, (index) => index));
  });

  it('stores an order with 2,000 items', async () => {
    const tenant = await operator.createTenant();
    const items = times(2000, (index) => ({
      ProductId: `p${index}`,
      Sku: `s${index}`,
      Quantity: 1,
      Price: 1.5,
      Size: '1l',
    }));
    await upsertOrders([{ OrderId: 'big', Currency: 'EUR', OrderItems: items }], tenant, operator.deadline(), operator);
    const order = (await getRecord(tenant.tenantId, 'orders', { id: 'big' }, operator)) as { OrderItems: unknown[] };
    expect(order.OrderItems).toHaveLength(2000);
  });
});

/** A variant with texts of ordinary length in every field. */
const variant = (index: number) => ({
  VariantId: `v${index}`,
  Sku: `sku-${index}`,
  Name: `A variant with a name ${index}`,
  Image: `https://cdn.example.com/images/${index}.jpg`,
  Size: '500ml',
  Stock: 5,
  OriginalPrice: 10.5,
  SalePrice: 9.5,
  Currency: 'EUR',
  IsAvailable: true,
  Language: 'en',
  BrandName: 'Brand',
  Url: `https://shop.example.com/products/${index}`,
});

describe.each(['productid', 'sku'] as const)('products of a tenant with the priority %s', (productIdentifier) => {
  it('stores a product with 2,048 variants of ordinary size, twice', async () => {
    const tenant = await operator.createTenant({ productIdentifier });
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const product = { ProductId: 'big', ProductVariants: times(2048, variant) };
      await upsertProducts([product], tenant, operator.deadline(), operator);
    }
    const product = (await getRecord(tenant.tenantId, 'products', { id: 'big' }, operator)) as UpsertProductDto;
    expect(product.ProductVariants).toHaveLength(2048);
  });

  it('refuses a batch with a product that cannot fit a document, at its path, and writes nothing (D-30, R-04)', async () => {
    const tenant = await operator.createTenant({ productIdentifier });
    const huge = times(2048, (index) => ({ ...variant(index), Name: 'n'.repeat(600) }));
    await expect(
      upsertProducts(
        [
          { ProductId: 'small', ProductVariants: [] },
          { ProductId: 'huge', ProductVariants: huge },
        ],
        tenant,
        operator.deadline(),
        operator,
      ),
    ).rejects.toMatchObject({
      errors: { '[1].ProductVariants': [expect.stringMatching(/^The field ProductVariants is too large to store/)] },
    });
    expect(await countRecords(tenant.tenantId, 'products', operator)).toEqual({ count: 0 });
  });
});

describe('products of a tenant with the priority sku (D-03)', () => {
  const send = async (products: UpsertProductDto[]) => {
    const tenant = await operator.createTenant({ productIdentifier: 'sku' });
    for (const product of products) await upsertProducts([product], tenant, operator.deadline(), operator);
    return tenant.tenantId;
  };
  const product = (ProductId: string, ...Skus: string[]): UpsertProductDto => ({
    ProductId,
    ProductVariants: Skus.map((Sku) => ({ VariantId: `v-${Sku}`, Sku })),
  });
  const skusOf = async (tenantId: string, id: string) =>
    ((await getRecord(tenantId, 'products', { id }, operator)) as UpsertProductDto | null)?.ProductVariants.map(
      ({ Sku }) => Sku,
    );

  it('writes a small batch for products that are stored with thousands of variants', async () => {
    const tenant = await operator.createTenant({ productIdentifier: 'sku' });
    const ids = ['q1', 'q2', 'q3', 'q4'];
    for (const id of ids) {
      const variants = times(2048, (index) => ({ ...variant(index), Sku: `${id}-${index}` }));
      await upsertProducts([{ ProductId: id, ProductVariants: variants }], tenant, operator.deadline(), operator);
    }
    const renamed = ids.map((id) => ({ ProductId: id, ProductName: `new ${id}`, ProductVariants: [] }));
    await upsertProducts(renamed, tenant, operator.deadline(), operator);
    for (const id of ids) {
      expect(await getRecord(tenant.tenantId, 'products', { id }, operator)).toMatchObject({
        ProductName: `new ${id}`,
      });
    }
  });

  it('stores, moves and deletes a product of as many variants as a commit indexes, and refuses one more (R-04)', async () => {
    const tenant = await operator.createTenant({ productIdentifier: 'sku' });
    const variants = times(MAX_VARIANTS_BY_SKU + 1, (index) => ({ VariantId: `${index}`, Sku: `${index}` }));
    // Longer than a request has: the emulator takes its time for 8,750 entries beside other tests.
    const ample = () => deadlineIn(60_000, systemClock);
    const send = (ProductId: string, ProductVariants: { VariantId: string; Sku: string }[]) =>
      upsertProducts([{ ProductId, ProductVariants }], tenant, ample(), operator);
    await expect(send('p', variants)).rejects.toMatchObject({
      errors: { '[0].ProductVariants': [expect.stringMatching(/too large to store/)] },
    });
    await send('p', variants.slice(1));
    await send('q', variants.slice(1, 2));
    expect(await skusOf(tenant.tenantId, 'q')).toHaveLength(MAX_VARIANTS_BY_SKU);
    await expect(send('q', variants.slice(0, 1))).rejects.toThrow(ValidationFailed);
    await remove(tenant, { type: 'product', productId: 'q' }, 'applied', { ...operator, deadline: ample });
    expect(await countRecords(tenant.tenantId, 'products', operator)).toEqual({ count: 0 });
  });

  it('makes one product of 8 requests at once that bring one Sku under different ids', async () => {
    const tenant = await operator.createTenant({ productIdentifier: 'sku' });
    await Promise.all(
      times(8, (index) =>
        upsertProducts([product(`P${index}`, 'A', `B${index}`)], tenant, operator.deadline(), operator),
      ),
    );
    const all: object[] = [];
    for await (const record of exportRecords(tenant.tenantId, 'products', operator)) all.push(record);
    expect(all).toHaveLength(1);
    expect((all[0] as UpsertProductDto).ProductVariants.map(({ Sku }) => Sku).sort()).toEqual([
      'A',
      ...times(8, (index) => `B${index}`),
    ]);
  });

  it('gives the matched product the incoming ProductId and keeps its other variants', async () => {
    const tenantId = await send([product('P1', 'A', 'B'), product('P2', 'B', 'C')]);
    expect(await skusOf(tenantId, 'P1')).toBeUndefined();
    expect(await skusOf(tenantId, 'P2')).toEqual(['A', 'B', 'C']);
  });

  it('finds a moved product by every Sku it has', async () => {
    const tenantId = await send([product('P1', 'A', 'B'), product('P2', 'B'), product('P3', 'A')]);
    expect(await skusOf(tenantId, 'P3')).toEqual(['A', 'B']);
    expect(await countRecords(tenantId, 'products', operator)).toEqual({ count: 1 });
  });

  it('loses no variant of a product that has the incoming ProductId already (R-03)', async () => {
    const tenantId = await send([product('P1', 'A'), product('P2', 'B'), product('P2', 'A')]);
    expect((await skusOf(tenantId, 'P2'))?.sort()).toEqual(['A', 'B']);
    expect(await countRecords(tenantId, 'products', operator)).toEqual({ count: 1 });
  });

  it('matches by ProductId where no Sku is known or none is sent', async () => {
    const tenantId = await send([
      product('P1', 'A'),
      product('P1', 'B'),
      { ProductId: 'P1', ProductName: 'N', ProductVariants: [] },
    ]);
    expect(await getRecord(tenantId, 'products', { id: 'P1' }, operator)).toMatchObject({ ProductName: 'N' });
    expect(await skusOf(tenantId, 'P1')).toEqual(['A', 'B']);
  });

  it('applies elements of one batch that meet through a Sku in their order (D-07)', async () => {
    const tenant = await operator.createTenant({ productIdentifier: 'sku' });
    const batch = [product('P1', 'A'), product('P2', 'A', 'B'), product('P3', 'B')];
    await upsertProducts(batch, tenant, operator.deadline(), operator);
    expect(await skusOf(tenant.tenantId, 'P3')).toEqual(['A', 'B']);
    expect(await countRecords(tenant.tenantId, 'products', operator)).toEqual({ count: 1 });
  });
});
