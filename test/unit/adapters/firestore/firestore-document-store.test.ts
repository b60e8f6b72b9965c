import * as fc from 'fast-check';
import { setImmediate } from 'node:timers/promises';
import type { FirestoreCalls, WriteStatus } from '../../../../shared/adapters/firestore/firestore-calls';
import { FirestoreDocumentStore } from '../../../../shared/adapters/firestore/firestore-document-store';
import { RequestInvalid } from '../../../../shared/documents/document-store';
import { Status } from '../../../../shared/platform/retry';
import { deadlineIn } from '../../../../shared/platform/deadline';
import type { DocumentChange } from '../../../../shared/documents/document-store';
import {
  COMMIT_BYTES,
  MAX_RECORD_BYTES,
  BOUNDED_READS_AT_ONCE,
  READ_CHUNK_DOCUMENTS,
  WRITE_CALL_BYTES,
  WRITE_CALL_DOCUMENTS,
} from '../../../../shared/limits/records';
import { CALL_TIMEOUT_MS, LOCKS_HELD_MS, ROLLBACK_WAIT_MS } from '../../../../shared/limits/platform';
import { FixedClock } from '../../../support/fixed-clock';
import { SeededRandom } from '../../../support/seeded-random';

const failure = (code: number) => Object.assign(new Error(`status ${code}`), { code });
const status = (code: number): WriteStatus => ({ code, message: `status ${code}` });

/** A store on calls that answer what is given; the others of the interface are not made. */
function storeOn(calls: Partial<FirestoreCalls>) {
  const clock = new FixedClock(0);
  const store = new FirestoreDocumentStore(calls as FirestoreCalls, { clock, random: new SeededRandom() });
  return { store, clock, deadline: deadlineIn(20_000, clock) };
}

const SOON = { remainingMs: () => 1_000 };
/** A deadline that passes while the work is under way. */
const LATE = { remainingMs: () => (lateLooks++ < 2 ? 1_000 : 0) };
let lateLooks = 0;

const writes = (count: number): DocumentChange[] =>
  Array.from({ length: count }, (_value, index) => ({ set: `c/${index}`, data: { index } }));

/** Each fills a call. */
const large = (count: number): DocumentChange[] =>
  writes(count).map((write) => ({ ...write, data: { text: 'x'.repeat(WRITE_CALL_BYTES) } }));

describe('FirestoreDocumentStore', () => {
  it.each([
    ['a commit with checks', (store: FirestoreDocumentStore) => store.commit([{ check: 'c/a', when: 'absent' }], LATE)],
    ['a transaction', async (store: FirestoreDocumentStore) => (await store.begin(SOON)).end()],
  ])('gives the rollback of %s time when the deadline has passed: else its locks stay', async (_, work) => {
    const timeouts: number[] = [];
    const { store } = storeOn({
      beginTransaction: () => Promise.resolve(new Uint8Array([1])),
      getVersions: () => Promise.reject(failure(Status.DEADLINE_EXCEEDED)),
      rollback: (_id, timeoutMs) => {
        timeouts.push(timeoutMs);
        return Promise.resolve();
      },
    });
    await work(store).catch(() => undefined);
    expect(timeouts).toEqual([ROLLBACK_WAIT_MS]);
  });

  it('waits for a rollback, and tries again in the background until the locks are released (R-406)', async () => {
    const timeouts: number[] = [];
    let release: () => void = () => undefined;
    const { store, clock } = storeOn({
      beginTransaction: () => Promise.resolve(new Uint8Array([1])),
      rollback: (_id, timeoutMs) => {
        if (timeouts.push(timeoutMs) < 3) {
          clock.advance(timeoutMs);
          return Promise.reject(failure(Status.DEADLINE_EXCEEDED));
        }
        return new Promise((resolve) => {
          release = resolve;
        });
      },
    });
    await (await store.begin(SOON)).end(); // the third attempt has no answer yet
    await setImmediate();
    expect(timeouts).toEqual([ROLLBACK_WAIT_MS, CALL_TIMEOUT_MS, CALL_TIMEOUT_MS]);
    release();
    await setImmediate();
    expect(timeouts).toHaveLength(3);
  });

  it('gives a rollback up once the database has released the locks, or when there is nothing to end (R-406)', async () => {
    let attempts = 0;
    let code: number = Status.UNAVAILABLE;
    const { store, clock } = storeOn({
      beginTransaction: () => Promise.resolve(new Uint8Array([1])),
      rollback: () => {
        attempts += 1;
        return Promise.reject(failure(code));
      },
    });
    await (await store.begin(SOON)).end();
    let seen: number;
    do {
      seen = attempts;
      await setImmediate();
    } while (attempts > seen);
    expect(attempts).toBeGreaterThan(10);
    expect(clock.nowMs()).toBeGreaterThan(LOCKS_HELD_MS / 2);
    expect(clock.nowMs()).toBeLessThanOrEqual(ROLLBACK_WAIT_MS + LOCKS_HELD_MS);
    attempts = 0;
    code = Status.INVALID_ARGUMENT;
    await (await store.begin(SOON)).end();
    await setImmediate();
    expect(attempts).toBe(1);
  });

  it('sends writes of a batch again only while they are undecided', async () => {
    const sent: DocumentChange[][] = [];
    const answers = [
      [0, Status.UNAVAILABLE, Status.ALREADY_EXISTS, Status.ABORTED],
      [Status.ABORTED, 0],
      [Status.NOT_FOUND],
    ];
    const { store, deadline } = storeOn({
      batchWrite: (batch) => {
        sent.push([...batch]);
        return Promise.resolve((answers[sent.length - 1] ?? []).map(status));
      },
    });
    const [a, b, c, d] = writes(4) as [DocumentChange, DocumentChange, DocumentChange, DocumentChange];
    expect(await store.writeEach([a, b, c, d], deadline)).toEqual(['written', 'conflict', 'conflict', 'written']);
    expect(sent).toEqual([[a, b, c, d], [b, d], [b]]);
  });

  it('fails when a write of a batch can never succeed, or has no status at all', async () => {
    const refused = storeOn({ batchWrite: () => Promise.resolve([status(Status.INVALID_ARGUMENT)]) });
    await expect(refused.store.writeEach(writes(1), refused.deadline)).rejects.toMatchObject({ code: 3 });
    const unanswered = storeOn({ batchWrite: () => Promise.resolve([]) });
    await expect(unanswered.store.writeEach(writes(1), unanswered.deadline)).rejects.toMatchObject({ code: 2 });
  });

  it('fails only when no write of the batch goes on: what is written after the failure stays', async () => {
    const [first, ...others] = [...large(1), ...writes(3)] as [DocumentChange, ...DocumentChange[]];
    const answers: ((statuses: WriteStatus[]) => void)[] = [];
    const { store, deadline } = storeOn({
      batchWrite: (batch) =>
        batch[0] !== first
          ? Promise.resolve(batch.map(() => status(Status.INVALID_ARGUMENT)))
          : new Promise((resolve) => void answers.push(resolve)),
    });
    let isOver = false;
    const result = store.writeEach([first, ...others], deadline).finally(() => (isOver = true));
    result.catch(() => undefined);
    await setImmediate();
    answers[0]?.([status(Status.UNAVAILABLE)]);
    await setImmediate();
    expect({ calls: answers.length, isOver }).toEqual({ calls: 2, isOver: false });
    answers[1]?.([status(0)]);
    await expect(result).rejects.toMatchObject({ code: Status.INVALID_ARGUMENT });
  });

  it('ends a transaction whose answers are late, before it tries again: nobody waits for its locks', async () => {
    const made: string[] = [];
    const { store, deadline } = storeOn({
      beginTransaction: () => Promise.resolve(Buffer.from(`t${made.push('begin')}`)),
      getVersions: (_paths, _timeoutMs, transaction) => {
        const isFirst = made.push(`read in ${Buffer.from(transaction).toString()}`) === 2;
        return isFirst ? Promise.reject(failure(Status.DEADLINE_EXCEEDED)) : Promise.resolve(new Map());
      },
      rollback: (transaction) => {
        made.push(`end ${Buffer.from(transaction).toString()}`);
        return Promise.resolve();
      },
      commit: (_writes, _timeoutMs, transaction) => {
        made.push(`commit ${Buffer.from(transaction ?? []).toString()}`);
        return Promise.resolve({ seconds: 1, nanos: 0 });
      },
    });
    expect(await store.commit([...writes(1), { check: 'c/other', when: 'absent' }], deadline)).not.toBe('conflict');
    expect(made).toEqual(['begin', 'read in t1', 'end t1', 'begin', 'read in t4', 'commit t4']);
  });

  it.each([
    ['The referenced transaction has expired or is no longer valid.', 'conflict'],
    ['Transaction is invalid or closed.', 'conflict'],
    ['Transaction too big. Decrease transaction size.', 'never accepted'],
    ['The document projects/transaction-log/databases/d is too large.', 'never accepted'],
  ])('takes a transaction that the database has ended for a conflict: %s %s', async (text, outcome) => {
    const { store, deadline } = storeOn({
      beginTransaction: () => Promise.resolve(Buffer.from('t')),
      getVersions: () => Promise.resolve(new Map()),
      rollback: () => Promise.resolve(),
      commit: () => Promise.reject(Object.assign(new Error(`3 INVALID_ARGUMENT: ${text}`), { code: 3 })),
    });
    const committed = store
      .commit([...writes(1), { check: 'c/other', when: 'absent' }], deadline)
      .catch((error: unknown) => (error instanceof RequestInvalid ? 'never accepted' : error));
    expect(await committed).toBe(outcome);
  });

  it('asks once for what is read at the same moment by the same deadline, and for each document once', async () => {
    const asked: (readonly string[])[] = [];
    const { store, deadline } = storeOn({
      batchGet: (paths) => {
        asked.push(paths);
        const found = paths.filter((path) => path !== 'c/none');
        const version = { seconds: 1, nanos: 0 };
        const documents = found.map((path) => ({ path, data: {}, version, created: version }));
        return Promise.resolve({ documents, unread: [] });
      },
    });
    const other = deadlineIn(20_000, new FixedClock(0));
    const documents = await Promise.all([
      store.get('c/a', deadline),
      store.get('c/none', deadline),
      store.get('c/a', deadline),
      store.get('c/b', other),
    ]);
    expect(documents.map((document) => document?.path)).toEqual(['c/a', undefined, 'c/a', 'c/b']);
    await store.get('c/a', deadline);
    expect(asked).toEqual([['c/a', 'c/none'], ['c/b'], ['c/a']]);
  });

  it('asks for a single document of bounded bytes together with others of the same moment (R-301)', async () => {
    const asked: (readonly string[])[] = [];
    const { store, deadline } = storeOn({
      batchGet: (paths) => {
        asked.push(paths);
        const version = { seconds: 1, nanos: 0 };
        const documents = paths.map((path) => ({ path, data: {}, version, created: version }));
        return Promise.resolve({ documents: documents.filter(({ path }) => path !== 'c/none'), unread: [] });
      },
    });
    const [tenant, entry, none] = await Promise.all([
      store.get('c/tenant', deadline),
      store.getSome(['c/entry'], 1, deadline),
      store.getSome(['c/none'], 1, deadline),
    ]);
    expect([tenant?.path, entry.documents.map(({ path }) => path), entry.unread]).toEqual([
      'c/tenant',
      ['c/entry'],
      [],
    ]);
    expect(none).toEqual({ documents: [], unread: [] });
    expect(asked).toEqual([['c/tenant', 'c/entry', 'c/none']]);
  });

  it('reads the first documents first where the bytes are bounded, and asks for none once the bound is reached', async () => {
    const chunks = 3 * BOUNDED_READS_AT_ONCE;
    const paths = Array.from({ length: chunks * READ_CHUNK_DOCUMENTS }, (_, n) => `c/${n}`);
    const asked: (readonly string[])[] = [];
    const { store, deadline } = storeOn({
      batchGet: async (call, bound) => {
        asked.push(call);
        await setImmediate();
        bound.add(1_000);
        return { documents: [], unread: [] };
      },
    });
    const { unread } = await store.getSome(paths, BOUNDED_READS_AT_ONCE * 1_000 + 1, deadline);
    const read = 2 * BOUNDED_READS_AT_ONCE * READ_CHUNK_DOCUMENTS;
    expect(asked.flat()).toEqual(paths.slice(0, read));
    expect(unread).toEqual(paths.slice(read));
    asked.length = 0;
    await store.getAll(paths, deadline);
    expect(asked.flat()).toEqual(paths);
  });

  it('repeats commits and reads that failed for a passing reason, increments never', async () => {
    let calls = 0;
    const failTwice = <T>(answer: T) => {
      calls += 1;
      return calls < 3 ? Promise.reject(failure(Status.UNAVAILABLE)) : Promise.resolve(answer);
    };
    const { store, deadline } = storeOn({
      commit: () => failTwice({ seconds: 1, nanos: 2 }),
      batchGet: () => failTwice({ documents: [], unread: [] }),
      runQuery: () => failTwice([]),
      count: () => failTwice(7),
      increment: () => failTwice([1]),
    });
    expect(await store.commit(writes(1), deadline)).toEqual({ seconds: 1, nanos: 2 });
    calls = 0;
    expect(await store.get('a/b', deadline)).toBeUndefined();
    calls = 0;
    expect(await store.findWhere('c', 'f', 'v', { limit: 1 }, deadline)).toEqual([]);
    calls = 0;
    expect(await store.count('c', deadline)).toBe(7);
    calls = 0;
    await expect(store.increment('a/b', {}, { n: 1 }, 1_000)).rejects.toMatchObject({ code: Status.UNAVAILABLE });
    expect(calls).toBe(1);
  });

  describe('streams a collection', () => {
    const version = { seconds: 1, nanos: 0 };
    const toDocument = (n: number) => ({
      path: `c/${String(n).padStart(6, '0')}`,
      data: {},
      version,
      created: version,
    });

    /** Calls on a collection of so many documents. Those queries break off of which `breaksAt` says after how many. */
    function callsOn(count: number, breaksAt: readonly number[] = []) {
      const made = { queries: 0, read: 0, open: 0 };
      const streamQuery: FirestoreCalls['streamQuery'] = async function* ({ after }) {
        const breaks = breaksAt[made.queries++];
        made.open += 1;
        try {
          const first = after === undefined ? 0 : Number(after.slice(2)) + 1;
          for (let n = first; n < count; n += 1) {
            if (n - first === breaks) throw failure(Status.UNAVAILABLE);
            made.read += 1;
            yield await Promise.resolve(toDocument(n));
          }
        } finally {
          made.open -= 1;
        }
      };
      return { made, ...storeOn({ streamQuery }) };
    }

    it.each([100, 1_000, 10_000])('of %i documents by one query that reads each once (R-194)', async (count) => {
      const { made, store, deadline } = callsOn(count);
      let taken = 0;
      for await (const { path } of store.stream('c', () => deadline)) expect(path).toBe(toDocument(taken++).path);
      expect(taken).toBe(count);
      expect(made).toEqual({ queries: 1, read: count, open: 0 });
    });

    it('that breaks off from behind the last document on: none comes twice, and none is missing', async () => {
      const { made, store, deadline } = callsOn(100, [40, 0, 7]);
      const taken: string[] = [];
      for await (const { path } of store.stream('c', () => deadline)) taken.push(path);
      expect(taken).toEqual(Array.from({ length: 100 }, (_, n) => toDocument(n).path));
      expect(made).toEqual({ queries: 4, read: 100, open: 0 });
    });

    it('as far as it is taken, and ends the query then', async () => {
      const { made, store, deadline } = callsOn(100);
      for await (const { path } of store.stream('c', () => deadline)) if (path === toDocument(9).path) break;
      expect(made).toEqual({ queries: 1, read: 10, open: 0 });
    });

    it('and fails when it does not go on in time', async () => {
      const { store, deadline } = callsOn(100, [10, ...Array<number>(1_000).fill(0)]);
      const work = async () => {
        for await (const { path } of store.stream('c', () => deadline)) expect(path).toMatch(/^c\/00000\d$/);
      };
      await expect(work()).rejects.toMatchObject({ code: Status.UNAVAILABLE });
    });
  });

  it('takes no increment for done that was answered without its results', async () => {
    const { store } = storeOn({ increment: () => Promise.resolve([1]) });
    await expect(store.increment('a/b', {}, { n: 1 }, 1_000)).resolves.toStrictEqual({ n: 1 });
    await expect(store.increment('a/b', {}, { n: 1, m: 2 }, 1_000)).rejects.toThrow(RangeError);
  });

  it('reads as many documents in a call as Firestore takes', async () => {
    const sizes: number[] = [];
    const { store, deadline } = storeOn({
      batchGet: (paths) => {
        sizes.push(paths.length);
        return Promise.resolve({ documents: [], unread: [] });
      },
    });
    await store.getAll(
      Array.from({ length: READ_CHUNK_DOCUMENTS + 1 }, (_value, index) => `c/${index}`),
      deadline,
    );
    expect(sizes).toEqual([READ_CHUNK_DOCUMENTS, 1]);
  });

  describe('writes a batch in calls of one size', () => {
    /** How many documents each call has. */
    async function sizesOf(batch: readonly DocumentChange[]): Promise<number[]> {
      const sizes: number[] = [];
      const { store, deadline } = storeOn({
        batchWrite: (call) => {
          sizes.push(call.length);
          return Promise.resolve(call.map(() => status(0)));
        },
      });
      await store.writeEach(batch, deadline);
      return sizes;
    }

    it.each([
      ['nothing', writes(0), []],
      ['small documents up to the most of a call', writes(WRITE_CALL_DOCUMENTS), [WRITE_CALL_DOCUMENTS]],
      ['one more', writes(WRITE_CALL_DOCUMENTS + 1), [251, 250]],
      ['a full batch', writes(2 * WRITE_CALL_DOCUMENTS), [WRITE_CALL_DOCUMENTS, WRITE_CALL_DOCUMENTS]],
      ['removals', writes(600).map((_write, index) => ({ delete: `c/${index}` })), [300, 300]],
      ['documents that fill a call', large(3), [1, 1, 1]],
      [
        'documents whose bytes the caller has counted',
        writes(4).map((write) => ({ ...write, bytes: 150_000 })),
        [2, 2],
      ],
    ] as const)('%s', async (_name, batch, expected) => {
      expect(await sizesOf(batch as DocumentChange[])).toEqual(expected);
    });

    it('whatever their sizes: all of them once and in order, within the bounds, in as few calls as half full ones', async () => {
      const size = fc.oneof(fc.nat(2_000), fc.nat(MAX_RECORD_BYTES));
      await fc.assert(
        fc.asyncProperty(fc.array(size, { maxLength: 1_200 }), async (sizes) => {
          const batch = sizes.map((bytes, index) => ({ set: `c/${index}`, data: {}, bytes }));
          const calls: (readonly DocumentChange[])[] = [];
          const { store, deadline } = storeOn({
            batchWrite: (call) => {
              calls.push(call);
              return Promise.resolve(call.map(() => status(0)));
            },
          });
          await store.writeEach(batch, deadline);
          expect(calls.flat()).toEqual(batch);
          const bytesOf = (call: readonly DocumentChange[]) =>
            call.reduce((sum, write) => sum + ('bytes' in write ? (write.bytes ?? 0) : 0), 0);
          for (const call of calls) {
            expect(call.length).toBeLessThanOrEqual(WRITE_CALL_DOCUMENTS);
            expect(bytesOf(call)).toBeLessThanOrEqual(COMMIT_BYTES);
          }
          const total = Math.max(bytesOf(batch), (batch.length * WRITE_CALL_BYTES) / WRITE_CALL_DOCUMENTS);
          expect(calls.length).toBeLessThanOrEqual(1 + (2 * total) / WRITE_CALL_BYTES);
        }),
      );
    });
  });
});
