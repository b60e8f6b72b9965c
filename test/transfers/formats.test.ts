/** Formats of files in whole runs: records, bad rows, deletions and ignored fields, also in steps of one chunk. */
import type { Tenant } from '../../shared/domain/tenant';
import type { TestBucket } from '../support/transfer-lab';
import { useTransferLab } from '../support/transfer-lab';

const lab = useTransferLab();

let tenant: Tenant;
let bucket: TestBucket;
beforeEach(async () => {
  ({ tenant, bucket } = await lab().openShop());
});

/** A step that ends with its first chunk. */
const oneChunk = { overrides: { stepSeconds: 1e-9 } };

it('reads CSV as a spreadsheet writes it, step by step (R-360 to R-363)', async () => {
  const rows = Array.from({ length: 1_000 }, (_, n) => `o${n};${n},5;EUR;ä;p;s;2;;1,25`);
  const text = [
    'orderid; TOTALREVENUE;currency;Lieblingsfarbe;OrderItems.ProductId;orderitems.sku;OrderItems.Quantity;deletedat;OrderItems.Price',
    ...rows,
    'bad;1.234,50;EUR;;p;s;2;;1,25',
    'o3;;;;;;;2026-01-01;',
  ].join('\r\n');
  bucket.put('orders.csv', Buffer.from(`\uFEFF${text}`, 'utf16le'));
  const run = await lab().run(tenant, bucket, oneChunk);
  expect(run).toMatchObject({
    status: 'partial',
    ignoredFields: ['Lieblingsfarbe'],
    rows: { read: 1_002, stored: 1_000, invalid: 1, stale: 1 },
  });
  expect(await lab().report(run.runId)).toMatchObject([
    { line: 1_002, messages: { TotalRevenue: ['The field TotalRevenue must be a number.'] } },
  ]);
  const records = (await lab().records(tenant, 'orders')) as { readonly OrderId: string }[];
  expect(records).toHaveLength(1_000);
  expect(records.find(({ OrderId }) => OrderId === 'o7')).toMatchObject({
    TotalRevenue: 7.5,
    OrderItems: [{ Sku: 's', Quantity: 2, Price: 1.25 }],
  });
});
