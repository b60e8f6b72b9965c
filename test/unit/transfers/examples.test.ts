/** Examples of what a preview would change: which are picked, and what that costs for long records. */
import { recordPath, runExamplesPath } from '../../../shared/documents/paths';
import type { RecordId } from '../../../shared/domain/identity';
import { PARTS_BETWEEN_YIELDS } from '../../../shared/domain/limits';
import type { DocumentData } from '../../../shared/domain/records/document';
import { MAX_COMPARED_ELEMENTS, MAX_EXAMPLES } from '../../../shared/limits/transfers';
import { toExample } from '../../../shared/transfers/reading/example';
import { ExamplePicker } from '../../../shared/transfers/reading/examples';
import type { Run, RunFile } from '../../../shared/transfers/runs/run';
import { Workspace } from '../../../shared/workspace/workspace';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { aTenant } from '../support/tenant';

const AMPLE = { remainingMs: () => 20_000 };
const TENANT = aTenant();

describe('of a product with 20,000 variants', () => {
  const LENGTH = 20_000;
  const variant = (number: number, Color = 'red') => ({ VariantId: `v${number}`, Sku: `s${number}`, Color });
  const product = (ProductVariants: readonly DocumentData[]) => ({ ProductId: 'p', ProductName: 'P', ProductVariants });
  const stored = product(Array.from({ length: LENGTH }, (_, number) => variant(number)));

  /** The example, the number of steps in which it is made, and how often something is written out for it. */
  function measured(before: DocumentData | undefined, after: DocumentData | undefined) {
    const stringify = jest.spyOn(JSON, 'stringify');
    try {
      const making = toExample('products', { Object: 'products.csv', Line: 1 }, before, after);
      for (let steps = 1; ; steps += 1) {
        const step = making.next();
        if (step.done) return { example: step.value, steps, texts: stringify.mock.calls.length };
      }
    } finally {
      stringify.mockRestore();
    }
  }

  it.each([
    ['a variant that changes', (all: DocumentData[]) => all.with(7, variant(7, 'blue')), [variant(7)], [variant(7, 'blue')]],
    ['a variant that goes', (all: DocumentData[]) => all.toSpliced(7, 1), [variant(7)], []],
    ['variants that come', (all: DocumentData[]) => [...all, variant(LENGTH), variant(LENGTH + 1)], [], [variant(LENGTH), variant(LENGTH + 1)]],
    ['a variant that comes first', (all: DocumentData[]) => [variant(LENGTH), ...all], [], [variant(LENGTH)]],
  ])('shows %s, and writes out no other one (R-96)', (_what, change, from, to) => {
    const { example, steps, texts } = measured(stored, product(change([...stored.ProductVariants])));
    expect(example?.Fields).toEqual({ ProductVariants: { from, to } });
    expect(texts).toBeLessThan(30);
    expect(steps).toBeGreaterThan(LENGTH / PARTS_BETWEEN_YIELDS);
  }); // prettier-ignore

  it('is none where no field that is shown changes, and writes out no variant', () => {
    const { example, steps, texts } = measured(stored, { ...product([...stored.ProductVariants.map((each) => ({ ...each }))]), revision: 'r' });
    expect(example).toBeUndefined();
    expect(texts).toBeLessThan(10);
    expect(steps).toBeGreaterThan(LENGTH / PARTS_BETWEEN_YIELDS);
  }); // prettier-ignore

  it.each([
    ['differ everywhere', stored, product(stored.ProductVariants.map((_, number) => variant(number, 'blue')))],
    ['are new', undefined, stored],
    ['are removed', stored, undefined],
  ])('omits variants that %s, without writing them out (R-96)', (_what, before, after) => {
    const { example, texts } = measured(before, after);
    expect(example?.OmittedFields).toEqual(['ProductVariants']);
    expect(example?.Fields).not.toHaveProperty('ProductVariants');
    expect(example?.Identifiers).toEqual({ ProductId: 'p' });
    expect(texts).toBeLessThan(10);
  });

  it('shows none of a few variants that only change their places', () => {
    const all = [...stored.ProductVariants];
    const { example } = measured(stored, product([...all.slice(0, 100).reverse(), ...all.slice(100)]));
    expect(example?.Fields).toEqual({ ProductVariants: { from: [], to: [] } });
    expect(MAX_COMPARED_ELEMENTS).toBeGreaterThan(100);
  });
});

describe('of the slices of a file', () => {
  const run = { tenantId: TENANT.tenantId, startedAt: new Date(0) } as unknown as Run;
  const file = { kind: 'customers', object: 'customers.csv' } as RunFile;
  const pickerOf = (fileId: string) => new ExamplePicker({ runId: 'run', unitId: 'unit', fileId }, run, file);
  const pathOf = (number: number) => recordPath(TENANT.tenantId, 'customers', `c${number}` as RecordId);

  /** A slice that gives so many customers another name, and what its rows have changed. */
  async function sliceOf(store: MemoryDocumentStore, count: number, more: DocumentData = {}) {
    const workspace = new Workspace(store, AMPLE);
    const paths = Array.from({ length: count }, (_, number) => pathOf(number));
    await workspace.load(paths);
    for (const path of paths) workspace.put(path, { Name: 'new', ...more });
    const rows = paths.map((path, index) => ({ line: index + 1, linesMet: 0, valid: { path } }));
    const slice = { rows, workspace, context: { tenant: TENANT, kind: 'customers' }, deletesCustomers: false };
    return { slice: slice as unknown as Parameters<ExamplePicker['pick']>[0], changing: new Set(paths) };
  }

  async function pick(store: MemoryDocumentStore, picker: ExamplePicker, count: number, more: DocumentData = {}) {
    const { slice, changing } = await sliceOf(store, count, more);
    return picker.pick(slice, { changing }, store, AMPLE);
  }

  it('are at most as many as are shown (R-96)', async () => {
    const [store, picker] = [new MemoryDocumentStore(), pickerOf('f')];
    expect(await pick(store, picker, 2 * MAX_EXAMPLES)).toHaveLength(MAX_EXAMPLES);
    expect(await pick(store, picker, 2 * MAX_EXAMPLES)).toHaveLength(0);
  });

  it('are picked again after a conflict', async () => {
    const [store, picker] = [new MemoryDocumentStore(), pickerOf('f')];
    const picked = await pick(store, picker, MAX_EXAMPLES);
    picker.putBack(picked);
    expect(await pick(store, picker, MAX_EXAMPLES)).toEqual(picked);
  });

  it('are none that come after those which are shown, and cost one look in a step (R-96)', async () => {
    const store = new MemoryDocumentStore();
    await store.commit(await pick(store, pickerOf('b'), MAX_EXAMPLES));
    const looks = jest.spyOn(store, 'listRefs');
    const after = pickerOf('c');
    for (const _slice of [1, 2, 3]) expect(await pick(store, after, 3)).toEqual([]);
    expect(looks).toHaveBeenCalledTimes(1);
    expect(await pick(store, after, 3, { EmailOptin: true })).toHaveLength(3); // consents are shown first
    expect(await pick(store, pickerOf('a'), MAX_EXAMPLES)).toHaveLength(MAX_EXAMPLES);
  });

  it('are none of records that their rows leave as they are, for which nothing is read', async () => {
    const store = new MemoryDocumentStore();
    const { slice } = await sliceOf(store, 3);
    const reads = [jest.spyOn(store, 'listRefs'), jest.spyOn(store, 'getSome')];
    expect(await pickerOf('f').pick(slice, { changing: new Set() }, store, AMPLE)).toEqual([]);
    for (const read of reads) expect(read).not.toHaveBeenCalled();
    const changing = new Set([pathOf(1)]);
    const picked = await pickerOf('f').pick(slice, { changing }, store, AMPLE);
    expect(picked.map(({ set }) => set)).toEqual([expect.stringMatching(`^${runExamplesPath('run')}/.*c1$`)]);
  });
});
