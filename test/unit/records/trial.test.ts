/** That a batch which is only checked has the outcome of the upsert, and no effect. */
import { trialDependencies } from '../../../shared/records/trial';
import { planProducts } from '../../../shared/records/upsert-products';
import { AMPLE, DeletionsLab } from '../deletions/deletions-lab';
import { aTenant } from '../support/tenant';
import { EXPECT_SAME_AS_TRIAL } from '../support/trials';

it.each(EXPECT_SAME_AS_TRIAL)(
  'of %s counts what the upsert right after it counts, and changes nothing (R-82, R-81)',
  async (_, expectSame) => {
    await expectSame(200);
  },
);

/** A variant as shops send them. */
const aVariant = (id: string) => ({
  VariantId: id,
  Sku: `shop-${id}`,
  Name: 'Earl Grey, organic, loose, of the second harvest, 500 g',
  Image: `https://images.example.com/products/large/earl-grey-organic-${id}.jpg`,
  Size: '500 g',
  Color: 'black',
  Stock: 12,
  OriginalPrice: 24.5,
  SalePrice: 19.9,
  Currency: 'EUR',
  IsAvailable: true,
  BrandName: 'Tea & Sons',
  Url: `https://www.example.com/en/tea/black/earl-grey-organic?variant=${id}`,
});

it.each(['productid', 'sku'] as const)('of 100 products of 125 new variants fits, by %s (R-84)', async (identifier) => {
  const tenant = aTenant({ productIdentifier: identifier });
  const batch = Array.from({ length: 100 }, (_, product) => ({
    ProductId: `tea-${product}`,
    ProductName: 'Earl Grey',
    ProductVariants: Array.from({ length: 125 }, (_each, variant) => aVariant(`${product}-${variant}`)),
  }));
  const upsert = await planProducts(batch, tenant, trialDependencies(new DeletionsLab(tenant)));
  const counts = await upsert(Promise.resolve(undefined), AMPLE, Promise.resolve(false));
  expect(counts).toEqual({ created: 100, updated: 0 });
});
