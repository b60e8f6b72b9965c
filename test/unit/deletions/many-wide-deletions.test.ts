/** Very many wide deletions are pending: whoever writes or reads customers looks at a few, or at those of its own. */
import { sweepFlags } from '../../../functions/deletion-consumer/sweep';
import { toTenantDocument } from '../../../shared/auth/tenant-documents';
import { wideDeletionPathFor } from '../../../shared/deletions/pending-wide-deletions';
import { raiseFlag } from '../../../shared/deletions/pending-flag';
import { applyWideDeletion } from '../../../shared/deletions/wide-deletions';
import { readRemaining } from '../../../shared/deletions/remaining-records';
import type { DocumentStore } from '../../../shared/documents/document-store';
import {
  deletionFlagPath,
  idOf,
  recordPath,
  recordsPath,
  tenantPath,
  wideDeletionsPath,
} from '../../../shared/documents/paths';
import { customerRecordId, emailIdentity } from '../../../shared/domain/identity';
import { FEW_WIDE_DELETIONS, SWEPT_DELETIONS } from '../../../shared/limits/deletions';
import { rekeyTenant } from '../../../shared/operations/rekey';
import { datedRevision, MATCHING_EMAIL, toCustomerDocument } from '../../../shared/workspace/record-documents';
import { withMethods } from '../../support/overriding';
import { upsertCustomers } from '../../support/upserts';
import { aTenant } from '../support/tenant';
import { SlicesInMemory } from '../transfers/slices-in-memory';
import { AMPLE, DeletionsLab } from './deletions-lab';

const PENDING = 1_000;
const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
/** E-mails that wide deletions delete: from 0 to PENDING. */
const deleted = (n: number) => `${n}@deleted.com`;
const byId = { customerIdentifier: 'customerid' } as const;

/** The paths that are read by the store; a list that finds nothing is one of its collection. */
function counting(store: DocumentStore, reads: string[]): DocumentStore {
  return withMethods(store, (method, name) => async (...call) => {
    const answer = await method(...call);
    if (name === 'getAll' || name === 'getSome') reads.push(...(call[0] as string[]));
    else if (name === 'list' || name === 'listRefs') {
      const found = answer as { readonly path: string }[];
      reads.push(...(found.length > 0 ? found.map(({ path }) => path) : [call[0] as string]));
    } else if (name === 'get') reads.push(call[0] as string);
    return answer;
  });
}

const wideOf = (reads: readonly string[]) => reads.filter((path) => path.includes('/wideDeletions')).length;

function wideDeletions(tenantId: string, acceptedAt?: Date) {
  return times(PENDING, (n) => ({
    set: wideDeletionPathFor(tenantId, emailIdentity(deleted(n))),
    data: { field: MATCHING_EMAIL, revision: 'accepted', ...(acceptedAt && { acceptedAt }) },
  }));
}

class Backlog extends DeletionsLab {
  readonly reads: string[] = [];

  /** Accepts the wide deletions. From now on, reads are counted. */
  async acceptMany(): Promise<void> {
    await raiseFlag(this.tenant.tenantId, 'customers', { isWide: true }, AMPLE, this);
    await this.memory.commit(wideDeletions(this.tenant.tenantId));
    this.store = counting(this.memory, this.reads);
  }

  /** Reads of wide deletions since the last call. */
  wideReads(): number {
    return wideOf(this.reads.splice(0));
  }

  async left(): Promise<object[]> {
    await this.drain();
    expect(await this.memory.list(wideDeletionsPath(this.tenant.tenantId), { limit: 1 })).toEqual([]);
    const documents = await this.documents();
    return documents.map(({ data }) =>
      Object.fromEntries(
        Object.entries(data).filter(([name]) => ['CustomerId', 'Email', 'Name', 'Phone'].includes(name)),
      ),
    );
  }
}

it('an upsert reads those of its customers and of the records that it overwrites (R-170)', async () => {
  const lab = new Backlog(aTenant(byId));
  await lab.upsert({ CustomerId: '1', Email: deleted(7), Phone: '1' }, { CustomerId: '2', Phone: '2' });
  await lab.acceptMany();
  await lab.upsert({ CustomerId: '1', Name: 'Again' });
  expect(lab.wideReads()).toBe(FEW_WIDE_DELETIONS + 2);
  await lab.upsert({ CustomerId: '2', Email: deleted(8), Name: 'Now' });
  expect(lab.wideReads()).toBe(FEW_WIDE_DELETIONS + 2);
  const many = times(300, (n) => ({ CustomerId: `many ${n}`, Email: deleted(n) }));
  await lab.upsert(...many);
  expect(lab.wideReads()).toBe(FEW_WIDE_DELETIONS + 2 * many.length);
  const left = await lab.left();
  expect(left).toHaveLength(2 + many.length);
  expect(left).toContainEqual({ CustomerId: '1', Name: 'Again' });
  expect(left).toContainEqual({ CustomerId: '2', Email: deleted(8), Name: 'Now', Phone: '2' });
});

it('one that ends while an upsert begins takes nothing of what others have stored since (R-170)', async () => {
  const lab = new Backlog(aTenant(byId));
  await raiseFlag(lab.tenant.tenantId, 'customers', { isWide: true }, AMPLE, lab);
  const [wide] = wideDeletions(lab.tenant.tenantId);
  await lab.memory.commit([wide!]);
  let ended = false;
  lab.store = withMethods<DocumentStore>(lab.memory, (method) => async (...call) => {
    const answer = await method(...call);
    if (!ended && call[0] === wideDeletionsPath(lab.tenant.tenantId)) {
      ended = true;
      await applyWideDeletion(lab.tenant, idOf(wide!.set), AMPLE, lab.with(lab.memory));
      await upsertCustomers(
        [{ CustomerId: '1', Email: deleted(0), Phone: '1' }],
        lab.tenant,
        AMPLE,
        lab.with(lab.memory),
      );
    }
    return answer;
  });
  await lab.upsert({ CustomerId: '1', Name: 'Again' });
  expect(ended).toBe(true);
  expect(await lab.left()).toEqual([{ CustomerId: '1', Email: deleted(0), Name: 'Again', Phone: '1' }]);
});

it('an acceptance reads those of the customers that it finds, and counts their targets as removed (R-170)', async () => {
  const lab = new Backlog(aTenant(byId));
  await lab.upsert({ CustomerId: '1', Email: deleted(7) }, { CustomerId: '2', Email: 'b@x.com' }, { CustomerId: '3' });
  await lab.acceptMany();
  await lab.deleteCustomer('1', 'b@x.com');
  expect(lab.wideReads()).toBe(FEW_WIDE_DELETIONS + 4);
  expect(await lab.left()).toEqual([{ CustomerId: '3' }]);
});

it('reading back reads those of the records that it found, and leaves out what they target (R-170)', async () => {
  const lab = new Backlog(aTenant(byId));
  await lab.upsert(...times(30, (n) => ({ CustomerId: `${n}`, Email: n % 2 === 0 ? deleted(n) : `${n}@x.com` })));
  await lab.acceptMany();
  const read = () => lab.memory.list(recordsPath(lab.tenant.tenantId, 'customers'), { limit: 100 });
  const remaining = await readRemaining(lab.tenant, 'customers', read, lab.store, AMPLE);
  expect(lab.wideReads()).toBe(FEW_WIDE_DELETIONS + 60);
  expect(remaining).toHaveLength(15);
  expect(await lab.left()).toHaveLength(15);
});

it.each([
  ['moves', deleted(7), 'left@x.com'],
  ['meets', 'left@x.com', deleted(7)],
])('re-keying applies those of the customer that it %s, and no others (R-170)', async (_, moved, met) => {
  const lab = new Backlog(aTenant({ customerIdentifier: 'email' }));
  const operator = await lab.operator();
  const tenant = { ...lab.tenant, ...byId };
  await lab.upsert({ Email: moved, CustomerId: '1', Phone: '1' });
  const stored = { Email: met, CustomerId: '1', Name: 'Met' };
  const path = recordPath(tenant.tenantId, 'customers', customerRecordId(stored, 'customerid'));
  await lab.memory.commit([
    { set: tenantPath(tenant.tenantId), data: toTenantDocument(tenant) },
    { set: path, data: toCustomerDocument(stored, 'later') },
  ]);
  await lab.acceptMany();
  await rekeyTenant(tenant.tenantId, { ...operator, store: lab.store });
  expect(lab.wideReads()).toBeLessThan(20);
  expect(await lab.memory.list(wideDeletionsPath(tenant.tenantId), { limit: PENDING })).toHaveLength(PENDING - 1);
  const left = { Email: 'left@x.com', CustomerId: '1' };
  expect(await lab.left()).toEqual([{ ...left, ...(met === left.Email ? { Name: 'Met' } : { Phone: '1' }) }]);
});

it('a sweep looks at a few and has all of them applied (R-170)', async () => {
  const lab = new Backlog();
  await lab.acceptMany();
  lab.passMs(3_600_000);
  const { publisher, deletionsTopic } = lab;
  const dependencies = { ...lab.with(lab.store), publisher, deletionsTopic, logger: { log: () => undefined } };
  await sweepFlags({ sweep: true }, AMPLE, dependencies);
  expect(lab.wideReads()).toBe(SWEPT_DELETIONS);
  expect(lab.publisher.published.map(({ event }) => event)).toEqual([
    { tenantId: lab.tenant.tenantId, drain: 'customers' },
  ]);
});

describe('a slice of a file', () => {
  const pathOf = (slices: SlicesInMemory, CustomerId: string) =>
    recordPath(slices.tenant.tenantId, 'customers', customerRecordId({ CustomerId }, 'customerid'));

  /** Two stored customers, of whom a wide deletion targets the first if any is pending. */
  async function prepare(pending: number) {
    const reads: string[] = [];
    const slices = new SlicesInMemory('customers', byId, (store) => counting(store, reads));
    const { tenantId } = slices.tenant;
    const before = (ms: number) => new Date(slices.nowMs - ms);
    for (const customer of [{ CustomerId: '1', Email: deleted(7), Phone: '1' }, { CustomerId: '2' }]) {
      const data = toCustomerDocument(customer, datedRevision('old', before(2_000)));
      await slices.put(pathOf(slices, customer.CustomerId), data);
    }
    await slices.put(deletionFlagPath(tenantId, 'customers'), { state: 'raised', hasWide: true });
    if (pending > 0) await slices.store.commit(wideDeletions(tenantId, before(1_000)));
    const readsOf = (path: string) => reads.filter((read) => read === path).length;
    return { slices, reads, readsOf };
  }

  it('reads those of its rows and of the records that they meet (R-170)', async () => {
    const { slices, reads } = await prepare(PENDING);
    await slices.applyAll([{ CustomerId: '1', Name: 'Again' }]);
    // And once more after what they met was applied.
    expect(wideOf(reads)).toBe(FEW_WIDE_DELETIONS + 2 + FEW_WIDE_DELETIONS + 1);
    await slices.applyDeletions();
    const left = await slices.store.get(pathOf(slices, '1'));
    expect(left?.data).toMatchObject({ CustomerId: '1', Name: 'Again' });
    expect(left?.data).not.toHaveProperty('Phone');
  });

  it('is loaded once where no wide deletion is left, or none targets its customers (R-171)', async () => {
    const none = await prepare(0);
    await none.slices.applyAll([{ CustomerId: '2', Name: 'Again' }]);
    expect(none.readsOf(pathOf(none.slices, '2'))).toBe(1);
    const many = await prepare(PENDING);
    await many.slices.applyAll([{ CustomerId: '2', Name: 'Again' }]);
    expect(many.readsOf(deletionFlagPath(many.slices.tenant.tenantId, 'customers'))).toBe(1);
    const targeted = await prepare(PENDING);
    await targeted.slices.applyAll([{ CustomerId: '1', Name: 'Again' }]);
    expect(targeted.readsOf(deletionFlagPath(targeted.slices.tenant.tenantId, 'customers'))).toBe(2);
  });
});
