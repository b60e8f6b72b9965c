/** The cases of `progress.test.ts` notice a worker that leaves one lease to the worker before it. */
import { readWithFaults } from './progress/reading-workers';
import { FAULTS_SEED, report } from './tier';

jest.mock('../../shared/limits/transfers', () => ({
  ...jest.requireActual<object>('../../shared/limits/transfers'),
  FILE_SLICE_ROWS: 2,
  FILE_CHUNK_ROWS: 4,
  MIN_FILE_SLICE_ROWS: 1,
  SLICES_IN_FLIGHT: 1,
}));

const MOST_CASES = 5_000;

it('notices a worker that takes not all leases that the one before may be creating (R-15)', async () => {
  let cases = 0;
  let wrong: readonly string[] = [];
  while (wrong.length === 0 && cases < MOST_CASES) {
    ({ wrong } = await readWithFaults(`${FAULTS_SEED} ${cases}`));
    cases += 1;
  }
  report('a worker that takes too few leases is noticed', cases, 0, wrong[0]);
  expect(wrong).not.toEqual([]);
});
