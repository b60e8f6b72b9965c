/** The audit log: that an act and its entry cannot come apart, and what an entry holds. */
import { commitAct, performAct, performEach, seal } from '../../../shared/audit/audit-log';
import type { AuditMeans } from '../../../shared/audit/audit-log';
import type { DocumentStore } from '../../../shared/documents/document-store';
import type { Operator } from '../../../shared/operations/operator';
import { AUDIT_LOG } from '../../../shared/documents/paths';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { TEST_ACTOR } from '../../support/memory-operator';
import { overriding } from '../../support/overriding';
import { SeededRandom } from '../../support/seeded-random';

const DAY_MS = 86_400_000;
const deadline = { remainingMs: () => 1_000 };
const ACT = { action: 'tenants.rekey', tenantId: 'tenant', organizationId: 'acme' } as const;
const OTHER = { set: 'others/1', data: { is: 'written' }, when: 'absent' } as const;

function open(store: DocumentStore = new MemoryDocumentStore()) {
  const means: AuditMeans = {
    actor: TEST_ACTOR,
    store,
    clock: new FixedClock(),
    random: new SeededRandom(),
    deadline: () => deadline,
  };
  const entries = async () => (await store.list(AUDIT_LOG, { limit: 100 }, deadline)).map(({ data }) => data);
  return { store, sealed: seal(means), entries };
}

/** The outcomes of all entries; those of one moment have no order. */
async function outcomesOf({ entries }: ReturnType<typeof open>) {
  return (await entries()).map(({ outcome }) => outcome).sort();
}

/** Whether none of these names is among those that are seen. */
type Hides<Seen, Names> = [Extract<Seen, Names>] extends [never] ? true : false;

it('an operator shows a use case nothing that changes something: this would not compile (R-200)', () => {
  const hides: {
    readonly operator: Hides<keyof Operator, 'database' | 'publisher'>;
    readonly store: Hides<keyof Operator['store'], 'commit' | 'writeEach' | 'begin' | 'increment'>;
    readonly deadLetters: Hides<keyof Operator['deadLetters'], 'acknowledge' | 'publish'>;
    readonly storage: Hides<keyof Operator['storage'], 'write' | 'remove'>;
    readonly jobs: Hides<keyof Operator['jobs'], 'remove' | 'schedule'>;
  } = { operator: true, store: true, deadLetters: true, storage: true, jobs: true };
  expect(Object.values(hides)).not.toContain(false);
});

describe('an act that is one commit (R-200)', () => {
  it('is written with its entry: who, when, what, to whom, and for how long it is kept (R-202)', async () => {
    const log = open();
    await commitAct(log.sealed, { ...ACT, before: { limit: 1 }, after: { limit: 2 } }, [OTHER], deadline);
    const at = new Date('2026-03-01T12:00:30.000Z');
    expect(await log.entries()).toEqual([
      {
        ...ACT,
        before: { limit: 1 },
        after: { limit: 2 },
        at,
        actor: 'ada@example.com',
        door: 'command line',
        outcome: 'done',
        expireAt: new Date(at.getTime() + 400 * DAY_MS),
      },
    ]);
    expect(await log.store.get(OTHER.set, deadline)).toMatchObject({ data: OTHER.data });
  });

  it('has no entry when it is in conflict, and one when its answer is lost and it is sent again', async () => {
    const log = open();
    await log.store.commit([OTHER], deadline);
    expect(await commitAct(log.sealed, ACT, [OTHER], deadline)).toBe('conflict');
    expect(await log.entries()).toEqual([]);

    const memory: DocumentStore = new MemoryDocumentStore();
    const again = open(
      overriding(memory, {
        commit: async (writes, until) => {
          await memory.commit(writes, until);
          return memory.commit(writes, until);
        },
      }),
    );
    const { when: _, ...write } = OTHER;
    await commitAct(again.sealed, ACT, [write], deadline);
    expect(await again.entries()).toHaveLength(1);
  });

  it('gives the version of its last write, as the commit without an entry does', async () => {
    const { sealed, store } = open();
    const version = await commitAct(sealed, ACT, [OTHER], deadline);
    expect(version).toEqual((await store.get(OTHER.set, deadline))?.version);
  });
});

describe('an act of many steps (R-201)', () => {
  it('has an entry before it and one after it, which name each other', async () => {
    const log = open();
    const during: unknown[] = [];
    const result = await performAct(
      log.sealed,
      ACT,
      async ({ store }) => {
        during.push(...(await log.entries()).map(({ outcome }) => outcome));
        await store.commit([OTHER], deadline);
        return 7;
      },
      (count) => ({ count }),
    );
    expect({ result, during }).toEqual({ result: 7, during: ['begun'] });
    const documents = await log.store.list(AUDIT_LOG, { limit: 10 }, deadline);
    const begun = documents.find(({ data }) => data.outcome === 'begun');
    const done = documents.find(({ data }) => data.outcome === 'done');
    expect(done?.data).toMatchObject({ ...ACT, after: { count: 7 }, beganAs: begun?.path.split('/')[1] });
  });

  it('has the name of the error by which it failed, and not its message, which may tell of records (R-203)', async () => {
    const log = open();
    const failing = performAct(log.sealed, ACT, () => Promise.reject(new RangeError('ann@example.com')));
    await expect(failing).rejects.toThrow('ann@example.com');
    expect(await outcomesOf(log)).toEqual(['begun', 'failed']);
    expect(JSON.stringify(await log.entries())).toContain('RangeError');
    expect(JSON.stringify(await log.entries())).not.toContain('ann@example.com');
  });

  it('does nothing when the entry before it cannot be written', async () => {
    const memory: DocumentStore = new MemoryDocumentStore();
    const log = open(overriding(memory, { commit: () => Promise.reject(new Error('out of reach')) }));
    const work = jest.fn(() => Promise.resolve());
    await expect(performAct(log.sealed, ACT, work)).rejects.toThrow('out of reach');
    expect(work).not.toHaveBeenCalled();
  });

  it('says what went wrong first when the entry after it cannot be written either', async () => {
    const memory: DocumentStore = new MemoryDocumentStore();
    let commits = 0;
    const once = overriding(memory, {
      commit: (writes, until) => {
        commits += 1;
        return commits === 1 ? memory.commit(writes, until) : Promise.reject(new Error('out of reach'));
      },
    });
    const log = open(once);
    await expect(performAct(log.sealed, ACT, () => Promise.reject(new Error('the first')))).rejects.toThrow(
      'the first',
    );
    expect(await outcomesOf(log)).toEqual(['begun']);
  });
});

describe('an act that yields its results (R-201)', () => {
  async function* three(failsAfter = 3) {
    for (let number = 1; number <= 3; number += 1) {
      await Promise.resolve();
      if (number > failsAfter) throw new RangeError('no more');
      yield number;
    }
  }

  /** Takes so many results of an act. */
  async function take(count: number, failsAfter?: number) {
    const log = open();
    let failure: unknown;
    try {
      for await (const number of performEach(log.sealed, ACT, () => three(failsAfter))) if (number === count) break;
    } catch (error) {
      failure = error;
    }
    const ended = (await log.entries()).find(({ outcome }) => outcome !== 'begun');
    return { outcome: ended?.outcome, after: ended?.after, failure };
  }

  it('counts them in its last entry: all, as many as were taken, or those before an error', async () => {
    expect(await take(0)).toEqual({ outcome: 'done', after: { count: 3 }, failure: undefined });
    expect(await take(2)).toEqual({ outcome: 'stopped', after: { count: 2 }, failure: undefined });
    expect(await take(0, 1)).toMatchObject({ outcome: 'failed', after: { count: 1 }, failure: { message: 'no more' } });
  });
});
