/** A whole shop from its CSV files, through a network that fails one request in five. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toShownRecord } from '../../../shared/workspace/shown-records';
import { ExpectedShop } from '../../demo/model/expected-shop';
import type { Fields, Kind } from '../../demo/fields';
import { CUSTOMER_DELIVERIES } from '../../demo/shop/customers';
import { ORDER_DELIVERIES } from '../../demo/shop/orders';
import { PRODUCT_DELIVERIES } from '../../demo/shop/products';
import { encodeRecords } from '../../support/file-formats';
import { useTestService } from '../../support/test-service';
import type { HttpFault } from '../support/faulty-http';
import { startFaultyHttp } from '../support/faulty-http';
import { ingest, useFolder } from './ingest';

const FAULTS: readonly HttpFault[] = ['cutBefore', '429', 'cutAfter', '503', '500'];

const SETTINGS = {
  customerIdentifier: 'email',
  productIdentifier: 'productid',
  orderCustomer: 'email',
  defaultLanguage: 'en',
} as const;

const theService = useTestService('customers', 'products', 'orders');
const folder = useFolder();

it('stores every record as it is in the files', async () => {
  theService().clock.advance(Date.now() - theService().clock.nowMs()); // orders without a date get the time
  const { key, tenantId } = await theService().createCaller({ ...SETTINGS, requestsPerMinute: 100_000 });
  const proxy = await startFaultyHttp((name) => theService().portOf(name as 'customers'));
  proxy.faultOf = () => (proxy.requests % 5 === 0 ? FAULTS[(proxy.requests / 5) % FAULTS.length] : undefined);
  const expected = new ExpectedShop(SETTINGS);
  const deliveries = [...CUSTOMER_DELIVERIES, ...PRODUCT_DELIVERIES, ...ORDER_DELIVERIES];
  try {
    for (const [index, { kind, batch }] of deliveries.entries()) {
      const format = /:null|"Taxonomy":\[\]/.test(JSON.stringify(batch)) ? 'ndjson' : 'csv'; // CSV cannot clear a field
      const file = join(folder(), `${kind}-${index}.${format}`);
      writeFileSync(file, encodeRecords(batch, format));
      const { code, stdout } = await ingest(['push', kind, file, '--tenant', tenantId], { url: proxy.baseUrl, key });
      expect(JSON.parse(stdout)).toMatchObject({ rejected: 0, ignoredFields: [] });
      expect(code).toBe(0);
      expected.upsert(kind, batch);
    }
  } finally {
    await proxy.stop();
  }
  for (const kind of ['customers', 'products', 'orders'] as const) {
    expect(expected.differences(kind, await stored(tenantId, kind))).toEqual([]);
  }
});

async function stored(tenantId: string, kind: Kind): Promise<Fields[]> {
  const records = await theService().records(tenantId, kind);
  return records.map((record) => JSON.parse(JSON.stringify(toShownRecord(kind, record))) as Fields);
}
