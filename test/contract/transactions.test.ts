/**
 * The contract of `Transaction`, held by the store in memory and by Firestore (its emulator) alike, whichever of the
 * two clients calls it.
 */
import { randomBytes } from 'node:crypto';
import { systemClock } from '../../shared/platform/clock';
import { deadlineIn } from '../../shared/platform/deadline';
import type { DocumentChange, Transaction } from '../../shared/documents/document-store';
import { TransactionLost } from '../../shared/documents/document-store';
import { readConfig } from '../../shared/config';
import { Status } from '../../shared/platform/retry';
import { overriding } from '../support/overriding';
import { CLIENTS, closeStores, STORES, storeOn } from './document-stores';

const soon = () => deadlineIn(20_000, systemClock);
afterAll(closeStores);

describe.each(STORES)('a transaction of %s', (_, store) => {
  let collection = '';
  beforeEach(() => {
    collection = `t${randomBytes(6).toString('hex')}`;
  });

  const put = (id: string, data = {}) => store.commit([{ set: `${collection}/${id}`, data }], soon());
  const idsOf = async () => (await store.list(collection, { limit: 10 }, soon())).map(({ path }) => path.split('/')[1]);
  const find = (transaction: Transaction) => transaction.findWhere(collection, 'field', 'v', { limit: 2 }, soon());

  /** @returns whether it was committed; a transaction that another one has ended is repeated */
  async function inTransaction(work: (transaction: Transaction) => Promise<DocumentChange[]>): Promise<boolean> {
    const transaction = await store.begin(soon());
    try {
      return (await transaction.commit(await work(transaction), soon())) !== 'conflict';
    } catch (error) {
      if (error instanceof TransactionLost) return false;
      throw error;
    } finally {
      await transaction.end();
    }
  }

  it('reads what is stored, and writes all or nothing', async () => {
    await put('a', { field: 'v', n: 1 });
    await put('b', { field: 'v' });
    await put('c', { field: 'w' });
    const write = (id: string, when: 'absent' | 'present'): DocumentChange => {
      return { set: `${collection}/${id}`, data: {}, when };
    };
    const read = async (transaction: Transaction) => {
      expect((await transaction.get(`${collection}/a`, soon()))?.data).toEqual({ field: 'v', n: 1 });
      expect(await transaction.get(`${collection}/x`, soon())).toBeUndefined();
      const all = await transaction.getAll(['x', 'c', 'a'].map((id) => `${collection}/${id}`), soon()); // prettier-ignore
      expect(all.map(({ data }) => data.field).sort()).toEqual(['v', 'w']);
      expect((await find(transaction)).map(({ path }) => path)).toEqual([`${collection}/a`, `${collection}/b`]);
    };
    const attempt = (...changes: DocumentChange[]) =>
      inTransaction(async (transaction) => {
        await read(transaction);
        return changes;
      });
    expect(await attempt(write('x', 'absent'), write('y', 'present'))).toBe(false);
    expect(await idsOf()).toEqual(['a', 'b', 'c']);
    expect(await attempt(write('z', 'absent'), write('a', 'present'))).toBe(true);
    expect(await idsOf()).toEqual(['a', 'b', 'c', 'z']);
  });

  const findAny = (transaction: Transaction) =>
    transaction.findWhere(collection, 'field', ['u', 'v'], { limit: 2 }, soon());

  it.each([
    ['its query', (transaction: Transaction) => find(transaction).then((found) => found.length > 0)],
    ['its query of values', (transaction: Transaction) => findAny(transaction).then((found) => found.length > 0)],
    [
      'its look at a document',
      (transaction: Transaction) =>
        transaction.get(`${collection}/only`, soon()).then((document) => document !== undefined),
    ],
    [
      'its look at several documents',
      (transaction: Transaction) =>
        transaction
          .getAll([`${collection}/other`, `${collection}/only`], soon())
          .then((documents) => documents.length > 0),
    ],
  ])('lets nothing slip in between %s and its commit', async (what, isThere) => {
    // Each of two makes one where it sees none: one of them may succeed.
    const makeOne = async (id: string): Promise<boolean> => {
      let isSeen = false as boolean;
      const isMade = await inTransaction(async (transaction) => {
        isSeen = await isThere(transaction);
        const made = what.startsWith('its look') ? 'only' : id;
        return isSeen ? [] : [{ set: `${collection}/${made}`, data: { field: 'v', by: id } }];
      });
      if (isSeen) return false;
      return isMade || makeOne(id);
    };
    const made = await Promise.all([makeOne('a'), makeOne('b')]);
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await idsOf()).toHaveLength(1);
  });

  it('may read one document many times at once, and no commit is in conflict with another one (R-63)', async () => {
    await put('shared');
    const outcomes = Array.from({ length: 20 }, (_value, n) =>
      inTransaction(async (transaction) => {
        await transaction.get(`${collection}/shared`, soon());
        return [{ set: `${collection}/${n}`, data: {} }];
      }),
    );
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set([true]));
  });

  it('has nobody wait once it has ended, and commits no more', async () => {
    await put('a');
    const transaction = await store.begin(soon());
    await transaction.get(`${collection}/a`, soon());
    await transaction.end();
    const startMs = performance.now();
    await put('a', { n: 1 });
    expect(performance.now() - startMs).toBeLessThan(1_000); // one that was left behind is waited for, for two seconds
    expect(await transaction.commit([{ set: `${collection}/b`, data: {} }], soon())).toBe('conflict');
    expect(await idsOf()).toEqual(['a']);
  });
});

it.each(CLIENTS)(
  'a transaction of %s whose first rollback is lost keeps nobody waiting (R-406)',
  async (_, connect) => {
    const calls = connect(readConfig());
    let rollbacks = 0;
    const late = Object.assign(new Error('late'), { code: Status.DEADLINE_EXCEEDED });
    const losing = overriding(calls, {
      rollback: (...call) => (++rollbacks === 1 ? Promise.reject(late) : calls.rollback(...call)),
    });
    const path = `t${randomBytes(6).toString('hex')}/a`;
    const store = storeOn(losing);
    await store.commit([{ set: path, data: {} }], soon());
    const transaction = await store.begin(soon());
    await transaction.get(path, soon());
    await transaction.end();
    expect(await store.commit([{ set: path, data: { n: 1 } }], soon())).not.toBe('conflict');
    expect(rollbacks).toBe(2);
    await store.close();
  },
);
