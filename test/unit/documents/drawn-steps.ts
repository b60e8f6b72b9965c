/** Drawn calls of a store on a few documents, to compare stores that show writes before the database holds them. */
import * as fc from 'fast-check';
import type { Condition, DocumentChange, DocumentStore } from '../../../shared/documents/document-store';
import type { Deadline } from '../../../shared/platform/deadline';

export const AMPLE: Deadline = { remainingMs: () => 20_000 };
const A = 'tenants/t/a';
export const PATHS = [...['1', '2', '3', '4'].map((id) => `${A}/${id}`), 'tenants/t/b/1', 'tenants/t/b/2'];
const PATH = fc.constantFrom(...PATHS);
const COLOUR = fc.constantFrom('red', 'blue');

/** What a drawn write requires: `read` is the version that is read right before. */
const REQUIRED = fc.constantFrom('nothing', 'absent', 'present', 'read', 'stale');
export const CHANGE = fc.record({
  path: PATH,
  does: fc.constantFrom('set', 'setColour', 'delete'),
  colour: COLOUR,
  size: fc.nat(3),
  requires: REQUIRED,
});
type Change = typeof CHANGE extends fc.Arbitrary<infer T> ? T : never;

/** @param writes the calls by which documents are written @param lists those by which they are listed */
export const stepOf = (
  writes: readonly ('commit' | 'writeEach')[],
  lists: readonly ('list' | 'listRefs' | 'findWhere' | 'findAny')[],
) =>
  fc.oneof(
    fc.record({ type: fc.constantFrom(...writes), changes: fc.uniqueArray(CHANGE, { selector: ({ path }) => path, minLength: 1, maxLength: 4 }) }), // prettier-ignore
    fc.record({
      type: fc.constantFrom(...lists),
      colour: COLOUR,
      limit: fc.integer({ min: 1, max: 3 }),
      after: fc.option(PATH, { nil: undefined }),
      before: fc.option(PATH, { nil: undefined }),
    }),
    fc.record({ type: fc.constantFrom('get', 'getAll', 'getSome'), paths: fc.uniqueArray(PATH, { minLength: 1 }) }),
  );
type Step = ReturnType<typeof stepOf> extends fc.Arbitrary<infer T> ? T : never;

export async function toWrite(store: DocumentStore, change: Change): Promise<DocumentChange> {
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
export async function answerOf(store: DocumentStore, step: Step): Promise<unknown> {
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
  const { limit, after, before, colour } = step;
  const page = { limit, ...(after !== undefined && after.startsWith(A) && { after }) };
  switch (step.type) {
    case 'list':
      return (await store.list(A, page, AMPLE)).map(shown);
    case 'listRefs':
      return (await store.listRefs(A, { ...page, ...(before?.startsWith(A) && { before }) }, AMPLE)).map(shown);
    case 'findWhere':
      return (await store.findWhere(A, 'colour', colour, page, AMPLE)).map(shown);
    default:
      return (await store.findWhere(A, 'colour', ['red', 'blue'], page, AMPLE)).map(shown);
  }
}
