/**
 * Promise: work is linear also where products that are matched by Sku are more than a commit, or more than memory. The
 * bounds are small, so that small products are; as the real ones, they take the largest record of the inputs, and half
 * as much beside it.
 */
import { stepCounter } from './growth/step-counter'; // before the code whose steps it counts
import { costsOf, describeCosts, excessesOf } from './growth/cost';
import { FILE_INPUTS } from './growth/file-inputs';
import { UPSERT_INPUTS } from './growth/upsert-inputs';
import { report } from './tier';

jest.mock('../../shared/limits/records', () => ({
  ...jest.requireActual<object>('../../shared/limits/records'),
  COMMIT_BYTES: 320_000,
  SKU_COMMIT_BYTES: 2_500_000,
  SKU_COMMIT_EXTRA_BYTES: 60_000,
  SKU_PLAN_BYTES: 800_000,
  SKU_PLAN_ENTRIES: 1_000,
  SKU_PLAN_CHANGES: 640_000,
}));
jest.mock('../../shared/limits/transfers', () => ({
  ...jest.requireActual<object>('../../shared/limits/transfers'),
  SLICE_READ_BYTES: 320_000,
}));

afterAll(() => stepCounter.stop());

const BY_SKU = [...UPSERT_INPUTS, ...FILE_INPUTS].filter(({ name }) => name.includes('by Sku'));

it('has inputs of batches and of files', () => {
  for (const origin of ['POST', 'file']) expect(BY_SKU.some(({ name }) => name.startsWith(origin))).toBe(true);
});

it.each(BY_SKU)('$name', async ({ name, size, prepare }) => {
  const costs = await costsOf(prepare, size, stepCounter);
  const excesses = excessesOf(costs);
  report(`work is linear within small bounds: ${name}`, costs.length, excesses.length, describeCosts(costs));
  expect(excesses).toEqual([]);
});
