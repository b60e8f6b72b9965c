/** The flag that says whether deletions may be pending: nothing that was accepted stays unseen. */
import { findPendingFlag, lowerFlag, raiseFlag } from '../../../shared/deletions/pending-flag';
import type { DocumentWrite } from '../../../shared/documents/document-store';
import { deletionFlagPath } from '../../../shared/documents/paths';
import { changingCommits, overriding } from '../../support/overriding';
import { AMPLE, DeletionsLab } from './deletions-lab';

const stateOf = async (lab: DeletionsLab) =>
  (await lab.memory.get(deletionFlagPath(lab.tenant.tenantId, 'customers')))?.data.state;
const lower = (lab: DeletionsLab) => lowerFlag(lab.tenant.tenantId, 'customers', AMPLE, lab);
const writesFlag = (lab: DeletionsLab) => (write: DocumentWrite) =>
  'set' in write && write.set === deletionFlagPath(lab.tenant.tenantId, 'customers');

it('is raised by the first deletion, and written by none after it (R-63)', async () => {
  const lab = new DeletionsLab();
  let writes = 0;
  lab.store = changingCommits(lab.memory, (commit, changes) => {
    writes += changes.filter(writesFlag(lab)).length;
    return commit();
  });
  expect(await stateOf(lab)).toBeUndefined();
  for (let n = 0; n < 5; n += 1) await lab.deleteCustomer(`${n}`, null);
  expect([await stateOf(lab), writes]).toEqual(['raised', 1]);
});

it('is lowered when nothing is pending, and not before', async () => {
  const lab = new DeletionsLab();
  await lab.deleteCustomer('a', null);
  await lower(lab);
  expect(await stateOf(lab)).toBe('raised');
  await lab.drain();
  await lower(lab);
  expect(await stateOf(lab)).toBe('lowered');
});

/** Does something before the n-th commit or look of a lowering. */
async function lowerWith(lab: DeletionsLab, call: 'commit' | 'listRefs', nth: number, meanwhile: () => Promise<void>) {
  let calls = 0;
  const before = async () => {
    calls += 1;
    if (calls === nth) await meanwhile();
  };
  const store = overriding(lab.memory, {
    commit: async (changes) => {
      if (call === 'commit') await before();
      return lab.memory.commit(changes);
    },
    listRefs: async (collection, page) => {
      if (call === 'listRefs') await before();
      return lab.memory.listRefs(collection, page);
    },
  });
  await lowerFlag(lab.tenant.tenantId, 'customers', AMPLE, { store, random: lab.random });
  expect(calls).toBeGreaterThanOrEqual(nth);
}

it.each<[when: string, call: 'commit' | 'listRefs', nth: number]>([
  ['before the first look', 'listRefs', 1],
  ['before it is being lowered', 'commit', 1],
  ['before the last look', 'listRefs', 2],
  ['before it is lowered', 'commit', 2],
])('stays up, and is up for upserts, when a deletion is accepted %s', async (_, call, nth) => {
  const lab = new DeletionsLab();
  await raiseFlag(lab.tenant.tenantId, 'customers', false, AMPLE, lab);
  await lab.upsert({ Email: 'a@x.com', Name: 'Old', EmailOptin: true });
  await lowerWith(lab, call, nth, () => lab.deleteCustomer(null, 'a@x.com'));
  expect(await lab.pending()).toHaveLength(1);
  expect(await findPendingFlag(lab.tenant.tenantId, 'customers', lab.memory, AMPLE)).toBeDefined();
  await lab.upsert({ Email: 'a@x.com' });
  expect(await lab.customers('Name')).toEqual([undefined]);
});

it('that is being lowered when its process dies lets nothing be accepted unseen, and is raised by the next one', async () => {
  const lab = new DeletionsLab();
  await raiseFlag(lab.tenant.tenantId, 'customers', false, AMPLE, lab);
  let commits = 0;
  const dying = overriding(lab.memory, {
    commit: (changes) => {
      commits += 1;
      return commits === 1 ? lab.memory.commit(changes) : Promise.reject(new Error('Killed.'));
    },
  });
  await expect(lowerFlag(lab.tenant.tenantId, 'customers', AMPLE, lab.with(dying))).rejects.toThrow('Killed.');
  expect(await stateOf(lab)).toBe('lowering');
  await lab.deleteCustomer('a', null);
  expect(await stateOf(lab)).toBe('raised');
});

it('is accepted by only while it is raised: a deletion begins anew when it is lowered in between', async () => {
  const lab = new DeletionsLab();
  await raiseFlag(lab.tenant.tenantId, 'customers', false, AMPLE, lab);
  let isFirst = true;
  lab.store = changingCommits(lab.memory, async (commit) => {
    if (isFirst) {
      isFirst = false;
      await lowerFlag(lab.tenant.tenantId, 'customers', AMPLE, lab.with(lab.memory));
    }
    return commit();
  });
  await lab.deleteCustomer('a', null);
  expect([await stateOf(lab), (await lab.pending()).length]).toEqual(['raised', 1]);
});
