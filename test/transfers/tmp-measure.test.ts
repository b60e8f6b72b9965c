import { useTransferLab } from '../support/transfer-lab';
import { customers, ndjson } from './numbered-customers';
const lab = useTransferLab();
it('measures', async () => {
  for (const n of [2000, 8000]) {
    const withIds = await lab().openShop({ customerIdentifier: 'customerid' });
    const without = await lab().openShop();
    for (const [name, shop] of [['with', withIds], ['without', without]] as const) {
      shop.bucket.put('customers.ndjson', ndjson(customers(1, n)));
      for (const kind of ['historical', 'historical'] as const) {
        const t = performance.now();
        await lab().run(shop.tenant, shop.bucket, { kind });
        process.stderr.write(`${n} ${name} ${Math.round(performance.now() - t)} ms\n`);
      }
    }
  }
}, 300000);
