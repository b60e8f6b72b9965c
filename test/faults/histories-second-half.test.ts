/** The promise of histories.test.ts, in other histories. */
import { holdHalf } from './histories/in-memory';

it('every history ends in a state that its acknowledgements allow (pure; R-11, R-13)', () => holdHalf(2));
