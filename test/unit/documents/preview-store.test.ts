/** That the store of a preview shows and refuses what the database would, and writes only below its run. */
import * as fc from 'fast-check';
import { PreviewStore } from '../../../shared/documents/preview-store';
import { runPreviewedPath } from '../../../shared/documents/paths';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
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
