/**
 * The promise of histories.test.ts where everything comes in many parts: each row of a file is a slice, each
 * page has one deletion, each commit applies one and removes one customer, and each record is large. A few
 * records are then handled like thousands.
 */
import * as fc from 'fast-check';
import { calmFileHistories, histories } from './histories/commands';
import { endsRight } from './histories/in-memory';
import { SERVICE } from './histories/protocol';
import { FAULTS_SEED, ofTier, report } from './tier';

jest.mock<object>('../../shared/limits/transfers', () => ({
  ...jest.requireActual<object>('../../shared/limits/transfers'),
  FILE_SLICE_ROWS: 1,
  MIN_FILE_SLICE_ROWS: 1,
  FILE_CHUNK_ROWS: 2,
}));
jest.mock<object>('../../shared/limits/records', () => ({
  ...jest.requireActual<object>('../../shared/limits/records'),
  LIST_PAGE_DOCUMENTS: 1,
  FEW_MATCHING_CUSTOMERS: 1,
  LARGE_RECORD_BYTES: 1,
}));
jest.mock<object>('../../shared/limits/deletions', () => ({
  ...jest.requireActual<object>('../../shared/limits/deletions'),
  PENDING_DELETIONS_PAGE: 1,
  DELETIONS_IN_COMMIT: 1,
  MAX_NAMED_CUSTOMERS: 1,
  MATCHES_AT_ONCE: 1,
  WIDE_DELETION_PAGE: 1,
  ENTRIES_IN_COMMIT: 1,
  MAX_PENDING_BYTES: 1,
  FEW_PENDING_DELETIONS: 1,
  FEW_WIDE_DELETIONS: 1,
  DELETIONS_IN_EVENT: 1,
}));

const CASES = ofTier(1_000, 50_000);
const KINDS = ['customers', 'orders', 'products'] as const;

it.each([
  ['files of at most 5 slices', histories(KINDS, 5)],
  ['files of at most 9 slices, undisturbed', calmFileHistories(KINDS, 9)],
])(
  'every history of %s ends in a state that its acknowledgements allow (pure; R-11, R-13, R-15, R-17, R-30, R-33)',
  async (which, drawn) => {
    await fc.assert(endsRight(drawn, SERVICE), { numRuns: CASES, seed: FAULTS_SEED });
    report(`deletes, upserts and older ${which}, pure`, CASES, 0);
  },
);
