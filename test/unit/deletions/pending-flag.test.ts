/** The flag that says whether deletions may be pending: nothing that was accepted stays unseen. */
import { sweepFlags } from '../../../functions/deletion-consumer/sweep';
import { findPendingFlag, lowerFlag, raiseFlag } from '../../../shared/deletions/pending-flag';
import type { DocumentStore, DocumentWrite } from '../../../shared/documents/document-store';
import { deletionFlagPath } from '../../../shared/documents/paths';
import { FLAGS_SWEPT_AT_ONCE, SWEEP_OF_FLAG_MS } from '../../../shared/limits/deletions';
import { deadlineIn } from '../../../shared/platform/deadline';
import { Status } from '../../../shared/platform/retry';
import { changingCommits, overriding } from '../../support/overriding';
import { CollectingLogger } from '../../support/recording-fakes';
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
  await raiseFlag(lab.tenant.tenantId, 'customers', {}, AMPLE, lab);
  await lab.upsert({ Email: 'a@x.com', Name: 'Old', EmailOptin: true });
  await lowerWith(lab, call, nth, () => lab.deleteCustomer(null, 'a@x.com'));
  expect(await lab.pending()).toHaveLength(1);
  expect(await findPendingFlag(lab.tenant.tenantId, 'customers', lab.memory, AMPLE)).toBeDefined();
  await lab.upsert({ Email: 'a@x.com' });
  expect(await lab.customers('Name')).toEqual([undefined]);
});

it('that is being lowered when its process dies lets nothing be accepted unseen, and is raised by the next one', async () => {
  const lab = new DeletionsLab();
  await raiseFlag(lab.tenant.tenantId, 'customers', {}, AMPLE, lab);
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
  await raiseFlag(lab.tenant.tenantId, 'customers', {}, AMPLE, lab);
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

describe('a sweep', () => {
  /** Tenants whose flags were raised long ago, with nothing pending. */
  async function raisedFlags(count: number) {
    const lab = new DeletionsLab();
    const logger = new CollectingLogger();
    const ids = Array.from({ length: count }, (_, n) => `33333333-3333-4333-8333-${String(n).padStart(12, '0')}`);
    for (const id of ids) await raiseFlag(id, 'customers', {}, AMPLE, lab);
    lab.passMs(3_600_000);
    const states = async () => {
      const flags = await Promise.all(ids.map((id) => lab.memory.get(deletionFlagPath(id, 'customers'))));
      return flags.map((flag) => flag?.data.state as string);
    };
    /** @param failing what the listing of the second tenant's deletions fails with */
    const sweep = (failing: Error, takesMs: number) => {
      const store = overriding(lab.memory, {
        listRefs: (collection, page) => {
          if (!collection.includes(ids[1]!)) return lab.memory.listRefs(collection, page);
          lab.passMs(takesMs);
          return Promise.reject(failing);
        },
      });
      const { publisher, deletionsTopic } = lab;
      const deadline = deadlineIn(20_000, lab.clock);
      return sweepFlags({ sweep: true }, deadline, { ...lab.with(store), publisher, deletionsTopic, logger });
    };
    return { sweep, states, logger };
  }

  it('leaves a flag that it cannot sweep now to the next one, and does all others (R-407)', async () => {
    const { sweep, states, logger } = await raisedFlags(2 * FLAGS_SWEPT_AT_ONCE + 5);
    await sweep(Object.assign(new Error('late'), { code: Status.DEADLINE_EXCEEDED }), SWEEP_OF_FLAG_MS);
    const after = await states();
    expect(after.filter((state) => state !== 'lowered')).toEqual(['raised']);
    expect(after[1]).toBe('raised');
    expect(logger.entries).toMatchObject([
      {
        severity: 'WARNING',
        details: { tenantId: '33333333-3333-4333-8333-000000000001', kind: 'customers', code: 4 },
      },
    ]);
  });

  it('fails where a flag does for another reason: its message comes again (R-407)', async () => {
    const { sweep } = await raisedFlags(3);
    await expect(sweep(new TypeError('a mistake'), 0)).rejects.toThrow('a mistake');
  });

  it.each([
    [20_000, SWEEP_OF_FLAG_MS],
    [1_000, 1_000],
  ])('that has %i ms left gives each flag %i ms (R-407)', async (remainingMs, expected) => {
    const lab = new DeletionsLab();
    await raiseFlag(lab.tenant.tenantId, 'customers', {}, AMPLE, lab);
    lab.passMs(3_600_000);
    const times: number[] = [];
    const store = overriding<DocumentStore>(lab.memory, {
      listRefs: (collection, page, deadline) => {
        times.push(deadline.remainingMs());
        return lab.memory.listRefs(collection, page);
      },
    });
    const { publisher, deletionsTopic } = lab;
    const dependencies = { ...lab.with(store), publisher, deletionsTopic, logger: new CollectingLogger() };
    await sweepFlags({ sweep: true }, { remainingMs: () => remainingMs }, dependencies);
    expect(times[0]).toBeGreaterThan(expected - 100);
    expect(Math.max(...times)).toBeLessThanOrEqual(expected);
  });
});
