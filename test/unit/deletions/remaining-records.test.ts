/** What accepted deletions leave of records, as a reader sees it before they are applied. */
import * as fc from 'fast-check';
import type { DocumentWrite } from '../../../shared/documents/document-store';
import { RequestInvalid } from '../../../shared/documents/document-store';
import { recordsPath, setAsideDeletionPath, setAsideDeletionsPath } from '../../../shared/documents/paths';
import type { DeletionTarget } from '../../../shared/domain/deletion';
import { toDeletionId } from '../../../shared/domain/deletion';
import { FEW_SET_ASIDE, MAX_NAMED_CUSTOMERS } from '../../../shared/limits/deletions';
import type { RecordKind } from '../../../shared/domain/identity';
import { customerRecordId, RECORD_KINDS } from '../../../shared/domain/identity';
import type { Tenant } from '../../../shared/domain/tenant';
import { applyDeletions } from '../../../shared/deletions/apply-deletion';
import { readRemaining } from '../../../shared/deletions/remaining-records';
import { retryDeletions } from '../../../shared/operations/deletions';
import { fromDocument } from '../../../shared/workspace/record-documents';
import { overriding } from '../../support/overriding';
import { aTenant } from '../support/tenant';
import { AMPLE, DeletionsLab } from './deletions-lab';

const TOO_LARGE = new RequestInvalid('3 INVALID_ARGUMENT: the request is too large');

/** The fields of all records of a kind that are left. */
async function left(lab: DeletionsLab, kind: RecordKind = 'customers'): Promise<object[]> {
  const read = () => lab.store.list(recordsPath(lab.tenant.tenantId, kind), { limit: 1_000 }, AMPLE);
  const remaining = await readRemaining(lab.tenant, kind, read, lab.store, AMPLE);
  return remaining.map(({ data }) => fromDocument(data));
}

const ids = async (lab: DeletionsLab) =>
  (await left(lab)).map((customer) => (customer as { CustomerId: string }).CustomerId).sort();
const allLeft = (lab: DeletionsLab) => Promise.all(RECORD_KINDS.map((kind) => left(lab, kind)));
const variant = (VariantId: string) => ({ VariantId, Sku: `S${VariantId}` });
const customer = (customerId: string | null, email: string | null): DeletionTarget => ({
  type: 'customer',
  customerId,
  email,
});
const byId = aTenant({ customerIdentifier: 'customerid' });

/** Lets no deletion be applied. */
async function setAllAside(lab: DeletionsLab): Promise<void> {
  const isSettingAside = (write: DocumentWrite) => 'set' in write && write.set.includes('/setAsideDeletions/');
  lab.store = overriding(lab.memory, {
    commit: (writes) => (writes.some(isSettingAside) ? lab.memory.commit(writes) : Promise.reject(TOO_LARGE)),
  });
  await lab.drain();
  lab.store = lab.memory;
  expect(await lab.pending()).toEqual([]);
  expect(await lab.memory.list(setAsideDeletionsPath(lab.tenant.tenantId), { limit: 1 })).toHaveLength(1);
}

describe('what is left is the same before and after deletions are applied (R-69)', () => {
  const id = fc.constantFrom('1', '2', '3');
  const idOrNull = fc.option(id);
  const customerStep = fc.record({ Email: id.map((n) => `${n}@x.com`), CustomerId: id, Name: fc.string() });
  const item = fc.record({ ProductId: id, Sku: id, Quantity: fc.constant(1), Price: fc.constant(1) });
  const target: fc.Arbitrary<DeletionTarget> = fc.oneof(
    fc.record({
      type: fc.constant('customer' as const),
      customerId: idOrNull,
      email: fc.option(id.map((n) => `${n}@X.com`)),
    }),
    fc.record({ type: fc.constant('product' as const), productId: id }),
    fc.record({ type: fc.constant('variant' as const), productId: id, variantId: id }),
    fc.record({ type: fc.constant('order' as const), orderId: id }),
    fc.record({ type: fc.constant('orderItem' as const), orderId: id, productId: idOrNull, sku: idOrNull }),
  );
  const step = fc.oneof(
    { weight: 2, arbitrary: customerStep.map((sent) => (lab: DeletionsLab) => lab.upsert(sent)) },
    { weight: 1, arbitrary: fc.tuple(id, fc.uniqueArray(id)).map(([product, variants]) => (lab: DeletionsLab) => lab.upsertProduct(product, ...variants.map(variant))) },
    { weight: 1, arbitrary: fc.tuple(id, fc.array(item)).map(([OrderId, OrderItems]) => (lab: DeletionsLab) => lab.upsertOrder({ OrderId, Currency: 'EUR', OrderItems })) },
    { weight: 4, arbitrary: target.map((deletion) => (lab: DeletionsLab) => lab.accept(deletion)) },
  ); // prettier-ignore
  const settings = fc.constantFrom<Partial<Tenant>>({}, { customerIdentifier: 'customerid', productIdentifier: 'sku' });

  it('of drawn records and deletions', async () => {
    let hidden = 0;
    await fc.assert(
      fc.asyncProperty(settings, fc.boolean(), fc.array(step, { maxLength: 14 }), async (drawn, isKeyed, steps) => {
        const lab = new DeletionsLab(aTenant(drawn));
        if (isKeyed) await lab.noteKeyed();
        for (const take of steps) await take(lab);
        const stored = (await Promise.all(RECORD_KINDS.map((kind) => lab.documents(kind)))).flat().length;
        const before = await allLeft(lab);
        hidden += stored - before.flat().length;
        await lab.drain();
        expect(await allLeft(lab)).toEqual(before);
      }),
      { seed: 20260301, numRuns: 300 },
    );
    expect(hidden).toBeGreaterThan(50);
  });

  it('of customers whom a deletion means who are too many to name, with one who signed up since (R-33)', async () => {
    const lab = new DeletionsLab(byId);
    const many = Array.from({ length: MAX_NAMED_CUSTOMERS + 1 }, (_, n) => ({ CustomerId: `c${n}`, Email: 'a@x.com' }));
    await lab.upsert(...many, { CustomerId: 'other', Email: 'b@x.com' });
    await lab.deleteCustomer(null, 'a@x.com');
    expect(await ids(lab)).toEqual(['other']);
    await lab.upsert({ CustomerId: 'c7', Email: 'a@x.com' }, { CustomerId: 'new', Email: 'a@x.com' });
    const before = await ids(lab);
    expect(before).toEqual(['c7', 'new', 'other']);
    await lab.drain();
    expect(await ids(lab)).toEqual(before);
  });
});

describe('a deletion that was set aside', () => {
  it.each<[string, DeletionTarget]>([
    ['a customer', customer('1', null)],
    ['a customer by the other identifier', customer(null, 'a@x.com')],
  ])('still hides %s, but nobody who was written since (R-69, R-31)', async (_, target) => {
    const lab = new DeletionsLab(byId);
    await lab.upsert({ CustomerId: '1', Email: 'a@x.com' }, { CustomerId: '2' });
    await lab.accept(target);
    await setAllAside(lab);
    expect(await ids(lab)).toEqual(['2']);
    await lab.upsert({ CustomerId: '1', Name: 'New' });
    expect(await ids(lab)).toEqual(['1', '2']);
    await retryDeletions(lab.tenant.tenantId, await lab.operator());
    expect(await lab.customers('CustomerId')).toEqual(['1', '2']);
  });

  it('still hides very many customers (R-69, R-33)', async () => {
    const lab = new DeletionsLab(byId);
    const many = Array.from({ length: MAX_NAMED_CUSTOMERS + 1 }, (_, n) => ({ CustomerId: `c${n}`, Email: 'a@x.com' }));
    await lab.upsert(...many, { CustomerId: 'other', Email: 'b@x.com' });
    await lab.deleteCustomer(null, 'a@x.com');
    await setAllAside(lab);
    expect(await ids(lab)).toEqual(['other']);
    await lab.upsert({ CustomerId: 'c7', Name: 'New' });
    expect(await ids(lab)).toEqual(['c7', 'other']);
  });

  it('still hides a product, and a variant of another one (R-69)', async () => {
    const lab = new DeletionsLab();
    await lab.upsertProduct('1', variant('a'));
    await lab.upsertProduct('2', variant('a'), variant('b'));
    await lab.upsertProduct('3', variant('a'));
    await lab.accept({ type: 'product', productId: '1' });
    await lab.accept({ type: 'variant', productId: '2', variantId: 'a' });
    await setAllAside(lab);
    const shown = await left(lab, 'products');
    expect(shown).toHaveLength(2);
    expect(shown).toContainEqual({ ProductId: '2', ProductVariants: [variant('b')] });
    await retryDeletions(lab.tenant.tenantId, await lab.operator());
    expect(await left(lab, 'products')).toEqual(shown);
  });

  it('hides by each of those that one record has (R-69)', async () => {
    const lab = new DeletionsLab();
    const names = Array.from({ length: 25 }, (_, n) => String.fromCharCode(97 + n));
    await lab.upsertProduct('p', ...names.map(variant), variant('z'));
    for (const name of names) {
      await lab.accept({ type: 'variant', productId: 'p', variantId: name });
      await setAllAside(lab);
      lab.passMs(10);
    }
    expect(await left(lab, 'products')).toEqual([{ ProductId: 'p', ProductVariants: [variant('z')] }]);
  });

  it.each([1, FEW_SET_ASIDE])(
    'is looked for by one call where there are few: not where there are %d (R-69)',
    async (others) => {
      const lab = new DeletionsLab(byId);
      const customers = Array.from({ length: 30 }, (_, n) => ({ CustomerId: `${n}` }));
      await lab.upsert(...customers);
      await lab.accept(customer('7', null));
      await setAllAside(lab);
      const [own] = await lab.memory.list(setAsideDeletionsPath(lab.tenant.tenantId), { limit: 1 });
      for (let n = 1; n < others; n += 1) {
        const other = customerRecordId({ CustomerId: `other ${n}` }, 'customerid');
        const id = `${toDeletionId('customers', other)}.1`;
        await lab.memory.commit([{ set: setAsideDeletionPath(lab.tenant.tenantId, id), data: own!.data }]);
      }
      let lists = 0;
      lab.store = overriding(lab.memory, {
        listRefs: (...call) => {
          lists += 1;
          return lab.memory.listRefs(...call);
        },
      });
      expect(await ids(lab)).toEqual(
        customers
          .map(({ CustomerId }) => CustomerId)
          .filter((id) => id !== '7')
          .sort(),
      );
      expect(lists).toBe(others === 1 ? 1 : 1 + customers.length);
    },
  );
});

describe('a deletion that is applied while a reader reads (R-69)', () => {
  /** Does something once, before the deletions are read. */
  function meanwhile(lab: DeletionsLab, work: () => Promise<unknown>): void {
    let isDone = false;
    lab.store = overriding(lab.memory, {
      getSome: async (paths, maxBytes) => {
        if (!isDone) {
          isDone = true;
          await work();
        }
        return lab.memory.getSome(paths, maxBytes);
      },
    });
  }

  const applyAll = async (lab: DeletionsLab) =>
    applyDeletions(lab.tenant, await lab.pending(), AMPLE, lab.with(lab.memory));

  it('leaves nothing of its record to be seen', async () => {
    const lab = new DeletionsLab(byId);
    await lab.upsert({ CustomerId: '1' }, { CustomerId: '2' });
    await lab.deleteCustomer('1', null);
    meanwhile(lab, () => applyAll(lab));
    expect(await ids(lab)).toEqual(['2']);
  });

  it('shows a product as it was once: what is sent since with all of its variants', async () => {
    const lab = new DeletionsLab();
    await lab.upsertProduct('p', variant('a'), variant('b'));
    await lab.accept({ type: 'variant', productId: 'p', variantId: 'a' });
    meanwhile(lab, async () => {
      await applyAll(lab);
      const { store } = lab;
      lab.store = lab.memory;
      await lab.upsertProduct('p', variant('c'));
      lab.store = store;
    });
    expect(await left(lab, 'products')).toEqual([{ ProductId: 'p', ProductVariants: [variant('b'), variant('c')] }]);
  });

  it('hides its record also where it is set aside meanwhile', async () => {
    const lab = new DeletionsLab(byId);
    await lab.upsert({ CustomerId: '1' }, { CustomerId: '2' });
    await lab.deleteCustomer('1', null);
    meanwhile(lab, async () => {
      const { store } = lab;
      await setAllAside(lab);
      lab.store = store;
    });
    expect(await ids(lab)).toEqual(['2']);
  });
});

it('looks again only at records that have changed, so that a busy one keeps nobody (R-69)', async () => {
  const lab = new DeletionsLab(byId);
  const emails = Array.from({ length: 10 }, (_, n) => `${n}`);
  const send = (CustomerId: string, Name: string) => lab.upsert({ CustomerId, Email: 'all@x.com', Name });
  for (const id of emails) await send(id, 'first');
  await lab.accept(customer('3', null));
  let reads = 0;
  const read = async () => {
    reads += 1;
    const found = await lab.memory.list(recordsPath(lab.tenant.tenantId, 'customers'), { limit: 100 });
    await send(String(4 + (reads % 6)), `after ${reads}`); // one changes after each look
    return found;
  };
  const remaining = await readRemaining(lab.tenant, 'customers', read, lab.memory, AMPLE);
  expect(reads).toBeLessThan(6);
  expect(remaining.map(({ data }) => data.CustomerId).sort()).toEqual(emails.filter((id) => id !== '3'));
});

it('asks for no deletions while none is pending (R-69)', async () => {
  const lab = new DeletionsLab();
  await lab.upsertProduct('p', variant('a'));
  const getSome = jest.fn();
  lab.store = overriding(lab.memory, { getSome });
  expect(await left(lab, 'products')).toHaveLength(1);
  expect(getSome).not.toHaveBeenCalled();
});
