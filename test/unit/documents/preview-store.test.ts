/** That the store of a preview shows and refuses what the database would, and writes only below its run. */
import * as fc from 'fast-check';
import { PreviewStore } from '../../../shared/documents/preview-store';
import { runPreviewedPath } from '../../../shared/documents/paths';
import type { DocumentStore, SomeDocuments, StoredDocument } from '../../../shared/documents/document-store';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { withMethods } from '../../support/overriding';
import { AMPLE, answerOf, CHANGE, PATHS, stepOf, toWrite } from './drawn-steps';

const EXPIRE_AT = new Date('2026-03-02T12:00:00Z');
const previewOf = (store: MemoryDocumentStore, runId = 'run') =>
  new PreviewStore(store, { runId, tenantId: 't', expireAt: EXPIRE_AT }, new FixedClock());

it('answers what the database would, and writes nothing of a tenant (R-94)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(CHANGE),
      fc.array(stepOf(['commit'], ['list', 'listRefs', 'findWhere', 'findAny']), { maxLength: 12 }),
      async (before, steps) => {
        const [database, previewed] = [new MemoryDocumentStore(), new MemoryDocumentStore()];
        for (const change of before) {
          for (const store of [database, previewed]) await store.commit([await toWrite(store, change)]);
        }
        const everything = await previewed.getAll(PATHS);
        // Each step by another instance: what the preview would have stored is in the database.
        for (const step of steps)
          expect(await answerOf(previewOf(previewed), step)).toEqual(await answerOf(database, step));
        expect(await previewed.getAll(PATHS)).toStrictEqual(everything);
        const own = await previewed.list(runPreviewedPath('run'), { limit: 100 });
        expect(own.every(({ data }) => data.expireAt === EXPIRE_AT)).toBe(true);
      },
    ),
    { numRuns: 1_000 },
  );
});

describe('a page of a collection', () => {
  const N = 1_000;
  const LIMIT = 26;
  const paths = Array.from({ length: N }, (_, n) => `tenants/t/a/${String(n).padStart(4, '0')}`);

  /** A preview that has written documents anew, and the documents that each call reads from then on. */
  async function previewing(stored: readonly string[], rewrite: (preview: PreviewStore) => Promise<void>) {
    const database = new MemoryDocumentStore();
    for (const path of stored) await database.commit([{ set: path, data: { colour: 'red' } }]);
    const read: number[] = [];
    const counting = withMethods<DocumentStore>(database, (method) => async (...call) => {
      const answer = (await method(...call)) as StoredDocument[] | SomeDocuments;
      read.push(('documents' in answer ? answer.documents : answer).length);
      return answer;
    });
    await rewrite(previewOf(database));
    const preview = new PreviewStore(counting, { runId: 'run', tenantId: 't', expireAt: EXPIRE_AT }, new FixedClock());
    return { preview, read };
  }
  const setAll = async (preview: PreviewStore) => {
    for (const path of paths) await preview.commit([{ set: path, data: { colour: 'red' } }], AMPLE);
  };
  const deleteAll = async (preview: PreviewStore) => {
    for (const path of paths) await preview.commit([{ delete: path }], AMPLE);
  };
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

  it('reads on no further than to its last document, however many are written anew (R-94)', async () => {
    const { preview, read } = await previewing(paths, setAll);
    expect(await preview.findWhere('tenants/t/a', 'colour', 'red', { limit: LIMIT }, AMPLE)).toHaveLength(LIMIT);
    expect(read).toEqual([LIMIT, LIMIT, LIMIT]); // its own documents, those that are stored, and whether it has these
  });

  it('reads on in ever longer pages where all that is stored is removed (R-94)', async () => {
    const { preview, read } = await previewing(paths, deleteAll);
    expect(await preview.listRefs('tenants/t/a', { limit: LIMIT }, AMPLE)).toEqual([]);
    expect(read.length).toBeLessThan(20);
  });

  it('does not read what stands for documents that are removed by now everywhere (R-94)', async () => {
    const { preview, read } = await previewing([], deleteAll);
    expect(await preview.listRefs('tenants/t/a', { limit: LIMIT }, AMPLE)).toEqual([]);
    expect(sum(read)).toBe(0);
  });
});

it('is in conflict with another commit of its run, and not with one of another preview (R-94)', async () => {
  const database = new MemoryDocumentStore();
  await database.commit([{ set: 'tenants/t/a/1', data: { n: 1 } }]);
  const [first, second, other] = [previewOf(database), previewOf(database), previewOf(database, 'other')];
  const write = { set: 'tenants/t/a/1', data: { n: 2 }, when: (await second.get('tenants/t/a/1', AMPLE))!.version };
  const checked = [
    { check: 'tenants/t/a/1', when: write.when },
    { set: 'tenants/t/a/2', data: {} },
  ];
  expect(await first.commit([write], AMPLE)).not.toBe('conflict');
  expect(await second.commit([write], AMPLE)).toBe('conflict');
  expect(await second.commit(checked, AMPLE)).toBe('conflict');
  expect(await other.commit(checked, AMPLE)).not.toBe('conflict');
});

it('decides between two commits at once by its own documents (R-94)', async () => {
  const database = new MemoryDocumentStore();
  const write = { set: 'tenants/t/a/1', data: { n: 1 }, when: 'absent' } as const;
  const outcomes = await Promise.all(
    [previewOf(database), previewOf(database)].map((store) => store.commit([write], AMPLE)),
  );
  expect(outcomes.filter((outcome) => outcome === 'conflict')).toHaveLength(1);
});

it('stores what is not a tenant’s as ever, in the same commit (R-94)', async () => {
  const database = new MemoryDocumentStore();
  await database.commit([{ set: 'transferRuns/run', data: { n: 1 } }]);
  const { version } = (await database.get('transferRuns/run'))!;
  const preview = previewOf(database);
  const writes = [
    { set: 'tenants/t/a/1', data: { n: 1 }, when: 'absent' },
    { set: 'transferRuns/run', data: { n: 2 }, when: version },
  ] as const;
  const committed = await preview.commit(writes, AMPLE);
  expect(committed).toEqual((await database.get('transferRuns/run'))?.version);
  expect(await preview.commit([{ ...writes[0], set: 'tenants/t/a/2' }, writes[1]], AMPLE)).toBe('conflict');
  expect(await preview.getAll(['tenants/t/a/1', 'tenants/t/a/2'], AMPLE)).toMatchObject([{ data: { n: 1 } }]);
});

it('changes a tenant’s own document in part', async () => {
  const database = new MemoryDocumentStore();
  await database.commit([{ set: 'tenants/t', data: { organizationId: 'o' } }]);
  const preview = previewOf(database);
  await preview.commit([{ set: 'tenants/t', data: { large: true }, fields: ['large'], when: 'present' }], AMPLE);
  expect((await preview.get('tenants/t', AMPLE))?.data).toEqual({ organizationId: 'o', large: true });
  expect((await database.get('tenants/t'))?.data).toEqual({ organizationId: 'o' });
});

it('refuses the calls that reading files does not make', async () => {
  const preview = previewOf(new MemoryDocumentStore());
  await expect(preview.begin()).rejects.toThrow('has no preview');
  await expect(preview.writeEach()).rejects.toThrow('has no preview');
});
