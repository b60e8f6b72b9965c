/** The promise of hostile.test.ts, for other requests. */
import { HTTP_FUNCTIONS, useTestService } from '../support/test-service';
import { checkHalf } from './hostile/half';

const service = useTestService(...HTTP_FUNCTIONS);

it('gets a 4xx or is stored faithfully, whatever it is', () => checkHalf(2, service()));
