/**
 * The same with bounds so small that records outgrow their documents, batches take several windows and commits, and
 * deletions of customers are wide.
 */
import { EXPECT_SAME_AS_TRIAL } from '../support/trials';

jest.mock('../../../shared/limits/records', () => ({
  ...jest.requireActual<object>('../../../shared/limits/records'),
  MAX_RECORD_BYTES: 900,
  LARGE_RECORD_BYTES: 450,
  MERGE_WINDOW_BYTES: 1_000,
  COMMIT_BYTES: 3_000,
  SKU_COMMIT_BYTES: 4_000,
  SKU_PLAN_BYTES: 500,
  SKU_PLAN_ENTRIES: 3,
  SKU_PLAN_CHANGES: 6_000,
  LIST_PAGE_DOCUMENTS: 1,
}));
jest.mock('../../../shared/limits/deletions', () => ({
  ...jest.requireActual<object>('../../../shared/limits/deletions'),
  MAX_NAMED_CUSTOMERS: 1,
  MATCHES_AT_ONCE: 1,
  WIDE_DELETION_PAGE: 1,
  FEW_PENDING_DELETIONS: 2,
  FEW_WIDE_DELETIONS: 1,
  DELETIONS_IN_COMMIT: 1,
}));

it.each(EXPECT_SAME_AS_TRIAL)(
  'of %s counts or refuses what the upsert counts or refuses (R-82)',
  async (_, expectSame) => {
    await expectSame(200);
  },
);
