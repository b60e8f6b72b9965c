/** The promise of histories.test.ts, in other histories. */
import { checkHalf } from './histories/in-memory';

it('every history ends in a state that its acknowledgements allow (pure; R-11, R-13)', () => checkHalf(2));
