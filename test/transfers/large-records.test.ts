/** The first large record that a file brings to a tenant: the tenant is flagged before it is stored. */
import { recordPath, tenantPath } from '../../shared/documents/paths';
import { productRecordId } from '../../shared/domain/identity';
import { LARGE_RECORD_BYTES } from '../../shared/limits/records';
import { ObservedDocumentStore } from '../support/observed-document-store';
import { useTransferLab } from '../support/transfer-lab';
import { finished, ndjson, stored } from './numbered-customers';

const lab = useTransferLab();

const products = (count: number, large: number) =>
  Array.from({ length: count }, (_, number) => ({
    ProductId: `p${number}`,
    ProductVariants: Array.from({ length: number === large ? LARGE_RECORD_BYTES / 500 : 1 }, (_, variant) => ({
      VariantId: `${variant}`,
      Sku: `${variant}`,
      Name: 'x'.repeat(number === large ? 500 : 1),
    })),
  }));

it.each([
  ['no record', -1],
  ['a record of the first slice', 10],
  ['a record of a slice that is stored beside another one', 1_210],
])('a file of two chunks, where %s is large (R-17)', async (_, large) => {
  const { tenant, bucket } = await lab().openShop();
  const store = new ObservedDocumentStore(lab().operator.store);
  bucket.put('products.ndjson', ndjson(products(1_590, large)));
  const ended = await lab().run(tenant, bucket, { overrides: { store } });
  expect(ended).toMatchObject({ status: 'succeeded', files: finished(1), rows: stored(1_590) });
  const writesOf = (path: string) => store.writes.flatMap(({ paths }, index) => (paths.includes(path) ? [index] : []));
  const flagWrites = writesOf(tenantPath(tenant.tenantId));
  expect(flagWrites).toHaveLength(large < 0 ? 0 : 1);
  const [storedAt = -1] = writesOf(recordPath(tenant.tenantId, 'products', productRecordId(`p${Math.max(large, 0)}`)));
  for (const flaggedAt of flagWrites) expect(flaggedAt).toBeLessThan(storedAt);
  const document = await lab().operator.store.get(tenantPath(tenant.tenantId), lab().operator.deadline());
  expect(document?.data.hasLargeRecords).toBe(large < 0 ? undefined : true);
});
