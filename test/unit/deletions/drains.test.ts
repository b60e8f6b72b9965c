/** One drain of a tenant is under way, however many deletions of very many customers are accepted. */
import { toTenantDocument } from '../../../shared/auth/tenant-documents';
import type { DocumentStore, DocumentWrite } from '../../../shared/documents/document-store';
import { raisedFlagPath, tenantPath, wideDeletionsPath } from '../../../shared/documents/paths';
import { DRAIN_UNDER_WAY_SECONDS, MAX_NAMED_CUSTOMERS } from '../../../shared/limits/deletions';
import { changingCommits, overriding } from '../../support/overriding';
import { aTenant } from '../support/tenant';
import { DeletionsLab } from './deletions-lab';

const EMAILS = ['first@x.com', 'second@x.com'] as const;

/** A lab with two e-mails that many customers share. */
async function openLab() {
  const lab = new DeletionsLab(aTenant({ customerIdentifier: 'customerid' }));
  await lab.memory.commit([{ set: tenantPath(lab.tenant.tenantId), data: toTenantDocument(lab.tenant) }]);
  await sendMany(lab);
  const deleteAll = (Email: string) => lab.deleteCustomer(null, Email);
  const drains = () => lab.publisher.published.filter(({ event }) => 'drain' in event);
  const wide = () => lab.memory.list(wideDeletionsPath(lab.tenant.tenantId), { limit: 10 });
  return { lab, deleteAll, drains, wide };
}

function sendMany(lab: DeletionsLab): Promise<void> {
  const customers = EMAILS.flatMap((Email) =>
    Array.from({ length: MAX_NAMED_CUSTOMERS + 1 }, (_, n) => ({ CustomerId: `${Email} ${n}`, Email })),
  );
  return lab.upsert(...customers);
}

/** Hands the last message to the consumer. */
function deliver(lab: DeletionsLab, store?: DocumentStore): Promise<void> {
  return lab.deliver(lab.publisher.published.at(-1)!.event, store);
}

/** The database as a process sees it that lacks a part of the rule. @param note where drains are noted */
type Mistake = (store: DocumentStore, note: string) => DocumentStore;

const SERVICE: Mistake = (store) => store;

/**
 * Deletes by each e-mail three times, drains, and deletes once more.
 * @returns the drains that were requested before the first one and in all, and how much that has left
 */
async function drainOnce(mistake: Mistake) {
  const { lab, deleteAll, drains, wide } = await openLab();
  lab.store = mistake(lab.memory, raisedFlagPath(lab.tenant.tenantId, 'customers'));
  for (const email of [...EMAILS, ...EMAILS, ...EMAILS]) await deleteAll(email);
  const before = drains().length;
  await deliver(lab);
  const left = [...(await lab.documents()), ...(await wide())].length;
  await sendMany(lab);
  await deleteAll(EMAILS[0]);
  return { before, left, after: drains().length };
}

/** A store in which nobody sees that a drain was requested. */
function forgettingNotes(store: DocumentStore, note: string): DocumentStore {
  return overriding(store, {
    get: async (path, deadline) => {
      const found = await store.get(path, deadline);
      return found && path === note ? { ...found, data: {} } : found;
    },
  });
}

/** A store in which a drain that ends leaves its note. */
function keepingNotes(store: DocumentStore, note: string): DocumentStore {
  return overriding(store, {
    commit: async (writes, deadline) => {
      const noted = removesNote(writes, note) ? await store.get(note, deadline) : undefined;
      return noted?.data.drainedAt ? noted.version : store.commit(writes, deadline);
    },
  });
}

/** Whether a commit writes the document of a note without one. */
function removesNote([write]: readonly DocumentWrite[], note: string): boolean {
  return write !== undefined && 'set' in write && write.set === note && !('drainedAt' in write.data);
}

it.each<[which: string, mistake: Mistake, drained: Awaited<ReturnType<typeof drainOnce>>]>([
  ['by the first of them alone, until it has ended', SERVICE, { before: 1, left: 0, after: 2 }],
  ['by each of them, were it not noted', forgettingNotes, { before: 6, left: 0, after: 7 }],
  ['by none after it, did its end not remove the note', keepingNotes, { before: 1, left: 0, after: 1 }],
])('is requested %s (R-410)', async (_, mistake, drained) => {
  expect(await drainOnce(mistake)).toEqual(drained);
});

it('is requested once more where nothing was heard of the one before', async () => {
  const { lab, deleteAll, drains } = await openLab();
  await deleteAll(EMAILS[0]);
  lab.passMs(DRAIN_UNDER_WAY_SECONDS * 1000);
  await deleteAll(EMAILS[1]);
  expect(drains()).toHaveLength(2);
});

/** A store in which a note from the future is one of just now. */
function believingNotes(store: DocumentStore, note: string, lab: DeletionsLab): DocumentStore {
  return overriding(store, {
    get: async (path, deadline) => {
      const found = await store.get(path, deadline);
      if (!found || path !== note || !(found.data.drainedAt instanceof Date)) return found;
      const drainedAt = new Date(Math.min(found.data.drainedAt.getTime(), lab.clock.nowMs()));
      return { ...found, data: { ...found.data, drainedAt } };
    },
  });
}

it.each([
  ['is requested once more', false, 2],
  ['would not be requested, did notes from the future count,', true, 1],
])('%s where the one before was noted by a clock that is an hour ahead (R-410)', async (_, isMistaken, requested) => {
  const { lab, deleteAll, drains } = await openLab();
  const note = raisedFlagPath(lab.tenant.tenantId, 'customers');
  if (isMistaken) lab.store = believingNotes(lab.memory, note, lab);
  lab.passMs(3_600_000);
  await deleteAll(EMAILS[0]);
  lab.passMs(-3_600_000);
  await deleteAll(EMAILS[1]);
  expect(drains()).toHaveLength(requested);
});

/**
 * Accepts a deletion while a drain of another one ends.
 * @returns the drains that were requested, and what is left after the first one
 */
async function acceptBesideEnd(moment: 'before' | 'before, lost' | 'after', mistake: Mistake) {
  const { lab, deleteAll, drains, wide } = await openLab();
  await deleteAll(EMAILS[0]);
  const note = raisedFlagPath(lab.tenant.tenantId, 'customers');
  let isMet = false;
  const store = overriding(lab.memory, {
    commit: async (writes) => {
      const isEnd = !isMet && removesNote(writes, note);
      isMet ||= isEnd;
      if (isEnd && moment !== 'after') await deleteAll(EMAILS[1]);
      const outcome = await lab.memory.commit(writes);
      if (isEnd && moment === 'after') await deleteAll(EMAILS[1]);
      return isEnd && moment === 'before, lost' ? 'conflict' : outcome;
    },
  });
  await deliver(lab, mistake(store, note));
  expect(isMet).toBe(true);
  const requested = drains().length;
  if (requested === 2) await deliver(lab);
  return { requested, customers: (await lab.documents()).length, deletions: (await wide()).length };
}

it.each([
  ['before its end is noted', 'before', 1],
  ['before its end is noted, whose answer is lost', 'before, lost', 1],
  ['after it', 'after', 2],
] as const)('applies one that is accepted %s, or has it request another (R-410)', async (_, moment, requested) => {
  expect(await acceptBesideEnd(moment, SERVICE)).toEqual({ requested, customers: 0, deletions: 0 });
});

it('would leave one that is accepted before its end is noted, did it not look once more (R-410)', async () => {
  const notLooking: Mistake = (store) =>
    overriding(store, {
      listRefs: async (collection, ...page) =>
        collection.endsWith('/wideDeletions') ? [] : store.listRefs(collection, ...page),
    });
  const left = { requested: 1, customers: MAX_NAMED_CUSTOMERS + 1, deletions: 1 };
  expect(await acceptBesideEnd('before', notLooking)).toEqual(left);
});

it('asks for no drain where the flag was lowered since', async () => {
  const { lab, deleteAll, drains } = await openLab();
  const note = raisedFlagPath(lab.tenant.tenantId, 'customers');
  lab.store = overriding(lab.memory, {
    get: async (path) => {
      if (path === note) await lab.memory.commit([{ delete: note }]);
      return lab.memory.get(path);
    },
  });
  await deleteAll(EMAILS[0]);
  expect(drains()).toEqual([]);
});

it('is published once where the answer to its note is lost', async () => {
  const { lab, deleteAll, drains } = await openLab();
  const note = raisedFlagPath(lab.tenant.tenantId, 'customers');
  let isLost = false;
  lab.store = changingCommits(lab.memory, async (commit, writes) => {
    const outcome = await commit();
    const isNote = writes.some((write) => 'set' in write && write.set === note && 'drainedAt' in write.data);
    if (!isNote || isLost) return outcome;
    isLost = true;
    return 'conflict';
  });
  await deleteAll(EMAILS[0]);
  expect(isLost).toBe(true);
  expect(drains()).toHaveLength(1);
});

it('is requested by the repeat where it could not be published', async () => {
  const { lab, deleteAll, drains } = await openLab();
  lab.publisher.failure = new Error('Pub/Sub is away.');
  await expect(deleteAll(EMAILS[0])).rejects.toThrow('Pub/Sub is away.');
  lab.publisher.failure = undefined;
  await deleteAll(EMAILS[0]);
  expect(drains()).toHaveLength(1);
});

it('is published without a note where nothing can be noted', async () => {
  const { lab, deleteAll, drains } = await openLab();
  const note = raisedFlagPath(lab.tenant.tenantId, 'customers');
  lab.store = overriding(lab.memory, {
    get: (path) => (path === note ? Promise.reject(new Error('The database is away.')) : lab.memory.get(path)),
  });
  await deleteAll(EMAILS[0]);
  expect(drains()).toHaveLength(1);
});
