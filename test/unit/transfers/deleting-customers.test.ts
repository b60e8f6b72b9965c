/** Rows that delete customers while others write, and where very many share an identifier. */
import { recordsPath, tombstonesPath, wideDeletionsPath } from '../../../shared/documents/paths';
import type {
  DocumentChange,
  DocumentStore,
  DocumentWrite,
  StoredDocument,
} from '../../../shared/documents/document-store';
import type { DocumentData } from '../../../shared/domain/records/document';
import type { DeletionTarget } from '../../../shared/domain/deletion';
import { customerIdentities } from '../../../shared/domain/identity';
import { raiseFlag } from '../../../shared/deletions/pending-flag';
import { ACCEPTED_IN_COMMIT, MAX_EARLIER_ACCEPTANCES, MAX_NAMED_CUSTOMERS } from '../../../shared/limits/deletions';
import { FEW_MATCHING_CUSTOMERS } from '../../../shared/limits/records';
import { CustomerDeletions } from '../../../shared/transfers/reading/rows/customer-deletions';
import { acceptDeletion } from '../../support/deletions';
import { changingTransactions, overriding } from '../../support/overriding';
import { RecordingPublisher } from '../../support/recording-fakes';
import { SeededRandom } from '../../support/seeded-random';
import { keyedWrite } from '../../../shared/workspace/customer-keys';
import { tombstonePaths } from '../../../shared/workspace/tombstones';
import { SlicesInMemory } from './slices-in-memory';

const MINUTE_MS = 60_000;
const SHARED = Array.from({ length: FEW_MATCHING_CUSTOMERS + 1 }, (_, n) => ({
  Email: `${n}@x.com`,
  CustomerId: 'shared',
}));
const ago = (slices: SlicesInMemory, minutes: number) => new Date(slices.nowMs - minutes * MINUTE_MS).toISOString();

async function emails(slices: SlicesInMemory): Promise<unknown[]> {
  const stored = await slices.store.list(recordsPath(slices.tenant.tenantId, 'customers'), { limit: 1_000 });
  return stored.map(({ data }) => data.Email).sort();
}

/** What others do once, when a test lets them: `work` is undefined before it is set and once it is done. */
class Others {
  work: (() => Promise<unknown>) | undefined;

  /** @returns whether there was anything to do */
  async act(): Promise<boolean> {
    const { work } = this;
    this.work = undefined;
    await work?.();
    return work !== undefined;
  }

  /** Lets them act before a call of a store. */
  before(method: 'findWhere' | 'commit'): (store: DocumentStore) => DocumentStore {
    const acting = <C extends unknown[], R>(call: (...of: C) => Promise<R>) => {
      return async (...of: C) => {
        await this.act();
        return call(...of);
      };
    };
    return (store) =>
      overriding<DocumentStore>(
        store,
        method === 'commit'
          ? { commit: acting((...of) => store.commit(...of)) }
          : { findWhere: acting((...of) => store.findWhere(...of)) },
      );
  }
}

/** A deletion by a request; it is not applied yet. */
async function acceptNow(slices: SlicesInMemory, target: DeletionTarget): Promise<void> {
  const random = new SeededRandom(`${slices.nowMs}`); // a revision of its own
  const means = { random, publisher: new RecordingPublisher(), deletionsTopic: 'deletions' };
  await acceptDeletion(slices.tenant, target, slices.deadline(), { ...slices.dependencies(), ...means });
}

/** The database as slices see it that read tombstones changed in this way. */
function showingTombstones(store: DocumentStore, change: (tombstone: DocumentData) => DocumentData): DocumentStore {
  const shown = (document: StoredDocument) =>
    document.path.includes('/tombstones/') ? { ...document, data: change(document.data) } : document;
  return overriding(store, {
    getAll: async (...call) => (await store.getAll(...call)).map(shown),
    getSome: async (...call) => {
      const { documents, unread } = await store.getSome(...call);
      return { documents: documents.map(shown), unread };
    },
  });
}

it('finds whom others store until its tombstones are there, and keeps out who is older after that (R-28)', async () => {
  const others = new Others();
  const watch = (store: DocumentStore) =>
    overriding<DocumentStore>(store, {
      findWhere: async (...query) => {
        const found = await store.findWhere(...query);
        await others.act();
        return found;
      },
    });
  const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' }, watch);
  const older = { Email: 'old@x.com', CustomerId: '1', UpdatedAt: ago(slices, 9) };
  // Another file stores one between the look and the commit.
  others.work = async () => {
    await slices.applyAll([older]);
  };
  const [outcome] = await slices.applyAll([{ CustomerId: '1', DeletedAt: ago(slices, 5) }]);
  expect(outcome?.counts).toMatchObject({ deleted: 1 });
  expect(await emails(slices)).toEqual([]);
  expect((await slices.applyAll([older]))[0]?.counts).toMatchObject({ stale: 1 });
  expect(await emails(slices)).toEqual([]);
});

it('removes who is as old as the deletion, and nobody who is newer, however many share the identifier (R-27)', async () => {
  const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' });
  const at = (minutes: number) => ({ UpdatedAt: ago(slices, minutes) });
  await raiseFlag(slices.tenant.tenantId, 'customers', { isWide: true }, slices.deadline(), slices.dependencies());
  await slices.applyAll(SHARED.map((customer, n) => ({ ...customer, ...at(n < 3 ? 4 : n < 6 ? 5 : 6) })));
  await slices.applyAll([{ CustomerId: 'shared', DeletedAt: ago(slices, 5) }]);
  await slices.applyDeletions();
  expect(await emails(slices)).toEqual(['0@x.com', '1@x.com', '2@x.com']);
});

it.each(['in the same slice', 'in a slice that was to be prepared ahead'])(
  'has a newer row inherit nothing of who is still to be removed, %s (R-08, R-28)',
  async (where) => {
    const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' });
    const { tenant, store } = slices;
    await slices.applyAll(SHARED.map((customer) => ({ ...customer, Name: 'old', UpdatedAt: ago(slices, 9) })));
    await raiseFlag(tenant.tenantId, 'customers', { isWide: true }, slices.deadline(), slices.dependencies());
    const deletion = { CustomerId: 'shared', DeletedAt: ago(slices, 5) };
    const newer = { Email: '0@x.com', Surname: 'new', UpdatedAt: ago(slices, 1) };
    if (where === 'in the same slice') await slices.applyAll([deletion, newer]);
    else await slices.commitInOrder([[deletion], [newer]]);
    await slices.applyDeletions();
    const [left, ...others] = await store.list(recordsPath(tenant.tenantId, 'customers'), { limit: 100 });
    expect(others).toEqual([]);
    expect(left?.data).toMatchObject({ Email: '0@x.com', Surname: 'new' });
    expect(left?.data).not.toHaveProperty('Name');
    expect(left?.data).not.toHaveProperty('CustomerId');
  },
);

it('goes a hundred to a commit where nobody has the first identifiers, and very many the second one (R-28)', async () => {
  const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' });
  await raiseFlag(slices.tenant.tenantId, 'customers', { isWide: true }, slices.deadline(), slices.dependencies());
  await slices.applyAll(SHARED.map((customer) => ({ ...customer, UpdatedAt: ago(slices, 1) })));
  const rows = Array.from({ length: 300 }, (_, n) => ({
    Email: `gone${n}@x.com`,
    CustomerId: 'shared',
    DeletedAt: ago(slices, 5),
  }));
  const commits = await slices.applyAll(rows);
  expect(commits.length).toBeLessThan(6);
  expect(commits.reduce((sum, { counts }) => sum + counts.deleted, 0)).toBe(rows.length);
  await slices.applyDeletions();
  expect(await emails(slices)).toHaveLength(SHARED.length); // all are newer
  const older = await slices.applyAll(SHARED.map((customer) => ({ ...customer, UpdatedAt: ago(slices, 9) })));
  expect(older.reduce((sum, { counts }) => sum + counts.stale, 0)).toBe(SHARED.length);
});

/**
 * Stores a row that frees a customer of the identifier that very many share, while they are deleted by it.
 * @param rowsOf the rows, made of one that deletes by that identifier and this one
 * @returns who is left
 */
async function freeBesideDeletion(rowsOf: (slices: SlicesInMemory, ofMany: object, freed: object) => object[]) {
  const others = new Others();
  const watch = others.before('findWhere');
  const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' }, watch);
  await raiseFlag(slices.tenant.tenantId, 'customers', { isWide: true }, slices.deadline(), slices.dependencies());
  const many = Array.from({ length: MAX_NAMED_CUSTOMERS + 1 }, (_, n) => ({
    Email: `${n}@x.com`,
    CustomerId: 'shared',
    UpdatedAt: ago(slices, 9),
  }));
  await slices.applyAll(many);
  const ofMany = { Email: 'nobody@x.com', CustomerId: 'shared', DeletedAt: ago(slices, 5) };
  others.work = async () => {
    slices.passMs(100);
    await acceptNow(slices, { type: 'customer', email: null, customerId: 'shared' });
  };
  const uploadedMs = slices.nowMs;
  for (let rest = rowsOf(slices, ofMany, { Email: '0@x.com', CustomerId: 'other' }); rest.length > 0;) {
    const { writes, rowsApplied } = await slices.apply(rest, slices.nowMs - uploadedMs);
    if ((await slices.store.commit(writes)) !== 'conflict') rest = rest.slice(rowsApplied);
  }
  expect(others.work).toBeUndefined();
  await slices.applyDeletions();
  return emails(slices);
}

describe('a row that frees a customer of a deletion which is accepted after it was read, behind a row that deletes', () => {
  const before = (slices: SlicesInMemory, ofMany: object, freed: object) => [
    { Email: 'gone@x.com', CustomerId: 'none', DeletedAt: ago(slices, 5) },
    freed,
    ofMany,
  ];

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('keeps nobody where very many have the second identifier of that one (R-413)', async () => {
    expect(await freeBesideDeletion((_, ofMany, freed) => [ofMany, freed])).toEqual([]);
  });

  it('keeps nobody where another one of theirs follows (R-413)', async () => {
    expect(await freeBesideDeletion(before)).toEqual([]);
  });

  it('would keep him, did it not wait where others have changed its tombstone (R-413)', async () => {
    const { hasRoomFor } = CustomerDeletions.prototype; // eslint-disable-line @typescript-eslint/unbound-method
    jest.spyOn(CustomerDeletions.prototype, 'hasRoomFor').mockImplementation(function (this: CustomerDeletions, row) {
      return hasRoomFor.call(this, row, () => []);
    });
    expect(await freeBesideDeletion(before)).toEqual(['0@x.com']);
  });
});

it('goes with rows that store its customers anew in one commit, where nobody has their identifiers (R-28)', async () => {
  const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' });
  await raiseFlag(slices.tenant.tenantId, 'customers', { isWide: true }, slices.deadline(), slices.dependencies());
  const rows = Array.from({ length: 80 }, (_, n) => [
    { CustomerId: `${n}`, DeletedAt: ago(slices, 5) },
    { Email: `${n}@x.com`, CustomerId: `${n}`, UpdatedAt: ago(slices, 4) },
  ]);
  expect(await slices.applyAll(rows.flat())).toHaveLength(1);
  expect(await emails(slices)).toHaveLength(rows.length);
});

it('leaves nothing where all are newer, not even tombstones (D-54)', async () => {
  const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' });
  await slices.applyAll([{ Email: 'a@x.com', CustomerId: '1', UpdatedAt: ago(slices, 1) }]);
  const [outcome] = await slices.applyAll([{ CustomerId: '1', DeletedAt: ago(slices, 5) }]);
  expect(outcome?.counts).toMatchObject({ stale: 1 });
  expect(await slices.store.list(tombstonesPath(slices.tenant.tenantId), { limit: 10 })).toEqual([]);
});

it('passes over a newer customer whose deletion is accepted and not applied, and leaves its tombstone (R-28)', async () => {
  const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' });
  await slices.applyAll([{ Email: 'a@x.com', CustomerId: '1', UpdatedAt: ago(slices, 1) }]);
  await acceptNow(slices, { type: 'customer', email: 'a@x.com', customerId: null });
  const [outcome] = await slices.applyAll([{ CustomerId: '1', DeletedAt: ago(slices, 5) }]);
  expect(outcome?.counts).toMatchObject({ deleted: 1 });
  const [older] = await slices.applyAll([{ CustomerId: '1', UpdatedAt: ago(slices, 9) }]);
  expect(older?.counts).toMatchObject({ stale: 1 });
});

/**
 * Deletes very many customers twice, the second time after ten minutes. Then a row comes that is older than the second
 * time and newer than the first one, of one of them without their identifier.
 * @returns how the row counts, and who is left
 */
async function deleteTwice(first: Deleter, again: Deleter, count: number, watch = (store: DocumentStore) => store) {
  const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' }, watch);
  await raiseFlag(slices.tenant.tenantId, 'customers', { isWide: true }, slices.deadline(), slices.dependencies());
  const customers = Array.from({ length: count }, (_, n) => ({ Email: `${n}@x.com`, CustomerId: 'shared' }));
  await slices.applyAll(customers.map((customer) => ({ ...customer, UpdatedAt: ago(slices, 9) })));
  const deleteAll = async (by: Deleter, minutes: number) => {
    if (by === 'a request') return acceptNow(slices, { type: 'customer', email: null, customerId: 'shared' });
    const { writes } = await slices.apply([{ CustomerId: 'shared', DeletedAt: ago(slices, minutes) }]);
    expect(await watch(slices.store).commit(writes, slices.deadline())).not.toBe('conflict');
  };
  await deleteAll(first, 5);
  slices.passMs(10 * MINUTE_MS);
  await deleteAll(again, 0);
  const [outcome] = await slices.applyAll([{ Email: '0@x.com', UpdatedAt: ago(slices, 2) }], MINUTE_MS);
  await slices.applyDeletions();
  const { stored, stale } = outcome!.counts;
  return { stored, stale, left: await emails(slices) };
}

type Deleter = 'a row' | 'a request';

/** A planted mistake: a store where a deletion of very many takes the place of one that is pending. */
function forgettingEarlier(store: DocumentStore): DocumentStore {
  const last = <W extends DocumentWrite>(write: W): W => {
    if (!('set' in write) || !write.set.includes('/wideDeletions/')) return write;
    const { earlier: _, ...data } = write.data;
    return { ...write, data };
  };
  const forgetting = overriding(store, { commit: (writes, deadline) => store.commit(writes.map(last), deadline) });
  return changingTransactions(forgetting, (transaction) =>
    overriding(transaction, { commit: (changes, deadline) => transaction.commit(changes.map(last), deadline) }),
  );
}

describe.each<[first: Deleter, again: Deleter, many: string, count: number]>([
  ['a row', 'a request', 'some', FEW_MATCHING_CUSTOMERS + 1],
  ['a row', 'a request', 'very many', MAX_NAMED_CUSTOMERS + 1],
  ['a request', 'a request', 'very many', MAX_NAMED_CUSTOMERS + 1],
  ['a row', 'a row', 'some', FEW_MATCHING_CUSTOMERS + 1],
  ['a request', 'a row', 'very many', MAX_NAMED_CUSTOMERS + 1],
])('where %s and then %s deletes %s customers', (first, again, _many, count) => {
  it('they are gone as of the first deletion that means them (R-33)', async () => {
    expect(await deleteTwice(first, again, count)).toEqual({ stored: 1, stale: 0, left: ['0@x.com'] });
  });

  it('one who comes between them would be lost, did the later one take the place of the earlier one (R-33)', async () => {
    expect(await deleteTwice(first, again, count, forgettingEarlier)).toEqual({ stored: 0, stale: 1, left: [] });
  });
});

it('removes whom a slice stores that has seen neither the row that deletes very many, nor the request after it (R-33)', async () => {
  const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' });
  const { tenantId } = slices.tenant;
  await raiseFlag(tenantId, 'customers', { isWide: true }, slices.deadline(), slices.dependencies());
  await slices.applyAll(SHARED.map((customer) => ({ ...customer, Name: 'old', UpdatedAt: ago(slices, 9) })));
  const unseen = await slices.apply([{ Email: '0@x.com', UpdatedAt: ago(slices, 2) }], MINUTE_MS);
  await slices.applyAll([{ CustomerId: 'shared', DeletedAt: ago(slices, 5) }]);
  slices.passMs(MINUTE_MS);
  await acceptNow(slices, { type: 'customer', email: null, customerId: 'shared' });
  expect(await slices.store.commit(unseen.writes)).not.toBe('conflict');
  await slices.applyDeletions();
  expect(await emails(slices)).toEqual([]);
});

it('remembers when very many were deleted, however often that is done, and by rows as well (R-33)', async () => {
  const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' });
  const { tenantId } = slices.tenant;
  await raiseFlag(tenantId, 'customers', { isWide: true }, slices.deadline(), slices.dependencies());
  const many = Array.from({ length: MAX_NAMED_CUSTOMERS + 1 }, (_, n) => ({
    Email: `${n}@x.com`,
    CustomerId: 'shared',
  }));
  await slices.applyAll(many.map((customer) => ({ ...customer, UpdatedAt: ago(slices, 60) })));
  for (let n = 0; n < MAX_EARLIER_ACCEPTANCES + 5; n += 1) {
    await acceptNow(slices, { type: 'customer', email: null, customerId: 'shared' });
    slices.passMs(MINUTE_MS);
    await slices.applyAll([{ CustomerId: 'shared', DeletedAt: ago(slices, 0) }]);
    // An older one changes nothing.
    await slices.applyAll([{ CustomerId: 'shared', DeletedAt: ago(slices, 30) }]);
  }
  const [wide] = await slices.store.list(wideDeletionsPath(tenantId), { limit: 2 });
  expect(wide?.data.earlier).toHaveLength(MAX_EARLIER_ACCEPTANCES);
  expect(await emails(slices)).toHaveLength(many.length);
  await slices.applyDeletions();
  expect(await emails(slices)).toEqual([]);
  expect(await slices.store.list(wideDeletionsPath(tenantId), { limit: 2 })).toEqual([]);
});

it('decides a row with two identifiers by what the rows before it in its commit leave (D-43, R-28)', async () => {
  const slices = new SlicesInMemory('customers', { customerIdentifier: 'customerid' });
  const earlier = { UpdatedAt: ago(slices, 9) };
  await slices.applyAll([
    { Email: 'b@x.com', CustomerId: '1', ...earlier },
    { Email: 'a@x.com', ...earlier },
  ]);
  // The first one removes who has the identifier 1, so that the second one means who has the e-mail.
  const outcomes = await slices.applyAll([
    { Email: 'b@x.com', DeletedAt: ago(slices, 5) },
    { Email: 'a@x.com', CustomerId: '1', DeletedAt: ago(slices, 4) },
  ]);
  expect(outcomes.map(({ counts }) => counts.deleted)).toEqual([1, 1]);
  expect(await emails(slices)).toEqual([]);
});

describe('rows of different customers with one e-mail, such as none@shop.example (R-28, R-64)', () => {
  const rowsOf = (slices: SlicesInMemory, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      CustomerId: `${n}`,
      Email: 'none@shop.example',
      DeletedAt: ago(slices, 5),
    }));

  /** A tenant whose customers are stored by their ids, and the queries that are made. */
  async function keyedById() {
    const queries: unknown[] = [];
    const watch = (store: DocumentStore) =>
      overriding<DocumentStore>(store, {
        findWhere: (...query) => {
          queries.push(query[1]);
          return store.findWhere(...query);
        },
      });
    const slices = new SlicesInMemory('customers', { customerIdentifier: 'customerid' }, watch);
    await slices.store.commit([keyedWrite(slices.tenant, undefined, new SeededRandom())]);
    return { slices, queries };
  }

  it('are deleted by their ids, a hundred in a commit, and nobody is looked up by the e-mail', async () => {
    const { slices, queries } = await keyedById();
    const rows = rowsOf(slices, ACCEPTED_IN_COMMIT + 50);
    const UpdatedAt = ago(slices, 9);
    const others = [{ CustomerId: 'other', Email: 'none@shop.example', UpdatedAt }];
    await slices.applyAll([...rows.map(({ DeletedAt: _, ...customer }) => ({ ...customer, UpdatedAt })), ...others]);
    const outcomes = await slices.applyAll(rows);
    expect(outcomes.map(({ counts }) => counts.deleted)).toEqual([ACCEPTED_IN_COMMIT, 50]);
    expect(queries).toEqual([]);
    expect(await emails(slices)).toEqual(['none@shop.example']);
  });

  it('are done in as few commits where nobody is stored', async () => {
    const { slices } = await keyedById();
    const outcomes = await slices.applyAll(rowsOf(slices, ACCEPTED_IN_COMMIT + 50));
    expect(outcomes.map(({ counts }) => counts.deleted)).toEqual([ACCEPTED_IN_COMMIT, 50]);
    const older = { Email: 'none@shop.example', CustomerId: '149', UpdatedAt: ago(slices, 9) };
    expect((await slices.applyAll([older]))[0]?.counts).toMatchObject({ stale: 1 });
  });

  it('are done in as few commits where the file comes again, and others have the e-mail', async () => {
    const { slices } = await keyedById();
    const UpdatedAt = ago(slices, 9);
    const rows = rowsOf(slices, ACCEPTED_IN_COMMIT + 50);
    await slices.applyAll(rows.map(({ DeletedAt: _, ...customer }) => ({ ...customer, UpdatedAt })));
    await slices.applyAll(rows);
    await slices.applyAll([{ CustomerId: 'newer', Email: 'none@shop.example', UpdatedAt: ago(slices, 2) }]);
    const outcomes = await slices.applyAll(rows);
    expect(outcomes.map(({ rowsApplied }) => rowsApplied)).toEqual([ACCEPTED_IN_COMMIT, 50]);
    expect(await emails(slices)).toEqual(['none@shop.example']);
  });

  it('are decided by tombstones that are stored, not by those about to be (R-28)', async () => {
    const others = new Others();
    const watch = (store: DocumentStore) =>
      overriding<DocumentStore>(store, {
        commit: async (...call) => ((await others.act()) ? 'conflict' : store.commit(...call)),
      });
    const slices = new SlicesInMemory('customers', { customerIdentifier: 'customerid' }, watch);
    await raiseFlag(slices.tenant.tenantId, 'customers', {}, slices.deadline(), slices.dependencies());
    // The tombstones of both rows are in conflict, and meanwhile the first one's customer is stored.
    others.work = async () => {
      await slices.applyAll([{ CustomerId: '1', UpdatedAt: ago(slices, 20) }]);
    };
    const outcomes = await slices.applyAll([
      { CustomerId: '1', Email: 'none@shop.example', DeletedAt: ago(slices, 5) },
      { Email: 'none@shop.example', DeletedAt: ago(slices, 10) },
    ]);
    expect(outcomes.map(({ counts: { deleted } }) => deleted).reduce((sum, each) => sum + each)).toBe(2);
    const older = { Email: 'none@shop.example', CustomerId: '9', UpdatedAt: ago(slices, 11) };
    expect((await slices.applyAll([older]))[0]?.counts).toMatchObject({ stale: 1 });
  });

  it('wait for the rows before them where more have the e-mail than were read (R-85)', async () => {
    for (const [removed] of SHARED.entries()) {
      const { slices } = await keyedById();
      const newer = SHARED.map((_, n) => ({ CustomerId: `${n}`, Email: 'none@shop.example' }));
      await slices.applyAll(newer.map((customer) => ({ ...customer, UpdatedAt: ago(slices, 2) })));
      const outcomes = await slices.applyAll([
        { CustomerId: `${removed}`, DeletedAt: ago(slices, 1) },
        { CustomerId: 'unknown', Email: 'none@shop.example', DeletedAt: ago(slices, 5) },
      ]);
      expect(outcomes.map(({ counts: { deleted, stale } }) => [deleted, stale])).toEqual([
        [1, 0],
        [0, 1],
      ]);
    }
  });

  it('count as the rows before them leave it, where a row of nobody may be stale (D-54)', async () => {
    const { slices } = await keyedById();
    const row = (CustomerId: string, minutes: number) => ({
      CustomerId,
      Email: 'none@shop.example',
      DeletedAt: ago(slices, minutes),
    });
    await slices.applyAll([{ CustomerId: '1', DeletedAt: ago(slices, 1) }]);
    // Of the first one the id was deleted later already, and the e-mail was not: that comes with the second one.
    const outcomes = await slices.applyAll([row('1', 7), row('2', 5), row('1', 6)]);
    expect(outcomes.map(({ counts: { deleted, stale } }) => [deleted, stale])).toEqual([
      [1, 0],
      [1, 1],
    ]);
  });

  it('are deleted by their ids where the e-mail comes first and nobody has it, a hundred in a commit', async () => {
    const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' });
    const rows = rowsOf(slices, ACCEPTED_IN_COMMIT + 50);
    // Of every other one nobody is stored. That row has found nobody, and is no sign of the others.
    const stored = rows.filter((_, n) => n % 2 === 1);
    const UpdatedAt = ago(slices, 9);
    await slices.applyAll(stored.map(({ CustomerId }) => ({ CustomerId, Email: `${CustomerId}@x.com`, UpdatedAt })));
    for (const _time of ['first', 'again']) {
      const outcomes = await slices.applyAll(rows);
      expect(outcomes.map(({ counts }) => counts.deleted)).toEqual([ACCEPTED_IN_COMMIT, 50]);
      expect(await emails(slices)).toEqual([]);
    }
  });
});

describe('rows that were here before, by the tombstones of their identifiers (R-28)', () => {
  const hour = (slices: SlicesInMemory, at: number) => ago(slices, 600 - 60 * at);
  it('are not decided by what rows after them delete, where their commit is in conflict', async () => {
    const slices = new SlicesInMemory('customers', { customerIdentifier: 'customerid' });
    await slices.applyAll(
      SHARED.map(({ Email }, n) => ({
        CustomerId: `s${n}`,
        Email: 'p@x.com',
        Username: Email,
        UpdatedAt: hour(slices, 1),
      })),
    );
    const here = { CustomerId: '1', Email: 'e@x.com', DeletedAt: hour(slices, 2) };
    await slices.applyAll([{ CustomerId: '1', UpdatedAt: hour(slices, 1) }]);
    await slices.applyAll([here]);
    await slices.applyAll([{ CustomerId: '3', Email: 'e@x.com', UpdatedAt: hour(slices, 1) }]);
    // The last row raises the flag anew, so that a commit with the rows before it is in conflict.
    const rows = [
      here,
      { CustomerId: '1', DeletedAt: hour(slices, 9) },
      { Email: 'p@x.com', DeletedAt: hour(slices, 9) },
    ];
    for (let rest: readonly object[] = rows; rest.length > 0;) {
      const { writes, rowsApplied } = await slices.apply(rest);
      if ((await slices.store.commit(writes)) !== 'conflict') rest = rest.slice(rowsApplied);
    }
    await slices.applyDeletions();
    expect(await emails(slices)).toEqual(['e@x.com']);
  });

  /** Lets a row come twice that deletes customers by its first identifier. @param watch what it works with again */
  async function deleteAgain(customers: readonly object[], watch = (store: DocumentStore) => store) {
    let isAgain = false;
    const byEmail = new SlicesInMemory('customers', { customerIdentifier: 'email' });
    const slices = new SlicesInMemory('customers', { customerIdentifier: 'customerid' }, (store) =>
      isAgain ? watch(store) : store,
    );
    const UpdatedAt = hour(slices, 1);
    await byEmail.applyAll(
      [...customers, { Email: 'a@x.com' }, { Email: 'b@x.com' }].map((each) => ({ ...each, UpdatedAt })),
    );
    const stored = await byEmail.store.list(recordsPath(slices.tenant.tenantId, 'customers'), { limit: 100 });
    for (const { path, data } of stored) await slices.put(path, data); // by the tenant's former identifier
    const row = (Email: string) => ({ CustomerId: 'shared', Email, DeletedAt: hour(slices, 2) });
    await raiseFlag(slices.tenant.tenantId, 'customers', { isWide: true }, slices.deadline(), slices.dependencies());
    await slices.applyAll([row('a@x.com')]);
    isAgain = true;
    await slices.applyAll([row('a@x.com')]);
    await slices.applyDeletions();
    return { slices, row };
  }

  it.each([
    ['one customer', SHARED.slice(0, 1)],
    ['very many, who are removed later', SHARED],
  ])('are told by their tombstone, after %s', async (_, customers) => {
    const { slices, row } = await deleteAgain(customers);
    expect(await emails(slices)).toEqual(['a@x.com', 'b@x.com']);
    // Another row of that identifier and time goes on to its own second one.
    await slices.applyAll([row('b@x.com'), row('a@x.com')]);
    expect(await emails(slices)).toEqual(['a@x.com']);
  });

  it('would delete by their second identifier, did their tombstone not tell of them (R-28)', async () => {
    const { slices } = await deleteAgain(SHARED.slice(0, 1), (store) =>
      showingTombstones(store, ({ deletedBy: _row, ...tombstone }) => tombstone),
    );
    expect(await emails(slices)).toEqual(['b@x.com']);
  });

  it.each([
    ['are no rows of whose very time another one has deleted the first identifier (R-28)', false, []],
    ['would be such rows, too, did a tombstone tell its time alone (R-28)', true, ['1']],
  ])('%s', async (_, isMistaken, left) => {
    const [second] = customerIdentities({ CustomerId: '1' });
    const byTimeAlone = (tombstone: DocumentData): DocumentData => {
      const { removedAt: at } = tombstone;
      return at instanceof Date ? { ...tombstone, deletedBy: { second: second!, at } } : tombstone;
    };
    const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' }, (store) =>
      isMistaken ? showingTombstones(store, byTimeAlone) : store,
    );
    const [UpdatedAt, DeletedAt] = [hour(slices, 1), hour(slices, 2)];
    await slices.applyAll([
      { CustomerId: '1', UpdatedAt },
      { CustomerId: '2', Email: 'e@x.com', UpdatedAt },
    ]);
    await slices.applyAll([{ Email: 'e@x.com', DeletedAt }]);
    await slices.applyAll([{ CustomerId: '1', Email: 'e@x.com', DeletedAt }]);
    const stored = await slices.store.list(recordsPath(slices.tenant.tenantId, 'customers'), { limit: 10 });
    expect(stored.map(({ data }) => data.CustomerId)).toEqual(left);
  });

  it('are no rows whose second identifier another row deletes later', async () => {
    const others = new Others();
    const watch = others.before('commit');
    const slices = new SlicesInMemory('customers', { customerIdentifier: 'customerid' }, watch);
    await raiseFlag(slices.tenant.tenantId, 'customers', {}, slices.deadline(), slices.dependencies());
    // Another file stores customers between the look and the tombstones.
    others.work = async () => {
      const UpdatedAt = hour(slices, 1);
      await slices.applyAll([
        { CustomerId: '2', Email: 'other@x.com', UpdatedAt },
        { CustomerId: '3', Email: 'e@x.com', UpdatedAt },
      ]);
    };
    await slices.applyAll([
      { CustomerId: '1', Email: 'e@x.com', DeletedAt: hour(slices, 2) },
      { CustomerId: '2', Email: 'e@x.com', DeletedAt: hour(slices, 3) },
    ]);
    expect(await emails(slices)).toEqual([]);
  });
});

describe('rows whose first identifier was deleted later, with its customer (R-28, D-54)', () => {
  const ANN = 'ann@x.com';
  const GUESTS = ['1@x.com', '2@x.com'];
  const guests = (slices: SlicesInMemory, minutes: number) =>
    GUESTS.map((Email) => ({ Email, CustomerId: 'guest', UpdatedAt: ago(slices, minutes) }));
  const row = (slices: SlicesInMemory, minutes: number) => ({
    Email: ANN,
    CustomerId: 'guest',
    DeletedAt: ago(slices, minutes),
  });

  it.each<[string, (slices: SlicesInMemory) => Promise<unknown>]>([
    ['a request', (slices) => acceptNow(slices, { type: 'customer', email: ANN, customerId: null })],
    ['a request by both', (slices) => acceptNow(slices, { type: 'customer', email: ANN, customerId: 'guest' })],
    [
      'a request by another identifier',
      (slices) => acceptNow(slices, { type: 'customer', email: null, customerId: 'own' }),
    ],
    ['a row', (slices) => slices.applyAll([{ Email: ANN, DeletedAt: ago(slices, 1) }])],
    ['the same row at another time', (slices) => slices.applyAll([row(slices, 1)])],
  ])('are stale, and spare who has the second one, after %s', async (which, deleteAgain) => {
    const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' });
    const own = which.endsWith('another identifier') ? 'own' : 'guest';
    const ann = { Email: ANN, CustomerId: own };
    await slices.applyAll([...guests(slices, 9), { ...ann, UpdatedAt: ago(slices, 9) }]);
    const log = [row(slices, 5)];
    await slices.applyAll(log);
    await slices.applyAll([{ ...ann, UpdatedAt: ago(slices, 4) }]);
    await deleteAgain(slices);
    await deleteAgain(slices); // finds nobody
    await slices.applyDeletions();
    const [outcome] = await slices.applyAll(log);
    expect(outcome?.counts).toMatchObject({ stale: 1, deleted: 0 });
    expect(await emails(slices)).toEqual(GUESTS);
  });

  it.each([
    ['are stale, and spare who has the second one', false, { stale: 1, deleted: 0 }, GUESTS],
    [
      'would delete who has the second one, did a request not tell that it has found a customer,',
      true,
      { stale: 0, deleted: 1 },
      [],
    ],
  ])('%s where they are read for the first time after a request (R-28)', async (_, isMistaken, counts, left) => {
    const watch = (store: DocumentStore) => (isMistaken ? acceptingWithoutRemovalTime(store) : store);
    const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' }, watch);
    await slices.applyAll([...guests(slices, 9), { Email: ANN, UpdatedAt: ago(slices, 9) }]);
    await acceptNow(slices, { type: 'customer', email: ANN, customerId: null });
    await slices.applyDeletions();
    const [outcome] = await slices.applyAll([row(slices, 5)]);
    expect(outcome?.counts).toMatchObject(counts);
    expect(await emails(slices)).toEqual(left);
  });

  /** A planted mistake: a store whose transactions do not write when a deletion has found a customer. */
  function acceptingWithoutRemovalTime(store: DocumentStore): DocumentStore {
    const without = (change: DocumentChange): DocumentChange =>
      'set' in change && change.writtenAt
        ? { ...change, writtenAt: change.writtenAt.filter((field) => field !== 'removedAt') }
        : change;
    return changingTransactions(store, (transaction) =>
      overriding(transaction, { commit: (changes, deadline) => transaction.commit(changes.map(without), deadline) }),
    );
  }

  it('are read for the first time as well, and say nothing of the second one', async () => {
    const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' });
    await slices.applyAll([{ Email: ANN, UpdatedAt: ago(slices, 9) }]);
    await slices.applyAll([{ Email: ANN, DeletedAt: ago(slices, 4) }]);
    const [outcome] = await slices.applyAll([row(slices, 5)]);
    expect(outcome?.counts).toMatchObject({ stale: 1, deleted: 0 });
    await slices.applyAll(guests(slices, 9));
    expect(await emails(slices)).toEqual(GUESTS);
  });

  describe('where a release has left a tombstone of their time that does not tell what it found', () => {
    let slices: SlicesInMemory;

    beforeEach(async () => {
      slices = new SlicesInMemory('customers', { customerIdentifier: 'email' });
      const { tenantId } = slices.tenant;
      await raiseFlag(tenantId, 'customers', {}, slices.deadline(), slices.dependencies());
      const [path] = tombstonePaths(tenantId, 'customers', customerIdentities({ Email: ANN }));
      await slices.put(path!, { deletedAt: new Date(slices.nowMs - 5 * MINUTE_MS) });
    });

    it('count as here before, and spare who has the second one', async () => {
      await slices.applyAll(guests(slices, 9));
      const [outcome] = await slices.applyAll([row(slices, 5)]);
      expect(outcome?.counts).toMatchObject({ deleted: 1 });
      expect(await emails(slices)).toEqual(GUESTS);
    });

    it('keep older rows out where nobody has the second one', async () => {
      await slices.applyAll([row(slices, 5)]);
      const [older] = await slices.applyAll(guests(slices, 9));
      expect(older?.counts).toMatchObject({ stale: 2 });
    });
  });

  it('are stale also where that deletion comes while they are decided', async () => {
    const others = new Others();
    const watch = others.before('findWhere');
    const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' }, watch);
    await raiseFlag(slices.tenant.tenantId, 'customers', {}, slices.deadline(), slices.dependencies());
    await slices.applyAll([...guests(slices, 9), { Email: ANN, CustomerId: 'guest', UpdatedAt: ago(slices, 9) }]);
    others.work = () => slices.applyAll([{ Email: ANN, DeletedAt: ago(slices, 1) }]);
    const [outcome] = await slices.applyAll([row(slices, 5)]);
    expect(others.work).toBeUndefined();
    expect(outcome?.counts).toMatchObject({ stale: 1, deleted: 0 });
    expect(
      (await slices.applyAll([{ Email: '3@x.com', CustomerId: 'guest', UpdatedAt: ago(slices, 8) }]))[0]?.counts,
    ).toMatchObject({ stored: 1 });
    expect(await emails(slices)).toEqual([...GUESTS, '3@x.com']);
  });

  it.each(['is still at work', 'is done', 'and a request by his own identifier are done'])(
    'spare who has the second one where a deletion of very many %s',
    async (state) => {
      const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' });
      const stored = [...SHARED, { Email: 'bob@x.com', CustomerId: 's' }];
      await raiseFlag(slices.tenant.tenantId, 'customers', { isWide: true }, slices.deadline(), slices.dependencies());
      await slices.applyAll(stored.map((customer) => ({ ...customer, UpdatedAt: ago(slices, 9) })));
      await slices.applyAll([{ CustomerId: 'shared', DeletedAt: ago(slices, 2) }]);
      if (state.startsWith('and')) await acceptNow(slices, { type: 'customer', email: '0@x.com', customerId: null });
      if (state !== 'is still at work') await slices.applyDeletions();
      const [outcome] = await slices.applyAll([{ Email: '0@x.com', CustomerId: 's', DeletedAt: ago(slices, 5) }]);
      expect(outcome?.counts).toMatchObject({ stale: 1, deleted: 0 });
      await slices.applyDeletions();
      expect(await emails(slices)).toEqual(['bob@x.com']);
    },
  );

  it('say nothing of the second one where they were here before, either', async () => {
    const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' });
    await slices.applyAll([{ Email: ANN, UpdatedAt: ago(slices, 9) }]);
    for (const _time of ['first', 'again']) {
      const [outcome] = await slices.applyAll([row(slices, 5)]);
      expect(outcome?.counts).toMatchObject({ deleted: 1 });
    }
    await slices.applyAll(guests(slices, 9));
    expect(await emails(slices)).toEqual(GUESTS);
  });

  describe.each(['a request', 'a row'])('where %s has found nobody later', (who) => {
    /** @returns how a row counts then, and who is left */
    async function deleteAfter(watch = (store: DocumentStore) => store) {
      const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' }, watch);
      await slices.applyAll(guests(slices, 9));
      if (who === 'a row') await slices.applyAll([{ Email: ANN, DeletedAt: ago(slices, 1) }]);
      else await acceptNow(slices, { type: 'customer', email: ANN, customerId: null });
      await slices.applyDeletions();
      const [outcome] = await slices.applyAll([row(slices, 5)]);
      const { deleted, stale } = outcome!.counts;
      return { deleted, stale, left: await emails(slices) };
    }

    it('go on to the second one', async () => {
      expect(await deleteAfter()).toEqual({ deleted: 1, stale: 0, left: [] });
    });

    it('would be stale, did the tombstone not tell whether anybody was found (R-28)', async () => {
      const outcome = await deleteAfter((store) =>
        showingTombstones(store, (tombstone) => ({ ...tombstone, removedAt: tombstone.deletedAt ?? null })),
      );
      expect(outcome).toEqual({ deleted: 0, stale: 1, left: GUESTS });
    });
  });
});
