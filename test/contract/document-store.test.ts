/**
 * The contract of `DocumentStore`, held by the store in memory and by Firestore (its emulator) alike, whichever of the
 * two clients calls it.
 */
import { QUERY_VALUES } from '../../shared/limits/records';
import { randomBytes } from 'node:crypto';
import { Status, statusOf } from '../../shared/platform/retry';
import { systemClock } from '../../shared/platform/clock';
import { readConfig } from '../../shared/config';
import { deadlineIn } from '../../shared/platform/deadline';
import type {
  DocumentChange,
  DocumentRef,
  DocumentWrite,
  Page,
  StoredDocument,
  Version,
} from '../../shared/documents/document-store';
import { RequestInvalid, versionTime } from '../../shared/documents/document-store';
import type { DocumentData } from '../../shared/domain/records/document';
import { CLIENTS, closeStores, storeOn, STORES } from './document-stores';

afterAll(closeStores);

/** Whether this is a real database (`npm run test:contract`), which takes about one write a second of one document. */
const isReal = readConfig().emulators.firestore === undefined;

const run = `t${randomBytes(6).toString('hex')}`;
let collections = 0;
/** A collection that no other test and no other run uses. */
const newCollection = () => `${run}-${(collections += 1)}`;
const soon = () => deadlineIn(20_000, systemClock);
/** @throws the error of a call that was not aborted: that one may have been applied */
function unlessAborted(error: unknown): undefined {
  if (statusOf(error) !== Status.ABORTED) throw error;
}
const numbered = (index: number) => String(index).padStart(5, '0');

describe.each(STORES)('DocumentStore in %s', (_, store) => {
  let collection = '';
  let path = '';
  beforeEach(() => {
    collection = newCollection();
    path = `${collection}/a`;
  });

  const commit = async (...writes: DocumentWrite[]) =>
    (await store.commit(writes, soon())) === 'conflict' ? 'conflict' : 'written';
  const put = (to: string, data: DocumentData) => commit({ set: to, data });
  const read = async (from: string) => (await store.get(from, soon()))?.data;
  const versionOf = async (of: string): Promise<Version> => (await store.get(of, soon()))!.version;
  const pathsOf = (documents: readonly DocumentRef[]) => documents.map((document) => document.path);

  describe('get and getAll', () => {
    it('find what was written, with its path', async () => {
      await put(path, { text: 'one' });
      expect(await store.get(path, soon())).toMatchObject({ path, data: { text: 'one' } });
      expect(await store.getAll([path], soon())).toMatchObject([{ path, data: { text: 'one' } }]);
    });

    it('tell when a document was made: a write keeps it, a document that is deleted and written anew has another', async () => {
      const createdOf = async () => (await store.get(path, soon()))!.created;
      await put(path, { n: 1 });
      const created = await versionOf(path);
      expect(await createdOf()).toEqual(created);
      await put(path, { n: 2 });
      await commit({ set: path, data: { m: 1 }, fields: ['m'] });
      expect(await versionOf(path)).not.toEqual(created);
      expect(await createdOf()).toEqual(created);
      expect((await store.list(collection, { limit: 1 }, soon()))[0]?.created).toEqual(created);
      await commit({ delete: path });
      await put(path, { n: 1 });
      expect(await createdOf()).toEqual(await versionOf(path));
      expect(await createdOf()).not.toEqual(created);
    });

    it('leave out what is not there', async () => {
      await put(path, { n: 1 });
      expect(await store.get(`${collection}/none`, soon())).toBeUndefined();
      expect(pathsOf(await store.getAll([`${collection}/none`, path], soon()))).toEqual([path]);
      expect(await store.getAll([], soon())).toEqual([]);
    });

    it('find documents of several collections, below others and without a parent', async () => {
      const paths = [path, `${path}/below/b`, `${collection}/no-parent/below/c`];
      for (const each of paths) await put(each, { each });
      expect(pathsOf(await store.getAll(paths, soon())).sort()).toEqual(paths.sort());
      expect(await read(`${collection}/no-parent`)).toBeUndefined();
    });

    it('find more than 500 documents at once', async () => {
      const writes = Array.from({ length: 600 }, (_value, index) => ({
        set: `${collection}/${numbered(index)}`,
        data: { index },
      }));
      await store.writeEach(writes, soon());
      const found = await store.getAll(writes.map(({ set }) => set), soon()); // prettier-ignore
      expect(found.map(({ data }) => data.index).sort((a, b) => Number(a) - Number(b))).toEqual(
        writes.map((_value, index) => index),
      );
    });
  });

  describe('getSome', () => {
    const text = 'x'.repeat(100_000);
    const putTexts = async (count: number) => {
      const paths = Array.from({ length: count }, (_value, index) => `${collection}/${numbered(index)}`);
      await store.writeEach(paths.map((set) => ({ set, data: { text } })), soon()); // prettier-ignore
      return paths;
    };

    it('finds everything that takes less than the bound, and leaves nothing unread', async () => {
      const paths = await putTexts(3);
      const { documents, unread } = await store.getSome([`${collection}/none`, ...paths], 1_000_000, soon());
      expect(pathsOf(documents).sort()).toEqual(paths);
      expect(unread).toEqual([]);
      expect(documents.map(({ data }) => data.text === text)).toEqual([true, true, true]);
      expect(await store.getSome([], 1, soon())).toEqual({ documents: [], unread: [] });
    });

    it('receives at most the bound and one document, and says what it did not read', async () => {
      const paths = await putTexts(30);
      const { documents, unread } = await store.getSome(paths, 450_000, soon());
      expect(documents).toHaveLength(5);
      expect([...pathsOf(documents), ...unread].sort()).toEqual(paths);
    });

    it('finds at least one document, and all of them when it is repeated with what is unread', async () => {
      const paths = await putTexts(4);
      const found: string[] = [];
      let unread: readonly string[] = [`${collection}/none`, ...paths];
      let reads = 0;
      for (; unread.length > 0; reads += 1) {
        const some = await store.getSome(unread, 1, soon());
        found.push(...pathsOf(some.documents));
        unread = some.unread;
      }
      expect(found.sort()).toEqual(paths);
      expect(reads).toBeLessThanOrEqual(5);
    });

    it('bounds what it receives in several calls side by side', async () => {
      const paths = await putTexts(12);
      const missing = Array.from({ length: 700 }, (_value, index) => `${collection}/none-${index}`);
      const asked = [...paths.slice(0, 6), ...missing, ...paths.slice(6)];
      const { documents, unread } = await store.getSome(asked, 350_000, soon());
      expect(documents.length).toBeGreaterThan(0);
      expect(documents.length).toBeLessThanOrEqual(4);
      const notFound = paths.filter((each) => !pathsOf(documents).includes(each));
      expect(notFound.every((each) => unread.includes(each))).toBe(true);
    });
  });

  describe('a write', () => {
    it('replaces the whole document', async () => {
      await put(path, { a: 1, b: 2 });
      expect(await put(path, { b: 3 })).toBe('written');
      expect(await read(path)).toEqual({ b: 3 });
    });

    it('of some fields leaves the others, and removes those that its data lacks', async () => {
      await put(path, { kept: 1, changed: 1, removed: 1, undefined: 1 });
      const data = { changed: 2, added: 2, undefined: undefined };
      await commit({ set: path, data, fields: ['changed', 'added', 'removed', 'undefined', 'never'] });
      expect(await read(path)).toStrictEqual({ kept: 1, changed: 2, added: 2 });
    });

    it('of some fields writes nothing of its data beside them', async () => {
      await put(path, { kept: 1 });
      await commit({ set: path, data: { kept: 2, changed: 2 }, fields: ['changed'] });
      expect(await read(path)).toEqual({ kept: 1, changed: 2 });
    });

    it('of some fields replaces a map among them as a whole', async () => {
      await put(path, { map: { a: 1, b: 1 } });
      await commit({ set: path, data: { map: { a: 2 } }, fields: ['map'] });
      expect(await read(path)).toEqual({ map: { a: 2 } });
    });

    it('of some fields takes names of any characters', async () => {
      const names = ['with space', 'a.b', 'a', '`', '\\', 'ß', '0', 'a`b\\c.d', '*'];
      await put(path, { kept: 1, a: { b: 1 }, ...Object.fromEntries(names.map((name) => [name, 1])) });
      const data = Object.fromEntries(names.map((name) => [name, 2]));
      expect(await commit({ set: path, data, fields: names })).toBe('written');
      expect(await read(path)).toStrictEqual({ kept: 1, ...data });
      expect(await store.increment(path, {}, { 'a.b': 1 }, 20_000)).toStrictEqual({ 'a.b': 3 });
    });

    it('that checks a document changes neither it nor its version, and is in conflict once it has changed', async () => {
      await put(path, { a: 1, list: [1, 2] });
      const version = await versionOf(path);
      const check: DocumentWrite = { check: path, when: version };
      expect(await commit(check, { set: `${path}-beside`, data: { n: 1 } })).toBe('written');
      expect(await read(path)).toEqual({ a: 1, list: [1, 2] });
      expect(await versionOf(path)).toEqual(version);
      await put(path, { a: 2 });
      expect(await commit(check, { set: `${path}-beside`, data: { n: 2 } })).toBe('conflict');
      expect(await read(path)).toEqual({ a: 2 });
      expect(await read(`${path}-beside`)).toEqual({ n: 1 });
    });

    it('that checks that there is no document is in conflict once there is one', async () => {
      const check: DocumentWrite = { check: path, when: 'absent' };
      expect(await commit(check, { set: `${path}-beside`, data: { n: 1 } })).toBe('written');
      await put(path, { a: 1 });
      expect(await commit(check, { set: `${path}-beside`, data: { n: 2 } })).toBe('conflict');
      expect(await read(`${path}-beside`)).toEqual({ n: 1 });
    });

    it('that was in conflict holds up nobody who writes what it checked', async () => {
      await put(path, { a: 1 });
      const version = await versionOf(path);
      await put(path, { a: 2 });
      const beside = { set: `${path}-beside`, data: { n: 1 } };
      expect(await commit({ check: path, when: version }, beside)).toBe('conflict');
      expect(await commit({ check: path, when: await versionOf(path) }, { ...beside, when: 'present' })).toBe(
        'conflict',
      );
      const startMs = performance.now();
      await put(path, { a: 3 });
      expect(performance.now() - startMs).toBeLessThan(1_000); // one that was left behind is waited for, for two seconds
    });

    it('that checks one document may be made many times at once, and none of them is in conflict (R-63)', async () => {
      await put(path, { a: 1 });
      const check: DocumentWrite = { check: path, when: await versionOf(path) };
      const outcomes = Array.from({ length: 20 }, (_, n) => commit(check, { set: `${path}-${n}`, data: { n } }));
      expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['written']));
    });

    it('cannot slip in between what another commit checks and what it writes', async () => {
      // Each of two commits checks that the other's document is absent and makes its own: one of them may succeed.
      const [a, b] = [`${path}-a`, `${path}-b`];
      const outcomes = await Promise.all([
        commit({ check: a, when: 'absent' }, { set: b, data: { n: 1 } }),
        commit({ check: b, when: 'absent' }, { set: a, data: { n: 1 } }),
      ]);
      expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1);
    });

    it('sets fields to the time at which they are written, and keeps those that are not named', async () => {
      const write = { set: path, data: {}, fields: [], writtenAt: ['at', 'too'] } as const;
      for (const before of [undefined, { a: 1, at: new Date(0) }]) {
        if (before) await put(path, before);
        expect(await commit(write)).toBe('written');
        const { at, too, ...others } = (await read(path)) as { at: Date; too: Date };
        expect(others).toEqual(before ? { a: 1 } : {});
        expect(too).toEqual(at);
        expect(Math.abs(at.getTime() - versionTime(await versionOf(path)).getTime())).toBeLessThan(1_000);
        await commit({ delete: path });
      }
    });

    it('of some fields creates the document where there is none', async () => {
      await commit({ set: path, data: { a: 1 }, fields: ['a'] });
      expect(await read(path)).toEqual({ a: 1 });
    });

    it('does not change with the object that was written or read', async () => {
      const data = { list: [1], map: { a: 1 } };
      await put(path, data);
      data.list.push(2);
      data.map.a = 2;
      const found = (await read(path)) as typeof data;
      expect(found).toEqual({ list: [1], map: { a: 1 } });
      Reflect.set(found.list, 1, 3); // may be refused
      expect(await read(path)).toEqual({ list: [1], map: { a: 1 } });
    });

    it('removes a document, and nothing below it', async () => {
      await put(path, { a: 1 });
      await put(`${path}/below/b`, { b: 1 });
      expect(await commit({ delete: path })).toBe('written');
      expect(await read(path)).toBeUndefined();
      expect(await read(`${path}/below/b`)).toEqual({ b: 1 });
    });

    it('may remove a document that is not there', async () => {
      expect(await commit({ delete: path })).toBe('written');
    });

    it('changes the version, each time', async () => {
      const versions = new Set<string>();
      for (let n = 0; n < 5; n += 1) {
        await put(path, { n });
        versions.add(JSON.stringify(await versionOf(path)));
      }
      expect(versions.size).toBe(5);
    });

    it('that changes nothing leaves the version', async () => {
      const data = { n: 1, at: new Date(0), list: ['a', { b: 2 }] };
      await put(path, data);
      const before = await versionOf(path);
      await put(path, data);
      await commit({ set: path, data: { n: 1 }, fields: ['n'], when: 'present' });
      expect(await versionOf(path)).toEqual(before);
    });

    it('of another document leaves the version', async () => {
      await put(path, { n: 1 });
      const before = await versionOf(path);
      await put(`${collection}/b`, { n: 1 });
      await put(`${path}/below/c`, { n: 1 });
      expect(await versionOf(path)).toEqual(before);
    });
  });

  /** Both ways to write hold the same conditions. */
  describe.each([
    ['commit', (write: DocumentChange) => commit(write)],
    ['writeEach', async (write: DocumentChange) => (await store.writeEach([write], soon()))[0]],
  ])('a condition in %s', (_how, write) => {
    const data = { n: 2 };

    it('absent: holds only where there is no document', async () => {
      expect(await write({ set: path, data: { n: 1 }, when: 'absent' })).toBe('written');
      expect(await write({ set: path, data, when: 'absent' })).toBe('conflict');
      expect(await read(path)).toEqual({ n: 1 });
    });

    it('absent: holds again once the document is removed', async () => {
      await put(path, { n: 1 });
      await commit({ delete: path });
      expect(await write({ set: path, data, when: 'absent' })).toBe('written');
    });

    it('absent: holds for a document that has others below it', async () => {
      await put(`${path}/below/b`, { b: 1 });
      expect(await write({ set: path, data, when: 'absent' })).toBe('written');
    });

    it('absent: holds for a removal only where there is nothing to remove', async () => {
      expect(await write({ delete: path, when: 'absent' })).toBe('written');
      await put(path, { n: 1 });
      expect(await write({ delete: path, when: 'absent' })).toBe('conflict');
      expect(await read(path)).toEqual({ n: 1 });
    });

    it('present: holds only where there is a document', async () => {
      expect(await write({ set: path, data, when: 'present' })).toBe('conflict');
      expect(await write({ set: path, data, fields: ['n'], when: 'present' })).toBe('conflict');
      expect(await write({ delete: path, when: 'present' })).toBe('conflict');
      expect(await read(path)).toBeUndefined();
      await put(path, { n: 1, kept: true });
      expect(await write({ set: path, data, fields: ['n'], when: 'present' })).toBe('written');
      expect(await read(path)).toEqual({ n: 2, kept: true });
      expect(await write({ delete: path, when: 'present' })).toBe('written');
      expect(await read(path)).toBeUndefined();
    });

    it('a version: holds only until the next write', async () => {
      await put(path, { n: 1 });
      const version = await versionOf(path);
      expect(await write({ set: path, data, when: version })).toBe('written');
      expect(await write({ set: path, data: { n: 3 }, when: version })).toBe('conflict');
      expect(await write({ delete: path, when: version })).toBe('conflict');
      expect(await read(path)).toEqual({ n: 2 });
      expect(await write({ delete: path, when: await versionOf(path) })).toBe('written');
    });

    it('a version: does not hold once the document is gone, or is new', async () => {
      await put(path, { n: 1 });
      const version = await versionOf(path);
      await commit({ delete: path });
      expect(await write({ set: path, data, when: version })).toBe('conflict');
      await put(path, { n: 1 });
      expect(await write({ set: path, data, when: version })).toBe('conflict');
    });
  });

  describe('commit', () => {
    it('applies all writes, of every kind', async () => {
      const [b, c] = [`${collection}/b`, `${path}/below/c`];
      await put(b, { n: 1, kept: 1 });
      await put(c, { n: 1 });
      const outcome = await commit(
        { set: path, data: { n: 2 }, when: 'absent' },
        { set: b, data: { n: 2 }, fields: ['n'], when: 'present' },
        { delete: c, when: await versionOf(c) },
      );
      expect(outcome).toBe('written');
      expect([await read(path), await read(b), await read(c)]).toEqual([{ n: 2 }, { n: 2, kept: 1 }, undefined]);
    });

    it.each([0, 1, 2])('applies none when the condition of write %i of 3 does not hold', async (wrong) => {
      const paths = ['a', 'b', 'c'].map((id) => `${collection}/${id}`);
      await put(paths[wrong]!, { n: 1 });
      expect(await commit(...paths.map((set) => ({ set, data: { n: 2 }, when: 'absent' as const })))).toBe('conflict');
      expect(await Promise.all(paths.map(read))).toEqual(
        paths.map((_value, index) => (index === wrong ? { n: 1 } : undefined)),
      );
    });

    it('tells the version of the last document that it sets', async () => {
      await put(path, { n: 1 });
      const [b, c] = [`${collection}/b`, `${path}/below/c`];
      await put(c, { n: 1 });
      expect(await store.commit([{ set: path, data: { n: 2 } }], soon())).toEqual(await versionOf(path));
      const writes: DocumentWrite[] = [{ set: path, data: { n: 3 } }, { set: b, data: { n: 1 }, when: 'absent' }, { delete: c }]; // prettier-ignore
      expect(await store.commit(writes, soon())).toEqual(await versionOf(b));
      const unchanged = await versionOf(path);
      expect(await store.commit([{ set: path, data: { n: 3 } }], soon())).toEqual(unchanged);
    });

    it('of no writes is written', async () => {
      expect(await commit()).toBe('written');
    });

    it('gives all documents that it changes one version', async () => {
      const paths = [path, `${collection}/b`, `${path}/below/c`];
      await put(path, { n: 1 });
      const outcome = await store.commit(
        paths.map((set, n) => ({ set, data: { n: n + 2 } })),
        soon(),
      );
      expect(await Promise.all(paths.map(versionOf))).toEqual(paths.map(() => outcome));
    });

    it('lets one of many at once win each version', async () => {
      await put(path, { n: 0 });
      const version = await versionOf(path);
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_value, n) => commit({ set: path, data: { n: n + 1 }, when: version })),
      );
      expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1);
      expect(await read(path)).toEqual({ n: outcomes.indexOf('written') + 1 });
    });

    it('lets one of many at once create a document', async () => {
      const creations = Array.from({ length: 8 }, (_value, n) => commit({ set: path, data: { n }, when: 'absent' }));
      const outcomes = await Promise.all(creations);
      expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1);
    });
  });

  describe('writeEach', () => {
    it('applies each write on its own and says the outcomes in their order', async () => {
      const paths = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => `${collection}/${id}`);
      const [a, b, c, d, e, f] = paths as [string, string, string, string, string, string];
      await put(b, { n: 1 });
      await put(d, { n: 1 });
      await put(f, { n: 1 });
      const stale = { seconds: 1, nanos: 1000 };
      const outcomes = await store.writeEach(
        [
          { set: a, data: { n: 2 }, when: 'absent' },
          { set: b, data: { n: 2 }, when: 'absent' },
          { set: c, data: { n: 2 }, when: 'present' },
          { set: d, data: { n: 2 }, when: await versionOf(d) },
          { delete: e, when: 'present' },
          { delete: f, when: stale },
        ],
        soon(),
      );
      expect(outcomes).toEqual(['written', 'conflict', 'conflict', 'written', 'conflict', 'conflict']);
      const stored = await Promise.all(paths.map(read));
      expect(stored).toEqual([{ n: 2 }, { n: 1 }, undefined, { n: 2 }, undefined, { n: 1 }]);
    });

    it('of no writes says no outcomes', async () => {
      expect(await store.writeEach([], soon())).toEqual([]);
    });

    it('takes more than 500 writes, and keeps the order of their outcomes', async () => {
      const paths = Array.from({ length: 1_234 }, (_value, index) => `${collection}/${numbered(index)}`);
      const taken = paths.filter((_value, index) => index % 7 === 0);
      await store.writeEach(taken.map((set) => ({ set, data: { first: true } })), soon()); // prettier-ignore
      const outcomes = await store.writeEach(paths.map((set, index) => ({ set, data: { index }, when: 'absent' as const })), soon()); // prettier-ignore
      expect(outcomes).toEqual(paths.map((_value, index) => (index % 7 === 0 ? 'conflict' : 'written')));
      expect(await store.count(collection, soon())).toBe(1_234);
      await store.writeEach(paths.slice(0, 3).map((set) => ({ set, data: { state: 'deleted' } })), soon()); // prettier-ignore
      expect(await store.count(collection, soon(), { field: 'state', value: 'deleted' })).toBe(3);
      expect(await store.count(collection, soon(), { field: 'state', value: 'none' })).toBe(0);
    });

    it('takes more than 4 MiB in total, and a document of nearly 1 MiB', async () => {
      const text = 'ä'.repeat(500_000);
      const writes = Array.from({ length: 7 }, (_value, index) => ({
        set: `${collection}/${index}`,
        data: { text, index },
      }));
      expect(await store.writeEach(writes, soon())).toEqual(Array(7).fill('written'));
      const found = await store.getAll(writes.map(({ set }) => set), soon()); // prettier-ignore
      expect(found.map(({ data }) => data.text === text)).toEqual(Array(7).fill(true));
    });
  });

  describe('increment', () => {
    it('creates the document, counts from 1 and sets the data', async () => {
      const at = new Date('2026-03-01T12:00:00.000Z');
      expect(await store.increment(path, { at }, { n: 1 }, 20_000)).toStrictEqual({ n: 1 });
      expect(await store.increment(path, { at }, { n: 1 }, 20_000)).toStrictEqual({ n: 2 });
      expect(await read(path)).toEqual({ at, n: 2 });
    });

    it('leaves other fields', async () => {
      await put(path, { kept: 'x', n: 41 });
      expect(await store.increment(path, { added: 1 }, { n: 1 }, 20_000)).toStrictEqual({ n: 42 });
      expect(await read(path)).toEqual({ kept: 'x', added: 1, n: 42 });
    });

    it('adds to several fields at once, each its amount, and gives their values', async () => {
      await put(path, { n: 1 });
      expect(await store.increment(path, {}, { n: 40, '0': 7, m: 0 }, 20_000)).toStrictEqual({ n: 41, '0': 7, m: 0 });
      expect(await read(path)).toEqual({ n: 41, '0': 7, m: 0 });
    });

    it('is exact under many calls at once: every count is given once', async () => {
      const length = isReal ? 10 : 150;
      // A call that waited too long for the others' lock was aborted and counts nothing: it is not sent again.
      const call = () => store.increment(path, {}, { n: 1 }, 20_000).catch(unlessAborted);
      const answers = await Promise.all(Array.from({ length }, call));
      const counts = answers.flatMap((answer) => answer?.n ?? []).sort((a, b) => a - b);
      expect(counts).toEqual(Array.from(counts, (_count, index) => index + 1));
      expect(counts.length).toBeGreaterThan(length / 2);
      expect(await read(path)).toEqual({ n: counts.length });
    });
  });

  describe('list and listGroup', () => {
    const ids = ['B', 'a', 'c', '0', '-', '_', 'b'];
    const sorted = [...ids].sort();

    it('are in the order of ids, page by page, and end', async () => {
      await store.writeEach(ids.map((id) => ({ set: `${collection}/${id}`, data: { id } })), soon()); // prettier-ignore
      const seen: string[] = [];
      const sizes: number[] = [];
      for (let after: string | undefined; ;) {
        const page = await store.list(collection, { limit: 3, ...(after !== undefined && { after }) }, soon());
        seen.push(...pathsOf(page));
        sizes.push(page.length);
        after = page.at(-1)?.path;
        if (page.length < 3) break;
      }
      expect(seen).toEqual(sorted.map((id) => `${collection}/${id}`));
      expect(sizes).toEqual([3, 3, 1]);
    });

    it('go on after a document that was removed meanwhile', async () => {
      await store.writeEach(ids.map((id) => ({ set: `${collection}/${id}`, data: { id } })), soon()); // prettier-ignore
      const [, second] = await store.list(collection, { limit: 2 }, soon());
      await commit({ delete: second!.path });
      const rest = await store.list(collection, { limit: 10, after: second!.path }, soon());
      expect(pathsOf(rest)).toEqual(sorted.slice(2).map((id) => `${collection}/${id}`));
    });

    it('give whole documents with versions that hold', async () => {
      await put(path, { n: 1 });
      const [found] = await store.list(collection, { limit: 1 }, soon());
      expect(found).toMatchObject({ path, data: { n: 1 } });
      expect(await commit({ set: path, data: { n: 2 }, when: found!.version })).toBe('written');
    });

    it('list one collection only: nothing below its documents, nothing of the same name elsewhere', async () => {
      await put(path, { n: 1 });
      await put(`${path}/${collection}/b`, { n: 1 });
      await put(`${collection}/no-document/below/c`, { n: 1 });
      expect(pathsOf(await store.list(collection, { limit: 10 }, soon()))).toEqual([path]);
      expect(pathsOf(await store.list(`${path}/${collection}`, { limit: 10 }, soon()))).toEqual([
        `${path}/${collection}/b`,
      ]);
      expect(await store.list(`${collection}/none/below`, { limit: 10 }, soon())).toEqual([]);
    });

    it('list a group wherever it is, in the order of paths, page by page', async () => {
      const group = newCollection();
      const expected = [
        `${collection}/a/${group}/1`,
        `${collection}/a/${group}/2`,
        `${collection}/b/${group}/1`,
        `${collection}/b/x/y/${group}/0`,
      ];
      for (const each of [...expected].reverse()) await put(each, { each });
      await put(`${collection}/a/other/1`, {});
      const first = await store.listGroup(group, { limit: 2 }, soon());
      expect(pathsOf(first)).toEqual(expected.slice(0, 2));
      expect(pathsOf(await store.listGroup(group, { limit: 9, after: first[1]!.path }, soon()))).toEqual(
        expected.slice(2),
      );
      expect(await store.listGroup(newCollection(), { limit: 9 }, soon())).toEqual([]);
    });

    it('list a group at the top level too', async () => {
      await put(path, { n: 1 });
      expect(pathsOf(await store.listGroup(collection, { limit: 9 }, soon()))).toEqual([path]);
    });
  });

  it('lists references as it lists documents, page by page, without data', async () => {
    const all = ['a', 'b', 'c'].map((id) => `${collection}/${id}`);
    for (const each of [...all].reverse()) await put(each, { text: 'x'.repeat(1_000) });
    await put(`${collection}/a/other/1`, {});
    const first = await store.listRefs(collection, { limit: 2 }, soon());
    expect(pathsOf(first)).toEqual(all.slice(0, 2));
    expect(pathsOf(await store.listRefs(collection, { limit: 2, after: first[1]!.path }, soon()))).toEqual([all[2]]);
    expect(pathsOf(await store.listRefs(collection, { limit: 9, before: all[2]! }, soon()))).toEqual(all.slice(0, 2));
    const between = { limit: 9, after: all[0]!, before: `${collection}/bb` };
    expect(pathsOf(await store.listRefs(collection, between, soon()))).toEqual([all[1]]);
    for (const each of first) expect(Object.keys(each).sort()).toEqual(['path', 'version']);
    const documents = await store.list(collection, { limit: 2 }, soon());
    expect(first).toEqual(documents.map(({ path: at, version }) => ({ path: at, version })));
  });

  describe('listBelow', () => {
    it('lists everything below a document at any depth, and nothing beside it, page by page, without data', async () => {
      const below = [
        `${path}/deeper/a`,
        `${path}/deeper/a/${collection}/x`,
        `${path}/deeper/b/no/document/below/y`,
        `${path}/other/a`,
      ];
      for (const each of [...below].reverse()) await put(each, { text: 'x'.repeat(1_000) });
      for (const beside of [path, `${path}-beside/deeper/a`, `${collection}/b/deeper/a`]) await put(beside, {});
      const first = await store.listBelow(path, { limit: 3 }, soon());
      expect(pathsOf(first)).toEqual(below.slice(0, 3));
      expect(pathsOf(await store.listBelow(path, { limit: 3, after: first[2]!.path }, soon()))).toEqual(below.slice(3));
      for (const each of first) expect(Object.keys(each).sort()).toEqual(['path', 'version']);
      expect(await store.listBelow(`${collection}/none`, { limit: 3 }, soon())).toEqual([]);
    });

    it('gives versions that hold', async () => {
      await put(`${path}/deeper/a`, { n: 1 });
      const [before] = await store.listBelow(path, { limit: 1 }, soon());
      await put(`${path}/deeper/a`, { n: 2 });
      expect(await commit({ delete: before!.path, when: before!.version })).toBe('conflict');
      const [now] = await store.listBelow(path, { limit: 1 }, soon());
      expect(await commit({ delete: now!.path, when: now!.version })).toBe('written');
    });
  });

  describe('findWhere, findLastWhere and count', () => {
    it('refuse to look for a text that is too long for an index, and say that they always will', async () => {
      const long = 'x'.repeat(2_000);
      await expect(store.findWhere(collection, 'field', long, { limit: 1 }, soon())).rejects.toBeInstanceOf(
        RequestInvalid,
      );
      await expect(store.findLastWhere(collection, 'field', long, { limit: 1 }, soon())).rejects.toBeInstanceOf(
        RequestInvalid,
      );
      expect(await store.findWhere(collection, 'field', 'x'.repeat(1_000), { limit: 1 }, soon())).toEqual([]);
    });

    it('find the documents of one collection whose field has exactly this value, up to the limit', async () => {
      const writes = ['x', 'y', 'x', 'X', 'x '].map((value, index) => ({
        set: `${collection}/${index}`,
        data: { value, index },
      }));
      await store.writeEach(writes, soon());
      await put(`${collection}/0/${collection}/below`, { value: 'x' });
      await put(`${collection}/list`, { value: ['x'] });
      await put(`${collection}/other`, { other: 'x' });
      const found = pathsOf(await store.findWhere(collection, 'value', 'x', { limit: 10 }, soon()));
      expect(found.sort()).toEqual([`${collection}/0`, `${collection}/2`]);
      expect(await store.findWhere(collection, 'value', 'x', { limit: 1 }, soon())).toHaveLength(1);
      expect(await store.findWhere(collection, 'value', 'z', { limit: 10 }, soon())).toEqual([]);
    });

    it('find those whose field has one of some values, in the order of ids, up to the limit (R-33)', async () => {
      const values = ['x', 'y', 'z', 'x', 'X', null, 7];
      await store.writeEach(
        values.map((value, index) => ({ set: `${collection}/${index}`, data: { value } })),
        soon(),
      );
      await put(`${collection}/list`, { value: ['x'] });
      const find = async (some: readonly string[], page: Page) =>
        pathsOf(await store.findWhere(collection, 'value', some, page, soon()));
      const both = ['0', '1', '3'].map((id) => `${collection}/${id}`);
      expect(await find(['y', 'x'], { limit: 10 })).toEqual(both);
      expect(await find(['y', 'x'], { limit: 2 })).toEqual(both.slice(0, 2));
      expect(await find(['y', 'x'], { limit: 2, after: both[1]! })).toEqual(both.slice(2));
      const most = Array.from({ length: QUERY_VALUES }, (_value, n) => `none ${n}`);
      expect(await find(most, { limit: 2 })).toEqual([]);
      expect(await find([...most.slice(1), 'z'], { limit: 2 })).toEqual([`${collection}/2`]);
    });

    it('find the first or the last documents, in the order of ids or in the opposite one', async () => {
      const ids = ['a', 'B', '20261122090000-1', '20261122090000-9', '20261122090000-replay1', '20261122090001-0'];
      const sorted = ids.sort().map((id) => `${collection}/${id}`);
      for (const each of sorted.toReversed()) await put(each, { value: 'x' });
      await put(`${collection}/z`, { value: 'y' });
      expect(pathsOf(await store.findWhere(collection, 'value', 'x', { limit: 4 }, soon()))).toEqual(
        sorted.slice(0, 4),
      );
      const lastFirst = sorted.toReversed();
      const findLast = (value: string, page: Page) => store.findLastWhere(collection, 'value', value, page, soon());
      expect(pathsOf(await findLast('x', { limit: 4 }))).toEqual(lastFirst.slice(0, 4));
      expect(pathsOf(await findLast('x', { limit: 4, after: lastFirst[3]! }))).toEqual(lastFirst.slice(4));
      expect(pathsOf(await findLast('x', { limit: 10 }))).toEqual(lastFirst);
      expect(await findLast('z', { limit: 10 })).toEqual([]);
    });

    it('find the last documents whose field has one of some values, in one order (R-190)', async () => {
      const values = ['x', 'y', 'z', 'x', 'y', 'X'];
      await store.writeEach(
        values.map((value, index) => ({ set: `${collection}/${index}`, data: { value } })),
        soon(),
      );
      const findLast = (page: Page) => store.findLastWhere(collection, 'value', ['x', 'y', 'none'], page, soon());
      const lastFirst = [4, 3, 1, 0].map((index) => `${collection}/${index}`);
      expect(pathsOf(await findLast({ limit: 10 }))).toEqual(lastFirst);
      expect(pathsOf(await findLast({ limit: 3 }))).toEqual(lastFirst.slice(0, 3));
      expect(pathsOf(await findLast({ limit: 3, after: lastFirst[2]! }))).toEqual(lastFirst.slice(3));
    });

    it('find a document by its value now, not the one before', async () => {
      await put(path, { value: 'old' });
      await put(path, { value: 'new' });
      expect(await store.findWhere(collection, 'value', 'old', { limit: 10 }, soon())).toEqual([]);
      const [found] = await store.findWhere(collection, 'value', 'new', { limit: 10 }, soon());
      expect(await commit({ delete: path, when: found!.version })).toBe('written');
    });

    it('count one collection', async () => {
      expect(await store.count(collection, soon())).toBe(0);
      await put(path, {});
      await put(`${collection}/b`, {});
      await put(`${path}/${collection}/c`, {});
      expect(await store.count(collection, soon())).toBe(2);
      expect(await store.count(`${path}/${collection}`, soon())).toBe(1);
    });
  });

  describe('stream', () => {
    const streamed = async (from: string) => {
      const documents: StoredDocument[] = [];
      for await (const document of store.stream(from, soon)) documents.push(document);
      return documents;
    };

    it('gives all documents of one collection with their data, in the order of ids (R-194)', async () => {
      expect(await streamed(collection)).toEqual([]);
      const writes = Array.from({ length: 1_200 }, (_value, index) => ({
        set: `${collection}/${numbered(index)}`,
        data: { index },
      }));
      await store.writeEach(writes.toReversed(), soon());
      await put(`${collection}/00000/${collection}/below`, { index: -1 });
      const found = await streamed(collection);
      expect(found.map(({ path: at, data }) => ({ set: at, data }))).toEqual(writes);
      expect(found[0]).toEqual(await store.get(`${collection}/00000`, soon()));
    });

    it('can be left early, and the store be used as before', async () => {
      await put(path, { n: 1 });
      await put(`${collection}/b`, { n: 2 });
      for await (const document of store.stream(collection, soon)) {
        expect(document.path).toBe(path);
        break;
      }
      expect(pathsOf(await streamed(collection))).toEqual([path, `${collection}/b`]);
    });
  });

  describe('values come back as they were written', () => {
    it.each<[string, DocumentData]>([
      ['texts', { empty: '', blank: ' ', unicode: 'Ädä 🍵 \u0000 \u202e é e\u0301', long: 'x'.repeat(10_000) }],
      [
        'whole numbers',
        {
          zero: 0,
          one: 1,
          negative: -1,
          int32: 2 ** 31,
          safe: Number.MAX_SAFE_INTEGER,
          least: Number.MIN_SAFE_INTEGER,
        },
      ],
      [
        'other numbers',
        { half: 0.5, tenth: 0.1, tiny: 5e-324, huge: 1.7976931348623157e308, beyond: 2 ** 60, negativeZero: -0 },
      ],
      ['flags and null', { yes: true, no: false, nothing: null }],
      ['times', { at: new Date('2026-03-01T12:00:30.123Z'), old: new Date('0001-01-01T00:00:00.000Z'), before: new Date(-1), late: new Date('9999-12-31T23:59:59.999Z') }], // prettier-ignore
      [
        'maps and lists',
        {
          map: { list: [1, { list: ['a', null, { deep: [true] }] }], empty: {} },
          list: [],
          mixed: [0.5, 'x', { y: -0 }],
        },
      ],
      ['dates inside', { list: [new Date(0)], map: { at: new Date(1) } }],
      ['field names in camel and Pascal case', { camelCase: 1, PascalCase: 2, with_underscore: 3 }],
      ['field names of maps', { map: { 'with space': 1, 'a.b': 2, 'a/b': 3, '`': 4, ß: 5, '0': 6 } }],
      ['nothing', {}],
    ])('%s', async (_kind, data) => {
      await put(path, data);
      expect(plain(await read(path))).toStrictEqual(plain(data));
    });

    it('without the fields that are undefined, inside maps too', async () => {
      await put(path, { gone: undefined, map: { gone: undefined, kept: 1 } });
      expect(plain(await read(path))).toStrictEqual({ map: { kept: 1 } });
    });

    it('with dates that are dates', async () => {
      await put(path, { at: new Date(5) });
      expect((await read(path))?.at instanceof Date).toBe(true);
    });
  });
});

/** A value with its dates told apart from texts, in objects of this realm. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (Object.prototype.toString.call(value) === '[object Date]') return { date: (value as Date).getTime() };
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

describe.each(CLIENTS)('the statuses of %s', (_, connect) => {
  const calls = connect(readConfig());
  afterAll(() => calls.close());

  it('of a batch are those of a conflict where a condition fails, whichever it is', async () => {
    const [there, missing] = [`${newCollection()}/there`, `${newCollection()}/missing`];
    await calls.commit([{ set: there, data: { n: 1 } }], 20_000);
    const [stale, data] = [{ seconds: 1, nanos: 1000 }, { n: 2 }];
    const failing: DocumentChange[] = [
      { set: there, data, when: 'absent' },
      { delete: there, when: 'absent' },
      { set: missing, data, when: 'present' },
      { delete: missing, when: 'present' },
      { set: there, data, when: stale },
      { set: missing, data, when: stale },
    ];
    const conflicts = [Status.ALREADY_EXISTS, Status.NOT_FOUND, Status.FAILED_PRECONDITION];
    for (const write of failing) expect(conflicts).toContain((await calls.batchWrite([write], 20_000))[0]?.code);
    expect((await calls.batchWrite([{ set: there, data, when: 'present' }], 20_000))[0]?.code).toBe(0);
  });
});

describe.each(CLIENTS)('DocumentStore in %s, out of reach', (_, connect) => {
  it('fails by the deadline instead of waiting on', async () => {
    const store = storeOn(connect({ ...readConfig(), emulators: { firestore: '127.0.0.1:1' } }));
    await expect(store.get('a/b', deadlineIn(1_000, systemClock))).rejects.toThrow();
    await expect(store.commit([{ delete: 'a/b' }], deadlineIn(500, systemClock))).rejects.toThrow();
    await expect(store.increment('a/b', {}, { n: 1 }, 500)).rejects.toThrow();
    await store.close();
  });
});
