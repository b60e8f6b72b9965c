/** The promise of histories.test.ts, in other histories. */
import { HALF_MS, holdHalf } from './histories/in-memory';

it('every history ends in a state that its acknowledgements allow (pure; R-11, R-13)', () => holdHalf(2), HALF_MS);
