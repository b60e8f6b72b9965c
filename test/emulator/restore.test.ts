/** `restore replay-deletions` between two databases of one project. */
import { randomBytes } from 'node:crypto';
import { countRecords, exportRecords } from '../../shared/operations/records';
import { replayDeletions } from '../../shared/operations/restore';
import { drainDeletions } from '../../shared/deletions/apply-deletion';
import { acceptDeletion } from '../support/deletions';
import type { DocumentStore } from '../../shared/documents/document-store';
import type { DeletionTarget } from '../../shared/domain/deletion';
import { RECORD_KINDS } from '../../shared/domain/identity';
import type { EmulatorOperator } from '../support/emulator-operator';
import { connectToEmulator } from '../support/emulator-operator';
import { overriding } from '../support/overriding';
import { RecordingPublisher } from '../support/recording-fakes';
import { copyTenant } from '../support/restored-database';
import { upsertCustomers, upsertOrders } from '../support/upserts';

let operator: EmulatorOperator;
beforeAll(() => {
  operator = connectToEmulator();
});
afterAll(() => operator.close());

/** A moment that lies after everything before it and before everything after it, by the clock of the database. */
async function aMoment(): Promise<Date> {
  await operator.clock.sleep(20);
  const now = new Date(operator.clock.nowMs());
  await operator.clock.sleep(20);
  return now;
}

it('deletes again in the restored database what was deleted since, when it is killed in the middle, too', async () => {
  const tenant = await operator.createTenant();
  const databaseId = `restored-${randomBytes(4).toString('hex')}`;
  const restored = operator.database(databaseId);
  const after = {
    ...operator,
    config: { ...operator.config, databaseId },
    store: restored,
    database: () => operator.store,
  };
  const accept = (target: DeletionTarget) =>
    acceptDeletion(tenant, target, operator.deadline(), {
      ...operator,
      publisher: new RecordingPublisher(),
      deletionsTopic: 'd',
    });
  const emails = Array.from({ length: 400 }, (_, n) => `c${n}@x.com`);
  const customers = emails.map((Email, n) => ({ Email, CustomerId: `id-${n % 200}` }));
  await upsertCustomers(customers, tenant, operator.deadline(), operator);
  await upsertOrders([{ OrderId: '1', Currency: 'EUR' }], tenant, operator.deadline(), operator);
  const snapshotTime = await aMoment();
  await copyTenant(tenant.tenantId, operator.store, restored, operator.deadline);

  for (const email of emails.slice(0, 20)) await accept({ type: 'customer', email, customerId: null });
  await accept({ type: 'customer', email: null, customerId: 'id-150' });
  for (const kind of RECORD_KINDS) await drainDeletions(tenant, kind, operator.deadline(), operator);
  await accept({ type: 'order', orderId: '1' }); // stays pending
  const restoredAt = await aMoment();
  await upsertCustomers([{ Email: 'c0@x.com', Name: 'Again' }], tenant, operator.deadline(), { ...after });

  const options = { fromDatabase: operator.config.databaseId, snapshotTime, restoredAt };
  let commits = 0;
  const dying = overriding<DocumentStore>(restored, {
    commit: (...call) => ((commits += 1) > 8 ? Promise.reject(new Error('killed')) : restored.commit(...call)),
  });
  await expect(replayDeletions(options, { ...after, store: dying })).rejects.toThrow('killed');
  const report = await replayDeletions(options, after);
  expect(report).toMatchObject({ removed: { orders: 1 }, kept: 1 });
  expect(report.removed.customers).toBeGreaterThan(0);

  const left: unknown[] = [];
  for await (const customer of exportRecords(tenant.tenantId, 'customers', after)) left.push(customer);
  const emailsLeft = left.map((customer) => (customer as { Email: string }).Email).sort();
  const gone = new Set([...emails.slice(1, 20), 'c150@x.com', 'c350@x.com']);
  expect(emailsLeft).toEqual(emails.filter((email) => !gone.has(email)).sort());
  expect(left).toContainEqual(expect.objectContaining({ Email: 'c0@x.com', Name: 'Again' }));
  expect(await countRecords(tenant.tenantId, 'orders', after)).toEqual({ count: 0 });
  expect(await replayDeletions(options, after)).toMatchObject({ removed: { customers: 0, products: 0, orders: 0 } });
});
