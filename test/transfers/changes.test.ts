/** What a run has changed is counted, and so are the revivals that it has kept from happening. */
import { changesDto, NO_CONSENTS } from '../support/stored-run';
import { encodeRecords } from '../support/file-formats';
import { order, product, useDatedFiles } from './dated-files';

const { lab, hoursAgo, api, deleteBy } = useDatedFiles();

it('counts what the rows of older files do, and consents that they do not revive (R-85, R-86, R-87)', async () => {
  const shop = await lab().openShop();
  const { tenant, bucket } = shop;
  const granted = { EmailOptin: true, SmsOptin: true };
  await api(shop, 'customers', [
    { Email: 'withdrawn@x.com', ...granted },
    { Email: 'erased@x.com', ...granted },
  ]);
  await api(shop, 'customers', [{ Email: 'withdrawn@x.com', EmailOptin: false }]);
  await deleteBy(shop, { type: 'customer', customerId: null, email: 'erased@x.com' }, 'applied');
  const put = (name: string, records: readonly object[], hours: number) =>
    bucket.put(name, encodeRecords(records, 'ndjson'), hoursAgo(hours));

  put('customers-1.ndjson', [{ Email: 'new@x.com', GdprOptin: true, ...granted }, { Email: 'other@x.com' }], 2);
  put('products.ndjson', [product('p', ['a'], { ProductName: 'x' }), product('p', ['a'], { ProductName: 'x' })], 2);
  put('orders.ndjson', [order('o', { TotalRevenue: 1 }), order('o', { TotalRevenue: 2 })], 2);
  const first = await lab().run(tenant, bucket);
  const one = (change: keyof typeof NO_CONSENTS) => ({ ...NO_CONSENTS, [change]: 1 });
  const allGranted = { EmailOptin: one('Granted'), SmsOptin: one('Granted'), GdprOptin: one('Granted') };
  const none = changesDto();
  expect(first.changes).toEqual({
    ...changesDto({ Created: 2 }, allGranted),
    Products: { ...none.Products, Created: 1, Unchanged: 1 },
    Orders: { ...none.Orders, Created: 1, Updated: 1 },
  });

  put(
    'customers-2.ndjson',
    [
      { Email: 'withdrawn@x.com', ...granted },
      { Email: 'erased@x.com', ...granted },
      { Email: 'new@x.com', GdprOptin: false },
      { Email: 'new@x.com', Name: null },
      { Email: 'other@x.com', DeletedAt: hoursAgo(1).toISOString() },
    ],
    1,
  );
  const second = await lab().run(tenant, bucket, { folders: ['customers-2.ndjson'] });
  expect(second.rows).toEqual({ read: 5, stored: 2, invalid: 0, stale: 2, deleted: 1 });
  const Consents = {
    EmailOptin: { ...one('KeptWithdrawn'), Erased: 1 },
    SmsOptin: one('Erased'), // of the one who was withdrawn it is true already
    GdprOptin: one('Withdrawn'),
  };
  expect(second.changes).toEqual(changesDto({ Updated: 1, Unchanged: 1, Deleted: 1 }, Consents));
});
