import { envelopeOf, expectAnswer, NOW } from '../api';
import { describeBatchDeletions } from '../suites/batch-deletions';
import { describeSuccess } from '../suites/success';
import { useTestService } from '../../support/test-service';
import { warningOf } from '../../support/warnings';
import { TRACED } from '../../support/traces';

describeSuccess('products');
describeBatchDeletions('products');

const service = useTestService('products');
const variant = (id: string, more: object = {}) => ({ VariantId: `V-${id}`, Sku: `S-${id}`, ...more });
const product = (id: string, variants: object[] = [], more: object = {}) => ({
  ProductId: `P-${id}`,
  ProductVariants: variants,
  ...more,
});
const saved = (count: number, more: object = {}) =>
  envelopeOf('products', true, 'Products saved.', { count, created: count, updated: 0, processedAt: NOW, ...more });

describe('POST /products/<tenant_id>', () => {
  it('stores every field of a product and its variant, with the size parsed (Spec §2.3, §2.4)', async () => {
    const { tenantId, key } = await service().createCaller();
    const full = variant('1', {
      Name: 'n'.repeat(600),
      Image: 'i'.repeat(2000),
      Size: '4x500ml',
      Color: 'c'.repeat(50),
      Stock: -3,
      OriginalPrice: 10.5,
      SalePrice: 12,
      Currency: 'eur',
      IsAvailable: false,
      Language: 'PT-br',
      BrandName: 'b'.repeat(200),
      Url: 'u'.repeat(2000),
    });
    const json = [product('1', [full], { ProductName: 'Tea', Taxonomy: ['a', 'b'], IsOfflineExclusive: true })];
    expectAnswer(await service().request('POST', `/products/${tenantId}`, { key, json }), 200, saved(1));
    expect(await service().records(tenantId, 'products')).toMatchObject([
      {
        ...json[0],
        ProductVariants: [{ ...full, Currency: 'EUR', Language: 'pt-BR', SizeNumeric: 2, SizeMetric: 'l' }],
      },
    ]);
  });

  it('merges variants into the stored ones and removes none (D-06)', async () => {
    const { tenantId, key } = await service().createCaller();
    const path = `/products/${tenantId}`;
    await service().request('POST', path, { key, json: [product('1', [variant('1', { Stock: 1 }), variant('2')])] });
    await service().request('POST', path, { key, json: [product('1', [variant('1', { Name: 'one' }), variant('3')])] });
    await service().request('POST', path, { key, json: [product('1')] });
    expect(await service().records(tenantId, 'products')).toMatchObject([
      { ProductVariants: [variant('1', { Stock: 1, Name: 'one' }), variant('2'), variant('3')] },
    ]);
  });

  it('matches a product by a variant’s Sku where the tenant’s identifier is sku (D-03)', async () => {
    const { tenantId, key } = await service().createCaller({ productIdentifier: 'sku' });
    await service().request('POST', `/products/${tenantId}`, {
      key,
      json: [product('old', [variant('1')], { ProductName: 'Tea' })],
    });
    await service().request('POST', `/products/${tenantId}`, { key, json: [product('new', [variant('1')])] });
    expect(await service().records(tenantId, 'products')).toMatchObject([{ ProductId: 'P-new', ProductName: 'Tea' }]);
  });

  it('counts the products that are created and updated, each once (R-81)', async () => {
    const { tenantId, key } = await service().createCaller();
    const post = (json: object[]) => service().request('POST', `/products/${tenantId}`, { key, json });
    expectAnswer(await post([product('1'), product('2')]), 200, saved(2));
    expectAnswer(await post([product('1'), product('3'), product('3')]), 200, saved(3, { created: 1, updated: 1 }));
  });

  it('counts a product that is matched by Sku as updated, also where it is renamed (R-81, D-03)', async () => {
    const { tenantId, key } = await service().createCaller({ productIdentifier: 'sku' });
    const post = (json: object[]) => service().request('POST', `/products/${tenantId}`, { key, json });
    expectAnswer(await post([product('old', [variant('1')]), product('other')]), 200, saved(2));
    const batch = [product('new', [variant('1')]), product('old', [variant('2')]), product('newer', [variant('2')])];
    expectAnswer(await post(batch), 200, saved(3, { created: 1, updated: 1 }));
    expectAnswer(await post([product('other', [variant('1')])]), 200, saved(1, { created: 0, updated: 1 }));
    expect(await service().records(tenantId, 'products')).toHaveLength(2);
  });

  it('takes an empty batch and 200 products (Spec §8, D-31)', async () => {
    const { tenantId, key } = await service().createCaller();
    expectAnswer(await service().request('POST', `/products/${tenantId}`, { key, json: [] }), 200, saved(0));
    const json = Array.from({ length: 200 }, (_, index) => product(String(index)));
    expectAnswer(await service().request('POST', `/products/${tenantId}`, { key, json }), 200, saved(200));
  });

  it('names the fields that it did not store, those of variants by their path (D-21)', async () => {
    const { tenantId, key } = await service().createCaller();
    const json = [
      product('1', [variant('1', { Colour: 'red' }), variant('2', { Colour: 'blue' })], { productName: 'Tea' }),
    ];
    const answer = await service().request('POST', `/products/${tenantId}`, { key, json });
    const warnings = [warningOf('fieldCase', 1, [{ index: 0, field: 'productName', expected: 'ProductName' }])];
    expectAnswer(answer, 200, saved(1, { ignoredFields: ['ProductVariants.Colour', 'productName'], warnings }));
  });
});

describe('DELETE /products/<tenant_id>/…', () => {
  it.each([
    ['P%2F1', 'P/1'],
    ['P%252F1', 'P%2F1'],
    ['P+1', 'P+1'],
    ['%F0%9F%8D%B5', '🍵'],
    ['variants', 'variants'],
    ['%2E%2E', '..'],
  ])('decodes the product id %s once (D-45)', async (segment, productId) => {
    const { tenantId, key } = await service().createCaller();
    const answer = await service().request('DELETE', `/products/${tenantId}/${segment}`, { key });
    expectAnswer(answer, 200, envelopeOf('products', true, 'Product removed.', { productId, deletedAt: NOW }));
    const ofVariant = await service().request('DELETE', `/products/${tenantId}/${segment}/variants/${segment}`, {
      key,
    });
    const data = { productId, variantId: productId, deletedAt: NOW };
    expectAnswer(ofVariant, 200, envelopeOf('products', true, 'Variant removed.', data));
  });

  it('removes the product with its variants once the event is delivered (Spec §4.4)', async () => {
    const { tenantId, key } = await service().createCaller();
    await service().request('POST', `/products/${tenantId}`, {
      key,
      json: [product('1', [variant('1')]), product('2')],
    });
    await service().request('DELETE', `/products/${tenantId}/P-1`, { key });
    await service().deliverDeletions();
    expect(await service().records(tenantId, 'products')).toMatchObject([{ ProductId: 'P-2' }]);
  });

  it('removes one variant once the event is delivered, and keeps the others (Spec §4.4)', async () => {
    const { tenantId, key } = await service().createCaller();
    await service().request('POST', `/products/${tenantId}`, {
      key,
      json: [product('1', [variant('1'), variant('2')])],
    });
    await service().request('DELETE', `/products/${tenantId}/P-1/variants/V-1`, { key });
    await service().deliverDeletions();
    await service().deliverDeletions();
    expect(await service().records(tenantId, 'products')).toMatchObject([{ ProductVariants: [variant('2')] }]);
  });

  it('answers the same whether or not a record matches, and keeps the event private (Spec §1)', async () => {
    const { tenantId, key } = await service().createCaller();
    await service().request('DELETE', `/products/${tenantId}/P-none`, { key });
    const [deletionId] = await service().pendingDeletions(tenantId);
    expect(service().publisher.published).toEqual([
      { topic: 'deletions', event: { tenantId, deletionIds: [deletionId] }, attributes: TRACED },
    ]);
  });
});

describe('POST /products/<tenant_id>/deletions', () => {
  it.each([
    ['a variant and no other', [{ ProductId: 'P-1', VariantId: 'V-1' }], ['V-2']],
    ['the product where VariantId is null', [{ ProductId: 'P-1', VariantId: null }], undefined],
    ['both variants, and keeps the product', ['V-1', 'V-2'].map((VariantId) => ({ ProductId: 'P-1', VariantId })), []],
  ])('deletes %s (R-50, R-52)', async (_title, json, left) => {
    const { tenantId, key } = await service().createCaller();
    const ProductVariants = ['1', '2'].map((n) => ({ VariantId: `V-${n}`, Sku: `S-${n}` }));
    await service().request('POST', `/products/${tenantId}`, { key, json: [{ ProductId: 'P-1', ProductVariants }] });
    expect((await service().request('POST', `/products/${tenantId}/deletions`, { key, json })).status).toBe(200);
    await service().deliverDeletions();
    const [product] = await service().records(tenantId, 'products');
    expect(
      (product?.ProductVariants as { VariantId: string }[] | undefined)?.map(({ VariantId }) => VariantId),
    ).toEqual(left);
  });

  it('leaves the product `deletions` to DELETE (D-45)', async () => {
    const { tenantId, key } = await service().createCaller();
    const answer = await service().request('DELETE', `/products/${tenantId}/deletions`, { key });
    const data = { productId: 'deletions', deletedAt: NOW };
    expectAnswer(answer, 200, envelopeOf('products', true, 'Product removed.', data));
  });
});

describe('GET /products/<tenant_id>/<product_id>', () => {
  const NOT_YET = '"updatedAt":"1970-01-01T00:00:00.000Z","asOf":"1970-01-01T00:00:00.000Z"';

  it.each(['P-1', '%20P-1%20', '%50-1'])(
    'shows the product %s with its fields in their order (R-68, D-01)',
    async (id) => {
      const { tenantId, key } = await service().createCaller();
      const json = [{ ProductVariants: [{ Sku: 'S-1', Size: '2x250g', VariantId: 'V-1' }], ProductId: 'P-1' }];
      await service().request('POST', `/products/${tenantId}`, { key, json });
      const { status, text } = await service().request('GET', `/products/${tenantId}/${id}`, { key });
      const variant = '{"VariantId":"V-1","Sku":"S-1","Size":"2x250g","SizeNumeric":0.5,"SizeMetric":"kg"}';
      const record = `{"ProductId":"P-1","ProductVariants":[${variant}],${NOT_YET}}`;
      expect([status, text]).toEqual([200, `{"success":true,"message":"Product found.","data":{"record":${record}}}`]);
    },
  );

  it('finds a product under the id that it took over (R-68, D-03)', async () => {
    const { tenantId, key } = await service().createCaller({ productIdentifier: 'sku' });
    const post = (ProductId: string) => {
      const json = [{ ProductId, ProductVariants: [{ VariantId: 'V-1', Sku: 'S-1' }] }];
      return service().request('POST', `/products/${tenantId}`, { key, json });
    };
    const statusOf = async (id: string) =>
      (await service().request('GET', `/products/${tenantId}/${id}`, { key })).status;
    await post('P-1');
    await post('P-2');
    expect([await statusOf('P-1'), await statusOf('P-2')]).toEqual([404, 200]);
  });

  it('shows a product whose id another path has, too (R-68)', async () => {
    const { tenantId, key } = await service().createCaller();
    for (const ProductId of ['deletions', 'a/b', '..', 'variants']) {
      await service().request('POST', `/products/${tenantId}`, { key, json: [{ ProductId, ProductVariants: [] }] });
      const path = `/products/${tenantId}/${encodeURIComponent(ProductId).replaceAll('.', '%2E')}`;
      const { json } = await service().request('GET', path, { key });
      expect(json).toMatchObject({ data: { record: { ProductId } } });
    }
  });
});
