/** That a store on which writes are tried out shows and refuses what the database would, and changes nothing in it. */
import * as fc from 'fast-check';
import type { Condition, DocumentChange, DocumentStore } from '../../../shared/documents/document-store';
import { TrialStore, TrialTooLarge } from '../../../shared/documents/trial-store';
import { TRIAL_BYTES } from '../../../shared/limits/records';
import type { Deadline } from '../../../shared/platform/deadline';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';

const AMPLE: Deadline = { remainingMs: () => 20_000 };
const PATHS = ['a/1', 'a/2', 'a/3', 'a/4', 'b/1', 'b/2'];
const PATH = fc.constantFrom(...PATHS);
const COLOUR = fc.constantFrom('red', 'blue');

/** What a drawn write requires: `read` is the version that is read right before. */
const REQUIRED = fc.constantFrom('nothing', 'absent', 'present', 'read', 'stale');
const CHANGE = fc.record({
  path: PATH,
  does: fc.constantFrom('set', 'setColour', 'delete'),
  colour: COLOUR,
  size: fc.nat(3),
  requires: REQUIRED,
});
type Change = typeof CHANGE extends fc.Arbitrary<infer T> ? T : never;

const STEP = fc.oneof(
  fc.record({ type: fc.constantFrom('commit', 'writeEach'), changes: fc.uniqueArray(CHANGE, { selector: ({ path }) => path, minLength: 1, maxLength: 4 }) }), // prettier-ignore
  fc.record({
    type: fc.constantFrom('list', 'listRefs', 'findWhere', 'findAny'),
    colour: COLOUR,
    limit: fc.integer({ min: 1, max: 3 }),
    after: fc.option(PATH, { nil: undefined }),
  }),
  fc.record({ type: fc.constantFrom('get', 'getAll', 'getSome'), paths: fc.uniqueArray(PATH, { minLength: 1 }) }),
);
type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

async function toWrite(store: DocumentStore, change: Change): Promise<DocumentChange> {
  const { path, does, colour, size, requires } = change;
  const read = requires === 'read' ? (await store.get(path, AMPLE))?.version : undefined;
  const conditions: Record<string, Condition | undefined> = {
    absent: 'absent',
    present: 'present',
    read: read ?? 'absent',
    stale: { seconds: 1, nanos: 1 },
  };
  const when = conditions[requires];
  const condition = when && { when };
  if (does === 'delete') return { delete: path, ...condition };
  const data = { colour, size: size === 0 ? undefined : size };
  if (does === 'set') return { set: path, data, ...condition };
  return { set: path, data, fields: ['colour', 'size'], ...condition };
}

const shown = ({ path, ...rest }: { readonly path: string; readonly data?: unknown }) => ({ path, data: rest.data });
const sorted = (documents: readonly { readonly path: string }[]) =>
  documents.map(shown).sort((a, b) => (a.path < b.path ? -1 : 1));

/** What a step answers, without versions. */
async function answerOf(store: DocumentStore, step: Step): Promise<unknown> {
  if ('changes' in step) {
    const writes = await Promise.all(step.changes.map((change) => toWrite(store, change)));
    if (step.type === 'writeEach') return store.writeEach(writes, AMPLE);
    return (await store.commit(writes, AMPLE)) === 'conflict';
  }
  if ('paths' in step) {
    if (step.type === 'get') return (await store.get(step.paths[0]!, AMPLE))?.data;
    if (step.type === 'getAll') return sorted(await store.getAll(step.paths, AMPLE));
    const read = [];
    for (let rest: readonly string[] = step.paths; rest.length > 0;) {
      const { documents, unread } = await store.getSome(rest, 300, AMPLE); // about one document
      read.push(...documents);
      expect(documents.length > 0 || unread.length === 0).toBe(true);
      rest = unread;
    }
    return sorted(read);
  }
  const { limit, after, colour } = step;
  const page = { limit, ...(after !== undefined && after.startsWith('a/') && { after }) };
  switch (step.type) {
    case 'list':
      return (await store.list('a', page, AMPLE)).map(shown);
    case 'listRefs':
      return (await store.listRefs('a', page, AMPLE)).map(shown);
    case 'findWhere':
      return (await store.findWhere('a', 'colour', colour, page, AMPLE)).map(shown);
    default:
      return (await store.findWhere('a', 'colour', ['red', 'blue'], page, AMPLE)).map(shown);
  }
}

it('answers what the database would, and writes nothing into it (R-82)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(CHANGE), fc.array(STEP, { maxLength: 12 }), async (before, steps) => {
      const [database, tried] = [new MemoryDocumentStore(), new MemoryDocumentStore()];
      for (const change of before) {
        for (const store of [database, tried]) await store.commit([await toWrite(store, change)]);
      }
      const everything = await tried.getAll(PATHS);
      const trial = new TrialStore(tried, new FixedClock());
      for (const step of steps) expect(await answerOf(trial, step)).toEqual(await answerOf(database, step));
      expect(await tried.getAll(PATHS)).toStrictEqual(everything);
    }),
    { numRuns: 1_000 },
  );
});

it('keeps no more than a bounded number of bytes, and takes nothing more after that (R-84)', async () => {
  const trial = new TrialStore(new MemoryDocumentStore(), new FixedClock());
  const write = (path: string, bytes: number) =>
    trial.commit([{ set: path, data: { text: 'x'.repeat(bytes) } }], AMPLE);
  const half = 0.5 * TRIAL_BYTES - 1_000;
  await write('a/1', half);
  await write('a/1', half); // the same document again
  await write('a/2', half);
  await expect(write('a/3', half)).rejects.toThrow(TrialTooLarge);
  await expect(write('a/4', 1)).rejects.toThrow(TrialTooLarge);
});

it('gives all documents of a commit one version, with the time of the clock', async () => {
  const clock = new FixedClock();
  const trial = new TrialStore(new MemoryDocumentStore(), clock);
  const version = await trial.commit(
    [
      { set: 'a/1', data: {}, writtenAt: 'at' },
      { set: 'a/2', data: {} },
    ],
    AMPLE,
  );
  const found = await trial.getAll(['a/1', 'a/2'], AMPLE);
  expect(found.map((document) => document.version)).toEqual([version, version]);
  expect(found[0]?.data).toEqual({ at: new Date(clock.nowMs()) });
});

it('refuses the calls that no upsert makes', async () => {
  const trial = new TrialStore(new MemoryDocumentStore(), new FixedClock());
  await expect(trial.begin()).rejects.toThrow('cannot be tried out');
  await expect(trial.count()).rejects.toThrow('cannot be tried out');
});
