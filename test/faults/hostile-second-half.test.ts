/** The promise of hostile.test.ts, for other requests. */
import { HTTP_FUNCTIONS, useTestService } from '../support/test-service';
import { holdHalf } from './hostile/half';

const service = useTestService(...HTTP_FUNCTIONS);

it('gets a 4xx or is stored faithfully, whatever it is', () => holdHalf(2, service()));
