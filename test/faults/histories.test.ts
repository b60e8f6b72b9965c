/**
 * Promise: an accepted delete is applied once in effect; a later upsert survives; an older file never undoes a newer
 * value, consent or deletion (D-41, D-54). Histories are compared with a model that knows only acknowledgements.
 */
import { checkHalf } from './histories/in-memory';

it('every history ends in a state that its acknowledgements allow (pure; R-11, R-13, R-27, R-28, R-62, R-63)', () =>
  checkHalf(1));
