/** The promise of histories.test.ts where many deletions of one tenant are pending at once. */
import * as fc from 'fast-check';
import { backlogHistories } from './histories/commands';
import { endsRight } from './histories/in-memory';
import { SERVICE } from './histories/protocol';
import { FAULTS_SEED, ofTier, report } from './tier';

const CASES = ofTier(500, 20_000);

it('every history of many pending deletions ends in a state that its acknowledgements allow (pure; D-43, R-13, R-28)', async () => {
  await fc.assert(endsRight(backlogHistories(), SERVICE), { numRuns: CASES, seed: FAULTS_SEED });
  report('deletes, upserts and older files, many deletions pending, pure', CASES, 0);
});
