/** One drain of a tenant is under way, however many deletions of very many customers are accepted. */
import { toTenantDocument } from '../../../shared/auth/tenant-documents';
import type { DocumentStore } from '../../../shared/documents/document-store';
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

it('is requested by the first of them alone, until it has ended (R-410)', async () => {
  const { lab, deleteAll, drains, wide } = await openLab();
  for (const email of [...EMAILS, ...EMAILS, ...EMAILS]) await deleteAll(email);
  expect(drains()).toHaveLength(1);
  await deliver(lab);
  expect([await lab.documents(), await wide()]).toEqual([[], []]);
  await sendMany(lab);
  await deleteAll(EMAILS[0]);
  expect(drains()).toHaveLength(2);
});

it('is requested once more where nothing was heard of the one before', async () => {
  const { lab, deleteAll, drains } = await openLab();
  await deleteAll(EMAILS[0]);
  lab.passMs(DRAIN_UNDER_WAY_SECONDS * 1000);
  await deleteAll(EMAILS[1]);
  expect(drains()).toHaveLength(2);
});

it('is requested once more where the one before was noted by a clock that is an hour ahead (R-410)', async () => {
  const { lab, deleteAll, drains } = await openLab();
  lab.passMs(3_600_000);
  await deleteAll(EMAILS[0]);
  lab.passMs(-3_600_000);
  await deleteAll(EMAILS[1]);
  expect(drains()).toHaveLength(2);
});

it.each([
  ['before its end is noted', 'before', 1],
  ['before its end is noted, whose answer is lost', 'before, lost', 1],
  ['after it', 'after', 2],
] as const)('applies one that is accepted %s, or has it request another', async (_, moment, requested) => {
  const { lab, deleteAll, drains, wide } = await openLab();
  await deleteAll(EMAILS[0]);
  const note = raisedFlagPath(lab.tenant.tenantId, 'customers');
  let isMet = false;
  const store = overriding(lab.memory, {
    commit: async (writes) => {
      const [write] = writes;
      const isEnd =
        !isMet && write !== undefined && 'set' in write && write.set === note && !('drainedAt' in write.data);
      isMet ||= isEnd;
      if (isEnd && moment !== 'after') await deleteAll(EMAILS[1]);
      const outcome = await lab.memory.commit(writes);
      if (isEnd && moment === 'after') await deleteAll(EMAILS[1]);
      return isEnd && moment === 'before, lost' ? 'conflict' : outcome;
    },
  });
  await deliver(lab, store);
  expect(isMet).toBe(true);
  expect(drains()).toHaveLength(requested);
  if (requested === 2) await deliver(lab);
  expect([await lab.documents(), await wide()]).toEqual([[], []]);
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
