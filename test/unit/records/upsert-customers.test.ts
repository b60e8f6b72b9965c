/** That customers who are updated without being read are found by what they were sent with last. */
import { deadlineIn } from '../../../shared/platform/deadline';
import type { DocumentChange } from '../../../shared/documents/document-store';
import { idOf } from '../../../shared/documents/paths';
import type { CustomerLookup } from '../../../shared/domain/deletion';
import type { UpsertCustomerDto } from '../../../shared/domain/dto/customer';
import { customerRecordId } from '../../../shared/domain/identity';
import type { CustomerIdentifier } from '../../../shared/domain/tenant';
import { lookUpCustomers } from '../../../shared/workspace/customer-lookup';
import { MergeQueue } from '../../../shared/records/merge-queue';
import { PresencePredictor } from '../../../shared/records/presence-predictor';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { overriding } from '../../support/overriding';
import { SeededRandom } from '../../support/seeded-random';
import { aTenant } from '../support/tenant';
import { MATCHING_CUSTOMER_ID, MATCHING_EMAIL } from '../../../shared/workspace/record-documents';
import { upsertCustomers } from '../../support/upserts';

const email = (value: string): CustomerLookup => ({ by: 'email', value });
const customerId = (value: string): CustomerLookup => ({ by: 'customerid', value });

interface Case {
  readonly priority: CustomerIdentifier;
  readonly first: UpsertCustomerDto;
  readonly second: UpsertCustomerDto;
  readonly foundBy: readonly CustomerLookup[];
  readonly notBy: readonly CustomerLookup[];
  /** The update writes this matching form, and not that of the identifier that the record is keyed by. */
}

it.each<[string, Case]>([
  [
    'by e-mail',
    {
      priority: 'email',
      first: { Email: 'Ann@x.io', CustomerId: '1' },
      second: { Email: ' ANN@x.io ', CustomerId: '2' },
      foundBy: [email('ann@X.io'), customerId('2')],
      notBy: [customerId('1')],
    },
  ],
  [
    'by customer id',
    {
      priority: 'customerid',
      first: { Email: 'ann@x.io', CustomerId: '1' },
      second: { Email: 'bob@x.io', CustomerId: ' 1' },
      foundBy: [email('bob@x.io'), customerId('1')],
      notBy: [email('ann@x.io')],
    },
  ],
  [
    'by customer id, without the e-mail that has priority (D-02)',
    {
      priority: 'email',
      first: { CustomerId: '1', Name: 'Ann' },
      second: { CustomerId: '1', Email: null },
      foundBy: [customerId('1')],
      notBy: [],
    },
  ],
  [
    'by e-mail, without the customer id that has priority (D-02)',
    {
      priority: 'customerid',
      first: { Email: 'ann@x.io' },
      second: { Email: 'Ann@x.io', CustomerId: ' ' },
      foundBy: [email('ann@x.io')],
      notBy: [],
    },
  ],
  [
    'without one of its identifiers from now on',
    {
      priority: 'email',
      first: { Email: 'ann@x.io', CustomerId: '1' },
      second: { Email: 'ann@x.io', CustomerId: null },
      foundBy: [email('ann@x.io')],
      notBy: [customerId('1')],
    },
  ],
])('keyed %s', async (_, { priority, first, second, foundBy, notBy }) => {
  const clock = new FixedClock();
  const deadline = deadlineIn(1_000, clock);
  const stored = new MemoryDocumentStore(clock);
  const written: DocumentChange[] = [];
  const store = overriding(stored, {
    writeEach: (writes: readonly DocumentChange[]) => {
      written.push(...writes);
      return stored.writeEach(writes);
    },
  });
  const dependencies = {
    store,
    clock,
    random: new SeededRandom(),
    presencePredictor: new PresencePredictor(),
    mergeQueue: new MergeQueue(),
  };
  const tenant = aTenant({ customerIdentifier: priority });
  for (const customer of [first, second]) await upsertCustomers([customer], tenant, deadline, dependencies);

  const find = async (by: CustomerLookup) =>
    (await lookUpCustomers(tenant.tenantId, by, { limit: 10 }, stored, deadline)).map(({ path }) => idOf(path));
  for (const by of foundBy) expect(await find(by)).toEqual([customerRecordId(first, priority)]);
  for (const by of notBy) expect(await find(by)).toEqual([]);
  // Hashes: ids count upwards and exports are sorted, and an index of them would be written at one end.
  const matching = written.flatMap((write) =>
    'data' in write ? [MATCHING_EMAIL, MATCHING_CUSTOMER_ID].flatMap((field) => write.data[field] ?? []) : [],
  );
  expect(matching.length).toBeGreaterThan(0);
  for (const form of matching) expect(form).toMatch(/^[\w-]{43}$/);
});
