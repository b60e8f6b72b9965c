/**
 * A batch of many records lists pending deletions beside its read of the flag, where that was raised last time: the
 * list covers what was accepted before the request arrived, as the flag does.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { drainDeletions } from '../../../shared/deletions/apply-deletion';
import { findPendingHint, lowerFlag } from '../../../shared/deletions/pending-flag';
import type { DocumentRef, DocumentStore } from '../../../shared/documents/document-store';
import { deletionFlagPath } from '../../../shared/documents/paths';
import { FEW_PENDING_DELETIONS, LISTS_SKIPPED, SLOW_LIST_MS } from '../../../shared/limits/deletions';
import { deadlineIn } from '../../../shared/platform/deadline';
import { overriding } from '../../support/overriding';
import { upsertCustomers } from '../../support/upserts';
import { AMPLE, DeletionsLab } from './deletions-lab';

const MANY = FEW_PENDING_DELETIONS + 1;
const OTHERS = Array.from({ length: MANY }, (_, n) => ({ CustomerId: `other ${n}` }));
const ANN = { CustomerId: 'ann', Name: 'Ann' };

/** A database whose calls are noted, and may do something before they answer. */
class Watched {
  readonly calls: string[] = [];
  beforeFlag = (): Promise<void> => Promise.resolve();
  beforeList = (): Promise<void> => Promise.resolve();
  afterList = (): void => undefined;
  /** A planted mistake: a list is answered with what the one before it has found. */
  listsLate = false;
  readonly store: DocumentStore;
  private lastList: DocumentRef[] | undefined;

  constructor({ memory, tenant }: DeletionsLab) {
    const flagPath = deletionFlagPath(tenant.tenantId, 'customers');
    this.store = overriding(memory, {
      get: async (path: string) => {
        if (path !== flagPath) return memory.get(path);
        this.calls.push('flag');
        await this.beforeFlag();
        const flag = await memory.get(path);
        this.calls.push('flag read');
        return flag;
      },
      listRefs: async (...page) => {
        this.calls.push('list');
        await this.beforeList();
        const found = await memory.listRefs(...page);
        this.afterList();
        const listed = this.listsLate ? (this.lastList ?? found) : found;
        this.lastList = found;
        return listed;
      },
    });
  }

  /** What is called from now on. */
  async during(work: () => Promise<unknown>): Promise<string[]> {
    this.calls.length = 0;
    await work();
    return [...this.calls];
  }
}

/** A tenant with a pending deletion, and the database as its instance sees it. */
async function withPending(): Promise<{ readonly lab: DeletionsLab; readonly watched: Watched }> {
  const lab = new DeletionsLab();
  await lab.deleteCustomer('gone', null);
  const watched = new Watched(lab);
  lab.store = watched.store;
  return { lab, watched };
}

async function nameOfAnn(lab: DeletionsLab): Promise<unknown> {
  return (await lab.documents()).find(({ data }) => data.CustomerId === 'ann')?.data.Name;
}

const hint = ({ tenant }: DeletionsLab, { store }: Watched, deadline = AMPLE) =>
  findPendingHint(tenant.tenantId, 'customers', MANY, store, deadline);

it('does not wait for a flag that was raised last time (R-417)', async () => {
  const { lab, watched } = await withPending();
  expect(await watched.during(() => lab.upsert(...OTHERS))).toEqual(['flag', 'flag read', 'list']);
  expect(await watched.during(() => lab.upsert(...OTHERS))).toEqual(['flag', 'list', 'flag read']);
});

it('is not made for few records, and not where the flag was lowered last time (R-417)', async () => {
  const { lab, watched } = await withPending();
  await lab.upsert(...OTHERS);
  expect(await watched.during(() => lab.upsert({ CustomerId: 'one' }))).toEqual(['flag', 'flag read']);
  await lab.drain();
  await lowerFlag(lab.tenant.tenantId, 'customers', AMPLE, lab.with(lab.memory));
  expect(await watched.during(() => lab.upsert(...OTHERS))).toEqual(['flag', 'list', 'flag read']);
  expect(await watched.during(() => lab.upsert(...OTHERS))).toEqual(['flag', 'flag read']);
  await lab.deleteCustomer('gone', null);
  expect(await watched.during(() => lab.upsert(...OTHERS))).toEqual(['flag', 'flag read', 'list']);
});

it.each([
  ['the list is of this request', false, undefined],
  ['planted: it is of the request before', true, 'Ann'],
])('has what was accepted before the request arrived: %s (R-417)', async (_, listsLate, name) => {
  const { lab, watched } = await withPending();
  await lab.upsert(ANN, ...OTHERS);
  await lab.deleteCustomer('ann', null);
  watched.listsLate = listsLate;
  await lab.upsert({ CustomerId: 'ann' }, ...OTHERS);
  expect(await nameOfAnn(lab)).toBe(name);
});

it.each([
  ['applied', false],
  ['applied, and the flag is lowered', true],
])('finds what was deleted, where that is %s between the list and the flag (R-417)', async (_, isLowered) => {
  const { lab, watched } = await withPending();
  await lab.upsert(ANN, ...OTHERS);
  await lab.deleteCustomer('ann', null);
  const { memory, tenant } = lab;
  const listed = new Promise<void>((resolve) => (watched.afterList = resolve));
  watched.beforeFlag = async () => {
    watched.beforeFlag = () => Promise.resolve();
    await listed;
    await drainDeletions(tenant, 'customers', AMPLE, lab.with(memory));
    if (isLowered) await lowerFlag(tenant.tenantId, 'customers', AMPLE, lab.with(memory));
  };
  await lab.upsert({ CustomerId: 'ann' }, ...OTHERS);
  expect([await nameOfAnn(lab), await lab.pending()]).toEqual([undefined, []]);
});

it.each([
  ['fails', () => Promise.reject(new Error('The list failed.'))],
  ['never ends', () => new Promise<void>(() => undefined)],
])('holds nobody up when it %s beside a flag that is lowered by then (R-417)', async (_, beforeList) => {
  const { lab, watched } = await withPending();
  await hint(lab, watched);
  await lab.drain();
  await lowerFlag(lab.tenant.tenantId, 'customers', AMPLE, lab.with(lab.memory));
  watched.beforeList = beforeList;
  expect(await watched.during(async () => expect(await hint(lab, watched)).toBeUndefined())).toContain('list');
});

it('fails the request where the flag is raised, or cannot be read (R-417)', async () => {
  const { lab, watched } = await withPending();
  await hint(lab, watched);
  watched.beforeList = () => Promise.reject(new Error('The list failed.'));
  await expect(hint(lab, watched)).rejects.toThrow('The list failed.');
  watched.beforeFlag = () => Promise.reject(new Error('The flag failed.'));
  await expect(hint(lab, watched)).rejects.toThrow('The flag failed.');
});

it.each([
  ['is not slow where the flag takes as long', 'flag', LISTS_SKIPPED],
  ['is slow where it takes longer', 'list', 0],
] as const)('%s (R-417, R-62)', async (_, slow, lists) => {
  const { lab, watched } = await withPending();
  const deadline = () => deadlineIn(60_000, lab.clock);
  await hint(lab, watched, deadline());
  const passes = async () => {
    await Promise.resolve(); // both are sent by then
    lab.passMs(SLOW_LIST_MS);
  };
  // The list answers after the flag: what passes before that is the flag's, or the event loop's.
  let flagIsRead = Promise.resolve();
  watched.beforeFlag = () => (flagIsRead = slow === 'flag' ? passes() : Promise.resolve());
  watched.beforeList = async () => {
    await flagIsRead;
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    if (slow === 'list') await passes();
  };
  await hint(lab, watched, deadline());
  const calls = await watched.during(async () => {
    for (let n = 0; n < LISTS_SKIPPED; n += 1) await upsertCustomers(OTHERS, lab.tenant, deadline(), lab);
  });
  expect(calls.filter((call) => call === 'list')).toHaveLength(lists);
});

it('counts as under way until it ends, and as slow only from the flag on (R-417, R-62)', async () => {
  const { lab, watched } = await withPending();
  const deadline = () => deadlineIn(60_000, lab.clock);
  await hint(lab, watched, deadline());
  const lists = () => watched.calls.filter((call) => call === 'list').length;
  const held = () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    return { released, release };
  };
  const [flag, list] = [held(), held()];
  watched.beforeFlag = () => flag.released;
  watched.beforeList = () => list.released;
  watched.calls.length = 0;
  const first = hint(lab, watched, deadline());
  await nextTurn();
  lab.passMs(SLOW_LIST_MS + 1);
  watched.beforeFlag = () => Promise.resolve();
  const second = hint(lab, watched, deadline());
  await nextTurn();
  expect(lists()).toBe(2); // only the flag of the first one was slow until now
  flag.release();
  await nextTurn();
  lab.passMs(SLOW_LIST_MS + 1);
  expect(await hint(lab, watched, deadline())).not.toHaveProperty('pending');
  expect(lists()).toBe(2);
  list.release();
  expect([await first, await second]).toEqual([expect.anything(), expect.anything()]);
});
