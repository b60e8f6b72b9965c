/** Fields of rows that no record has are not lost unseen (D-21). */
import { gzipSync } from 'node:zlib';
import { MAX_IGNORED_FIELDS } from '../../shared/domain/limits';
import type { Tenant } from '../../shared/domain/tenant';
import type { RunOptions, TestBucket } from '../support/transfer-lab';
import { useTransferLab } from '../support/transfer-lab';

const lab = useTransferLab();

let tenant: Tenant;
let bucket: TestBucket;
beforeEach(async () => {
  ({ tenant, bucket } = await lab().openShop());
});

const ignoredFields = async (options: RunOptions = {}) => (await lab().run(tenant, bucket, options)).ignoredFields;

it('names them, of all files of a run together (D-21)', async () => {
  bucket.put('customers.csv', 'CustomerId,Email Optin,UpdatedAt\na,true,2026-01-01\nb,true,\n');
  bucket.put('products.ndjson', '{"ProductId":"p","ProductVariants":[{"VariantId":"v","Sku":"s","Colour":"red"}]}\n');
  bucket.put('orders.json.gz', gzipSync('[{"OrderId":"o","Currency":"EUR","Items":[]}]'));
  const { status, ignoredFields: ignored, rows } = await lab().run(tenant, bucket);
  expect([...ignored].sort()).toEqual(['Email Optin', 'Items', 'ProductVariants.Colour']);
  expect({ status, rows }).toMatchObject({ status: 'succeeded', rows: { stored: 4 } });
});

it('names none where every field is known', async () => {
  bucket.put('customers.ndjson', '{"CustomerId":"a","UpdatedAt":"2026-01-01"}\n');
  expect(await ignoredFields()).toEqual([]);
});

it('names at most 20, those of bad rows too: there the misspelt field is the reason (D-21)', async () => {
  const names = Array.from({ length: MAX_IGNORED_FIELDS + 5 }, (_, n) => [`Field${n}`, n] as const);
  const row: Record<string, unknown> = { CustomerId: 'a', ...Object.fromEntries(names) };
  bucket.put('customers-1.ndjson', `{"Emial":"a@x.com","Name":"x"}\n${JSON.stringify(row)}\n`);
  bucket.put('customers-2.ndjson', '{"CustomerId":"b","Another":1}\n');
  const ignored = await ignoredFields();
  expect(ignored).toHaveLength(MAX_IGNORED_FIELDS);
  expect(ignored).toContain('Emial');
});

it('remembers those of rows that were read before a hand-over', async () => {
  const rows = Array.from({ length: 1_000 }, (_, n) =>
    JSON.stringify({ CustomerId: `c${n}`, ...(n === 0 && { Nmae: 'x' }) }),
  );
  bucket.put('customers.ndjson', `${rows.join('\n')}\n`);
  expect(await ignoredFields({ overrides: { stepSeconds: 1e-9 } })).toEqual(['Nmae']);
});
