/** How deletions find customers by the identifier that keys them, also while a tenant is being re-keyed (D-08). */
import * as fc from 'fast-check';
import { AcceptanceQueue } from '../../../shared/deletions/acceptance/acceptance-queue';
import { lowerFlag, raiseFlag } from '../../../shared/deletions/pending-flag';
import { QUERY_VALUES } from '../../../shared/limits/records';
import { STALE_TENANT_MS } from '../../../shared/limits/tenants';
import { rekeyTenant } from '../../../shared/operations/rekey';
import { requireTenant, updateTenant } from '../../../shared/operations/tenants';
import type { CustomerIdentifier, Tenant } from '../../../shared/domain/tenant';
import { changingTransactions, overriding } from '../../support/overriding';
import { aTenant } from '../support/tenant';
import { AMPLE, DeletionsLab } from './deletions-lab';
import { TRACE } from '../../support/traces';

const EMAILS = Array.from({ length: 150 }, (_, n) => `${n}@x.com`);

/** A new tenant. */
async function openLab(customerIdentifier: CustomerIdentifier): Promise<DeletionsLab> {
  const lab = new DeletionsLab(aTenant({ customerIdentifier }));
  await lab.noteKeyed();
  return lab;
}

/** The calls by which acceptances look for customers. */
function countingLookups(lab: DeletionsLab) {
  const calls = { queries: 0, gets: 0 };
  lab.store = changingTransactions(lab.memory, (transaction) =>
    overriding(transaction, {
      get: (...path) => {
        calls.gets += 1;
        return transaction.get(...path);
      },
      findWhere: (...query) => {
        calls.queries += 1;
        return transaction.findWhere(...query);
      },
      getAll: (...paths) => {
        calls.gets += 1;
        return transaction.getAll(...paths);
      },
    }),
  );
  return calls;
}

function withTenant(lab: DeletionsLab, tenant: Tenant): DeletionsLab {
  return Object.assign(Object.create(lab) as DeletionsLab, { tenant });
}

/** The same shop with what its tenant is after a change of settings. */
async function changeIdentifier(lab: DeletionsLab, customerIdentifier: CustomerIdentifier): Promise<DeletionsLab> {
  const operator = await lab.operator();
  return withTenant(lab, await updateTenant(lab.tenant.tenantId, { customerIdentifier }, operator));
}

it('need no query by the identifier with priority, however many they are (R-64)', async () => {
  const lab = await openLab('email');
  await lab.upsert(...EMAILS.map((Email) => ({ Email, CustomerId: `id of ${Email}` })));
  const calls = countingLookups(lab);
  await lab.acceptAll(EMAILS.map((email) => ({ type: 'customer', customerId: null, email })));
  expect(calls).toEqual({ queries: 0, gets: 3 }); // the flag was not raised, and there are two commits
  await lab.drain();
  expect(await lab.documents()).toEqual([]);
});

it('need no query by both identifiers where the one with priority finds a customer (R-64)', async () => {
  const lab = await openLab('email');
  await lab.upsert(...EMAILS.map((Email) => ({ Email, CustomerId: `id of ${Email}` })));
  const calls = countingLookups(lab);
  await lab.acceptAll(EMAILS.map((email) => ({ type: 'customer', customerId: `id of ${email}`, email })));
  expect(calls).toEqual({ queries: 0, gets: 3 }); // the flag was not raised, and there are two commits
  await lab.drain();
  expect(await lab.documents()).toEqual([]);
});

it.each([
  ['one customer', true, [{ customerId: null, email: '1@x.com' }], { queries: 0, gets: 1 }],
  [
    'fifty of a batch',
    true,
    EMAILS.slice(0, 50).map((email) => ({ customerId: null, email })),
    { queries: 0, gets: 1 },
  ],
  ['one by the other identifier', true, [{ customerId: 'id of 1@x.com', email: null }], { queries: 1, gets: 1 }],
  ['one of a tenant that is not re-keyed', false, [{ customerId: null, email: '1@x.com' }], { queries: 1, gets: 1 }],
] as const)(
  'read %s in one call with the flag that tells whether the key is known (R-409)',
  async (_, isKeyed, named, reads) => {
    const lab = isKeyed ? await openLab('email') : new DeletionsLab(aTenant({ customerIdentifier: 'email' }));
    await lab.upsert({ Email: '1@x.com', CustomerId: 'id of 1@x.com' });
    await raiseFlag(lab.tenant.tenantId, 'customers', {}, AMPLE, lab);
    const calls = countingLookups(lab);
    await lab.acceptAll(named.map((ids) => ({ type: 'customer', ...ids })));
    expect(calls).toEqual(reads);
    await lab.drain();
    expect(await lab.documents()).toEqual([]);
  },
);

it('are queried ten at a time where they are sent again before they are applied (R-64)', async () => {
  const lab = await openLab('email');
  await lab.upsert(...EMAILS.map((Email) => ({ Email, CustomerId: `id of ${Email}` })));
  const both = EMAILS.map((email) => ({ type: 'customer', customerId: `id of ${email}`, email }) as const);
  await lab.acceptAll(both);
  const calls = countingLookups(lab);
  await lab.acceptAll(both);
  expect(calls.queries).toBe(EMAILS.length / QUERY_VALUES);
  await lab.drain();
  expect(await lab.documents()).toEqual([]);
});

it('mean together what they mean one after the other (D-43)', async () => {
  const oneOf = fc.constantFrom('1', '2', '3');
  const customers = fc.array(fc.record({ Email: oneOf, CustomerId: oneOf }), { maxLength: 6 });
  const deletions = fc.array(fc.record({ email: fc.option(oneOf), customerId: fc.option(oneOf) }), { maxLength: 8 });
  const leftAfter = async (
    accept: (lab: DeletionsLab) => Promise<void>,
    { isKeyed, stored }: { isKeyed: boolean; stored: readonly object[] },
  ) => {
    const lab = isKeyed ? await openLab('email') : new DeletionsLab(aTenant({ customerIdentifier: 'email' }));
    for (const customer of stored) await lab.upsert(customer);
    await lab.deleteCustomer('3', null); // is pending
    await accept(lab);
    await lab.drain();
    return (await lab.documents()).map(({ path, data }) => [path, data.Email, data.CustomerId]);
  };
  await fc.assert(
    fc.asyncProperty(customers, deletions, fc.boolean(), async (drawn, targets, isKeyed) => {
      const stored = drawn.map(({ Email, CustomerId }) => ({ Email: `${Email}@x.com`, CustomerId }));
      const wanted = targets.flatMap(({ email, customerId }) =>
        email === null && customerId === null
          ? []
          : [{ type: 'customer', customerId, email: email === null ? null : `${email}@x.com` } as const],
      );
      const singly = async (lab: DeletionsLab) => {
        for (const target of wanted) await lab.accept(target);
      };
      const together = (lab: DeletionsLab) => lab.acceptAll(wanted);
      expect(await leftAfter(together, { isKeyed, stored })).toEqual(
        await leftAfter(singly, { isKeyed: false, stored }),
      );
    }),
    { numRuns: 2_000, seed: 20260301 },
  );
});

it.each([
  ['email', 'customerid'],
  ['customerid', 'email'],
] as const)(
  'find customers who are still stored by %s, and those who are moved already (D-08)',
  async (before, after) => {
    const first = await openLab(before);
    await first.upsert(
      { Email: 'old@x.com', CustomerId: 'old' },
      { Email: 'both@x.com', CustomerId: 'both', Name: 'Former key' },
      { Email: 'kept@x.com', CustomerId: 'kept' },
    );
    const lab = await changeIdentifier(first, after);
    await lab.upsert({ Email: 'both@x.com', CustomerId: 'both', Name: 'Present key' });
    const [old, both] = after === 'email' ? ['old@x.com', 'both@x.com'] : ['old', 'both'];
    for (const id of [old, both]) await lab.deleteCustomer(...(after === 'email' ? [null, id] : [id, null]) as [null, string]); // prettier-ignore
    await lab.drain();
    expect(await lab.customers('CustomerId')).toEqual(['kept']);
  },
);

it('look by queries until re-keying has found everything, however often deletions come and go (R-64)', async () => {
  const first = await openLab('customerid');
  await first.upsert({ Email: 'a@x.com', CustomerId: 'a' });
  const lab = await changeIdentifier(first, 'email');
  const operator = await lab.operator();
  const queriesOf = async (email: string) => {
    const calls = countingLookups(lab);
    await lab.deleteCustomer(null, email);
    await lab.drain();
    lab.store = lab.memory;
    return calls.queries;
  };
  expect(await queriesOf('nobody@x.com')).toBe(1);
  await lowerFlag(lab.tenant.tenantId, 'customers', AMPLE, lab);
  await raiseFlag(lab.tenant.tenantId, 'customers', { isWide: true }, AMPLE, lab);
  expect(await queriesOf('nobody@x.com')).toBe(1);

  // A request that began before the change may still store a customer by the former identifier.
  const { repeatAfter } = await rekeyTenant(lab.tenant.tenantId, operator);
  await first.upsert({ Email: 'late@x.com', CustomerId: 'late' });
  expect(await queriesOf('late@x.com')).toBe(1);
  expect(await lab.customers('Email')).toEqual(['a@x.com']);

  first.passMs(STALE_TENANT_MS);
  expect(lab.clock.nowMs()).toBeGreaterThan(repeatAfter!.getTime());
  expect(await rekeyTenant(lab.tenant.tenantId, operator)).toMatchObject({ repeatAfter: null, moved: 0 });
  expect(await queriesOf('a@x.com')).toBe(0);
  expect(await lab.documents()).toEqual([]);
});

it('look by queries after another change that came while re-keying was under way, which then gives up', async () => {
  const first = await openLab('customerid');
  await first.upsert({ Email: 'a@x.com', CustomerId: 'a' });
  const lab = await changeIdentifier(first, 'email');
  first.passMs(STALE_TENANT_MS);
  const operator = await lab.operator();
  const changeBefore = (kind: string) =>
    overriding(lab.memory, {
      listRefs: async (...page) => {
        if (page[0].endsWith(kind))
          await updateTenant(lab.tenant.tenantId, { customerIdentifier: 'customerid' }, operator);
        return lab.memory.listRefs(...page);
      },
    });
  await lab.upsertOrder({ OrderId: '1', Currency: 'EUR' });
  const rekeying = rekeyTenant(lab.tenant.tenantId, { ...operator, store: changeBefore('/orders') });
  await expect(rekeying).rejects.toThrow('changed meanwhile');
  const now = withTenant(lab, await requireTenant(lab.tenant.tenantId, operator));
  await now.deleteCustomer('a', null); // it is stored by its e-mail
  await now.drain();
  expect(await now.documents()).toEqual([]);
});

it('are reported to need re-keying once more when the identifiers were changed after all records had been looked at', async () => {
  const first = await openLab('customerid');
  const lab = await changeIdentifier(first, 'email');
  first.passMs(STALE_TENANT_MS);
  const operator = await lab.operator();
  const changing = overriding(lab.memory, {
    listRefs: async (...page) => {
      const listed = await lab.memory.listRefs(...page);
      if (page[0].endsWith('/orders'))
        await updateTenant(lab.tenant.tenantId, { orderCustomer: 'customerid' }, operator);
      return listed;
    },
  });
  const { repeatAfter } = await rekeyTenant(lab.tenant.tenantId, { ...operator, store: changing });
  expect(repeatAfter!.getTime()).toBeGreaterThan(lab.clock.nowMs());
});

it('look by queries where nothing says by what a tenant is keyed, until it is re-keyed', async () => {
  const lab = new DeletionsLab(aTenant({ customerIdentifier: 'email' }));
  const calls = countingLookups(lab);
  await lab.deleteCustomer(null, 'a@x.com');
  expect(calls).toMatchObject({ queries: 1 });
  expect(await rekeyTenant(lab.tenant.tenantId, await lab.operator())).toMatchObject({ repeatAfter: null });
  await lab.deleteCustomer(null, 'b@x.com');
  expect(calls).toMatchObject({ queries: 1 });
});

it('of requests that follow each other go by the settings that each was admitted with', async () => {
  const lab = await openLab('email');
  await lab.upsert({ Email: 'a@x.com', CustomerId: '1' }, { Email: 'b@x.com', CustomerId: '2' });
  const later = withTenant(lab, { ...lab.tenant, customerIdentifier: 'customerid' });
  const queue = new AcceptanceQueue(lab);
  const target = { type: 'customer', customerId: '2', email: 'a@x.com' } as const;
  await Promise.all([
    queue.accept(lab.tenant, 'customers', [{ type: 'customer', customerId: null, email: 'none@x.com' }], AMPLE, TRACE),
    queue.accept(later.tenant, 'customers', [target], AMPLE, TRACE),
  ]);
  await lab.drain();
  expect(await lab.customers('CustomerId')).toEqual(['1']); // the customer id goes first by the later settings
});
