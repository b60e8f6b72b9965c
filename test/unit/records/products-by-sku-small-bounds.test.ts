/**
 * The same with bounds so small that nearly every batch takes several commits and more than memory: it is tried product
 * by product, and written in order.
 */
import { MAX_VARIANTS_BY_SKU } from '../../../shared/limits/records';
import { expectSameAsNaive } from '../support/upserts-by-sku';

jest.mock('../../../shared/limits/records', () => ({
  ...jest.requireActual<object>('../../../shared/limits/records'),
  MAX_VARIANTS_BY_SKU: 4,
  COMMIT_BYTES: 3_000,
  SKU_COMMIT_BYTES: 4_000,
  SKU_PLAN_BYTES: 500,
  SKU_PLAN_ENTRIES: 3,
  SKU_PLAN_CHANGES: 6_000,
}));

it('leaves what its elements leave one after the other, or nothing where one does not fit (D-30, R-04)', async () => {
  await expectSameAsNaive(500, { keepsOrder: false, maxVariants: MAX_VARIANTS_BY_SKU });
});
