/**
 * Promise: a file is read exactly once in effect, however many workers read it and whatever becomes of their commits.
 * Slices are short and leases few, so that a small file goes round them some times.
 */
import type { DocumentData } from '../../shared/domain/records/document';
import type { DocumentWrite } from '../../shared/documents/document-store';
import type { Flaw } from './progress/reading-workers';
import { readWithFaults, recordTimes } from './progress/reading-workers';
import { FAULTS_SEED, ofTier, report } from './tier';

jest.mock('../../shared/limits/transfers', () => ({
  ...jest.requireActual<object>('../../shared/limits/transfers'),
  FILE_SLICE_ROWS: 2,
  FILE_CHUNK_ROWS: 4,
  MIN_FILE_SLICE_ROWS: 1,
  FIRST_FILE_LEASES: 2,
  FILE_LEASES: 8,
}));

const CASES = ofTier(200, 20_000);
const MOST_CASES_TO_NOTICE = 2_000;

it('stores each row, counts it and reports it once, whatever becomes of commits (D-55, R-15, R-88)', async () => {
  const wrong: string[] = [];
  const fates: Record<string, number> = {};
  for (let index = 0; index < CASES; index += 1) {
    const reading = await readWithFaults(`${FAULTS_SEED} ${index}`);
    wrong.push(...reading.wrong.map((text) => `${index}: ${text}`));
    for (const [fate, count] of Object.entries(reading.fates)) fates[fate] = (fates[fate] ?? 0) + count;
  }
  report('a file is read once in effect by any workers', CASES, wrong.length, JSON.stringify(fates));
  expect(wrong).toEqual([]);
  for (const count of Object.values(fates)) expect(count).toBeGreaterThan(CASES / 20);
});

it.each([
  ['that meets nobody', Infinity],
  ['whose records others change', 5],
])(
  'writes no record of a file %s more than once a second, once it has as many as it needs (R-403)',
  async (_, every) => {
    const gaps: number[] = [];
    for (let index = 0; index < 50; index += 1) {
      const records = await recordTimes(`${index}`, 250, every);
      const own = [...records].find(([path]) => !path.includes('/leases/'))![1];
      // The first two of the file's document begin the file and create the first leases, the next one creates more.
      const settled = own[2] ?? Infinity;
      for (const times of records.values()) {
        const between = times.filter((time) => time >= settled && time < own.at(-1)!);
        gaps.push(...between.slice(1).map((time, at) => time - (between[at] ?? 0)));
      }
    }
    expect(gaps.length).toBeGreaterThan(50);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
  },
);

const isLease = (write: DocumentWrite): write is Extract<DocumentWrite, { set: string }> =>
  'set' in write && write.set.includes('/leases/');
/** It only takes the lease from a worker before. */
const isTaking = (write: DocumentWrite) => isLease(write) && write.data.rows === undefined && write.when !== 'absent';

const pick = (data: DocumentData, ...fields: string[]): DocumentData =>
  Object.fromEntries(Object.entries(data).filter(([field]) => fields.includes(field)));

const FLAWS: Readonly<Record<string, Flaw>> = {
  'leaves the leases to the worker before': (writes) => writes.filter((write) => !isTaking(write)),
  'leaves the last lease to the worker before': (writes) => {
    const last = writes.findLast(isTaking);
    return writes.filter((write) => write !== last);
  },
  'names no slice in a lease': (writes) =>
    writes.map((write) => (isLease(write) ? { ...write, data: { ...write.data, ahead: [] } } : write)),
  'counts nothing in a lease': (writes) =>
    writes.map((write) =>
      isLease(write) && write.data.rows !== undefined
        ? { ...write, data: { ...pick(write.data, 'worker', 'ahead'), counts: JSON.stringify(write.data.rows) } }
        : write,
    ),
  'depends on no lease': (writes) =>
    writes.map((write) => (isLease(write) ? { set: write.set, data: write.data } : write)),
};

it.each(Object.keys(FLAWS))('notices a worker that %s', async (name) => {
  let cases = 0;
  let wrong: readonly string[] = [];
  while (wrong.length === 0 && cases < MOST_CASES_TO_NOTICE) {
    ({ wrong } = await readWithFaults(`${FAULTS_SEED} ${cases}`, FLAWS[name]));
    cases += 1;
  }
  report(`a worker that ${name} is noticed`, cases, 0);
  expect(wrong).not.toEqual([]);
});
