/**
 * Promise: hostile input only ever gets a 4xx, or is stored faithfully: no 5xx, no HTML, nothing changed by a 4xx,
 * memory bounded. Named cases are in test/http/hostile-input; here they are drawn.
 */
import { HTTP_FUNCTIONS, useTestService } from '../support/test-service';
import { checkHalf } from './hostile/half';

const service = useTestService(...HTTP_FUNCTIONS);

it('gets a 4xx or is stored faithfully, whatever it is', () => checkHalf(1, service()));
