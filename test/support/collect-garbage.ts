import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects everything that nobody holds any more: what is measured after it does not depend on when that happens. */
export const collectGarbage = runInNewContext('gc') as () => void;
