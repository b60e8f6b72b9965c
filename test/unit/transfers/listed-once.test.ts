/**
 * The slices of a file list pending deletions once, where few are pending: what is accepted later is later than the
 * file, and its rows lose to it, seen or not. Rows that need to see it have it listed anew.
 */
import type { DocumentStore } from '../../../shared/documents/document-store';
import type { PreparedSlice } from '../../../shared/transfers/reading/slice';
import {
  applySlice,
  isPrepared,
  NO_EXPECTATION,
  prepareSlice,
  prepareSlices,
} from '../../../shared/transfers/reading/slice';
import type { Expectation } from '../../../shared/transfers/reading/rows/row-applier';
import { overriding } from '../../support/overriding';
import { AMPLE, DeletionsLab } from '../deletions/deletions-lab';
import { aTenant } from '../support/tenant';
import { sliceDependencies, sliceSource, toRows } from './slice-source';

jest.mock<object>('../../../shared/limits/deletions', () => ({
  ...jest.requireActual<object>('../../../shared/limits/deletions'),
  // Slices of two rows have more than one entry, so that they list them.
  FEW_PENDING_DELETIONS: 1,
}));

const FIRST = { Email: 'first@x.com', CustomerId: 'first' };
const OTHER = { Email: 'other@x.com' };
const ANN = { Email: 'ann@x.com', CustomerId: '1' };

/**
 * A tenant with deletions of customers by both identifiers, which are applied. The customer of the first slice is
 * stored, so that the second one reads tombstones.
 */
async function open(): Promise<DeletionsLab> {
  const lab = new DeletionsLab(aTenant({ customerIdentifier: 'email' }));
  await lab.upsert(FIRST);
  await lab.deleteCustomer('none', null);
  await lab.drain();
  return lab;
}

/** Two slices of a file, read one after the other, the second one by what the first one tells. */
class TwoSlices {
  lists = 0;
  /** A planted mistake: whoever lists again gets what was listed first, nothing. */
  isListedOnceForAll = false;
  private readonly source;

  constructor(
    private readonly lab: DeletionsLab,
    private readonly second: object,
    private readonly afterRead: () => Promise<void> = () => Promise.resolve(),
  ) {
    const updated = new Date(lab.clock.nowMs());
    // The run began by a clock that is ahead of the database's: its rows may be later than what is accepted then.
    const startedAt = new Date(updated.getTime() + 3_600_000);
    this.source = sliceSource(lab.tenant, 'customers', updated, startedAt);
  }

  async prepareFirst(): Promise<PreparedSlice> {
    return this.prepare([FIRST], NO_EXPECTATION);
  }

  async prepareSecond(first: PreparedSlice): Promise<PreparedSlice> {
    return this.prepare([this.second, OTHER], first.nextExpectation);
  }

  /** Commits a slice as a step does: once more, read anew, where it has to be. */
  async commit(slice: PreparedSlice, records: readonly object[], changed: readonly string[] = []): Promise<void> {
    const { memory } = this.lab;
    if ((await applySlice(slice, changed)) && (await memory.commit(slice.workspace.toWrites())) !== 'conflict') return;
    const dependencies = sliceDependencies(this.lab, memory);
    await this.commit(await prepareSlice(toRows(records), this.source, AMPLE, dependencies), records);
  }

  /** Stores both. @returns how often pending deletions were listed */
  async store(between: () => Promise<void> = () => Promise.resolve()): Promise<number> {
    const first = await this.prepareFirst();
    await between();
    const second = await this.prepareSecond(first);
    await this.commit(first, [FIRST]);
    await this.commit(second, [this.second, OTHER]);
    await this.lab.drain();
    return this.lists;
  }

  /** @param before slices that are stored after this one is read */
  async prepare(
    records: readonly object[],
    expected: Expectation,
    before: readonly PreparedSlice[] = [],
  ): Promise<PreparedSlice> {
    const then = async <T>(read: Promise<T>): Promise<T> => {
      const found = await read;
      await this.afterRead();
      return found;
    };
    const memory: DocumentStore = this.lab.memory;
    const store = overriding(memory, {
      getAll: (...call) => then(memory.getAll(...call)),
      getSome: (...call) => then(memory.getSome(...call)),
      listRefs: (...call) => {
        this.lists += 1;
        return then(this.isListedOnceForAll && this.lists > 1 ? Promise.resolve([]) : memory.listRefs(...call));
      },
    });
    const [slice] = await prepareSlices(
      [toRows(records)],
      this.source,
      expected,
      before,
      AMPLE,
      sliceDependencies(this.lab, store),
    );
    if (!slice || !isPrepared(slice)) throw new Error('A slice was to be prepared.');
    return slice;
  }
}

it.each([
  ['new customers', {}],
  ['known customers', ANN],
])('lists what is pending once for slices of %s (R-416)', async (_, stored) => {
  const lab = await open();
  if (stored === ANN) await lab.upsert(ANN);
  expect(await new TwoSlices(lab, { ...ANN, Name: 'Row' }).store()).toBe(1);
  expect(await lab.customers('Email')).toEqual([ANN.Email, FIRST.Email, OTHER.Email]);
});

it.each<[which: string, stored: object | undefined, row: object]>([
  ['of a new customer', undefined, ANN],
  ['of a known one', ANN, { ...ANN, Name: 'Row' }],
  ['that gives its customer an identifier', { Email: ANN.Email }, ANN],
  ['that changes an identifier', ANN, { Email: ANN.Email, CustomerId: '2' }],
  ['that clears an identifier', ANN, { Email: ANN.Email, CustomerId: null }],
])(
  'loses by a row %s no deletion that is accepted after the list, whenever it is (R-11, R-416)',
  async (_, stored, row) => {
    for (const [customerId, email] of [
      ['1', null],
      [null, ANN.Email],
      ['1', ANN.Email],
    ] as const) {
      // prettier-ignore
      for (const isApplied of [false, true]) {
      for (let after = 1, reads = after; reads >= after; after += 1) {
        const lab = await open();
        if (stored) await lab.upsert(stored);
        reads = 0;
        const file = new TwoSlices(lab, row, async () => {
          reads += 1;
          if (reads !== after) return;
          await lab.deleteCustomer(customerId, email);
          if (isApplied) await lab.drain();
        });
        await file.store();
        if (reads < after) break;
        // Who lacks the identifier when the deletion by it is accepted is not meant, and the row is older than it.
        const isSpared = stored !== undefined && !('CustomerId' in stored) && email === null;
        const left = isSpared ? [ANN.Email, FIRST.Email, OTHER.Email] : [FIRST.Email, OTHER.Email];
        expect(await lab.customers('Email')).toEqual(left);
        expect((await lab.documents()).filter(({ data }) => data.CustomerId === customerId)).toEqual([]);
      }
    }
    }
  },
);

it('lists them anew for a row that is newer than its file, which inherits nothing of its deleted customer (R-08, R-416)', async () => {
  const lab = await open();
  await lab.upsert({ ...ANN, Name: 'Old' });
  const row = { ...ANN, Surname: 'New', UpdatedAt: new Date(lab.clock.nowMs() + 60_000).toISOString() };
  const lists = await new TwoSlices(lab, row).store(async () => {
    await lab.deleteCustomer(null, ANN.Email);
    lab.passMs(120_000);
  });
  expect(lists).toBeGreaterThan(1);
  const documents = (await lab.documents()).filter(({ data }) => data.Email === ANN.Email);
  expect(documents.map(({ data }) => [data.Name, data.Surname])).toEqual([[undefined, 'New']]);
});

it.each([
  [false, [FIRST.Email, OTHER.Email]],
  [true, [ANN.Email, FIRST.Email, OTHER.Email]],
])(
  'would spare who loses the identifier, did all slices go by the first list: %s (R-416)',
  async (isMistaken, left) => {
    const lab = await open();
    await lab.upsert(ANN);
    const file = new TwoSlices(lab, { Email: ANN.Email, CustomerId: null });
    file.isListedOnceForAll = isMistaken;
    await file.store(() => lab.deleteCustomer('1', null));
    expect(await lab.customers('Email')).toEqual(left);
  },
);

it('reads anew what an earlier list said of rows whose records are read again (R-413, R-416)', async () => {
  const lab = await open();
  const gone = { Email: 'gone@x.com' };
  await lab.upsert(gone);
  const giving = { ...gone, CustomerId: 'X' };
  const rows = [
    { Email: 'other@x.com', CustomerId: 'X' },
    { ...gone, CustomerId: null },
  ];
  let isRead = false;
  const slices: PreparedSlice[] = [];
  const file = new TwoSlices(lab, giving, async () => {
    const [before] = slices;
    if (!before || isRead) return;
    isRead = true; // the records; then the slice before is stored, and a deletion accepted that names who has got X
    await file.commit(before, [giving]);
    await lab.deleteCustomer('X', null);
  });
  const first = await file.prepareFirst();
  const before = await file.prepare([giving], first.nextExpectation);
  slices.push(before);
  const slice = await file.prepare(rows, { ...before.nextExpectation, tombstones: 'unknown' }, [before]);
  await file.commit(slice, rows, before.workspace.changedPaths());
  await lab.drain();
  expect(await lab.customers('Email')).toEqual([FIRST.Email]);
});
