/** Deletions that are accepted while the log is listed, page by page. */
import { applyPendingDeletions } from '../../../shared/deletions/apply-deletion';
import { LIST_PAGE_DOCUMENTS } from '../../../shared/domain/limits';
import { lookUpCustomers } from '../../../shared/records/customer-lookup';
import { acceptDeletion, listPendingDeletions } from '../../../shared/deletions/deletion-log';
import type { CustomerLookup, DeletionTarget } from '../../../shared/domain/deletion';
import { PresenceGuess } from '../../../shared/records/presence-guess';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { overriding } from '../../support/overriding';
import { RecordingPublisher } from '../../support/recording-fakes';
import { SeededRandom } from '../../support/seeded-random';
import { aTenant } from '../support/tenant';
import { upsertCustomers } from '../../support/upserts';

const deadline = { remainingMs: () => 1_000 };

/** A clock that goes on by a millisecond each time it is read. */
function steadyClock() {
  let nowMs = Date.UTC(2026, 2, 1);
  return { nowMs: () => (nowMs += 1), sleep: () => Promise.resolve() };
}

/** Randomness that makes one id, of this letter alone. */
const idOf = (letter: string) => ({ fraction: () => 0, bytes: () => Buffer.from(letter.repeat(20), 'base64url') });

it('applies no later deletion before an earlier one that came into a page already listed (R-13)', async () => {
  const clock = steadyClock();
  const store = new MemoryDocumentStore(clock);
  const tenant = aTenant();
  const dependencies = { store, clock, random: new SeededRandom(), presence: new PresenceGuess() };
  await upsertCustomers(
    [
      { Email: 'ann@x.com', CustomerId: 'A' },
      { Email: 'bob@x.com', CustomerId: 'B' },
    ],
    tenant,
    deadline,
    dependencies,
  );
  const accept = (target: DeletionTarget, letter: string) =>
    acceptDeletion(tenant.tenantId, target, deadline, {
      store,
      random: idOf(letter),
      publisher: new RecordingPublisher(),
      deletionsTopic: 'd',
    });
  const customer = (email: string, customerId: string | null) => ({ type: 'customer', email, customerId }) as const;
  // Two pages of deletions that find nobody.
  for (let n = 0; n < LIST_PAGE_DOCUMENTS + 1; n += 1) {
    await acceptDeletion(tenant.tenantId, customer(`${n}@x.com`, null), deadline, {
      ...dependencies,
      publisher: new RecordingPublisher(),
      deletionsTopic: 'd',
    });
  }
  let pages = 0;
  const listing = overriding(store, {
    async list(collection, page) {
      const listed = await store.list(collection, page);
      pages += 1;
      if (pages > 1) return listed;
      await accept(customer('ann@x.com', 'B'), '-'); // before all that was just listed
      await accept(customer('ann@x.com', null), 'z'); // in the next page
      return listed;
    },
  });
  await applyPendingDeletions(tenant, 'customers', deadline, { ...dependencies, store: listing });
  expect(pages).toBe(2);
  await applyPendingDeletions(tenant, 'customers', deadline, dependencies);

  const find = (lookup: CustomerLookup) => lookUpCustomers(tenant.tenantId, lookup, 10, store, deadline);
  expect(await find({ by: 'email', value: 'ann@x.com' })).toEqual([]);
  expect(await find({ by: 'email', value: 'bob@x.com' })).toHaveLength(1);
  expect(await listPendingDeletions(tenant.tenantId, store, deadline)).toEqual([]);
});
