/**
 * The comparison with the model can fail: each known way of getting deletions wrong is caught by itself, and the same
 * way without its mistake is not.
 */
import * as fc from 'fast-check';
import { histories, plainHistories } from './histories/commands';
import { endsRight } from './histories/in-memory';
import {
  BLIND,
  COMPARING_CLOCKS,
  COMPARING_COMMIT_TIMES,
  COMPARING_UPDATE_TIMES,
  FORGETTING_DELETIONS,
  SERVICE,
  WITHOUT_A_RULE,
  WITHOUT_A_RULE_OF_ORDERS,
} from './histories/protocol';
import { FAULTS_SEED, ofTier, report } from './tier';

const CONTROLS = ofTier(1_000, 3_000);
const MOST_CASES = ofTier(300_000, 2_000_000);

describe.each([['requests', COMPARING_COMMIT_TIMES] as const, ['requests and files', SERVICE] as const])(
  'in histories of %s',
  (where, protocol) => {
    it('the way without a mistake is not caught', async () => {
      await fc.assert(endsRight(plainHistories(where), protocol), { numRuns: CONTROLS, seed: FAULTS_SEED });
      report(`in histories of ${where} the way without a mistake is not caught`, CONTROLS, 0);
    });
  },
);

it.each([
  ['deletes whatever matches when the message comes', 'requests', BLIND] as const,
  ['compares update times, which a write without a change keeps', 'requests', COMPARING_UPDATE_TIMES] as const,
  ['compares the clocks of processes', 'requests', COMPARING_CLOCKS] as const,
  ['forgets deletions', 'requests and files', FORGETTING_DELETIONS] as const,
])('a protocol that %s is caught', async (mistake, where, protocol) => {
  const { failed, numRuns, counterexample } = await fc.check(endsRight(plainHistories(where), protocol), {
    numRuns: MOST_CASES,
    seed: FAULTS_SEED,
  });
  const shown = counterexample ? [...counterexample[1]].join('; ') : '';
  report(`a protocol that ${mistake} is caught`, numRuns, failed ? 0 : 1, `by: ${shown}`);
  expect(failed).toBe(true);
});

it.each(WITHOUT_A_RULE)('the service is caught when it %s', async (mistake, where, protocol) => {
  const { failed, numRuns, counterexample } = await fc.check(endsRight(plainHistories(where), protocol), {
    numRuns: MOST_CASES,
    seed: FAULTS_SEED,
  });
  const shown = counterexample ? [...counterexample[1]].join('; ') : '';
  report(`the service is caught when it ${mistake}`, numRuns, failed ? 0 : 1, `by: ${shown}`);
  expect(failed).toBe(true);
});

it.each(WITHOUT_A_RULE_OF_ORDERS)('the service is caught when it %s (R-300)', async (mistake, protocol) => {
  const { failed, numRuns, counterexample } = await fc.check(endsRight(histories(['orders']), protocol), {
    numRuns: MOST_CASES,
    seed: FAULTS_SEED,
  });
  const shown = counterexample ? [...counterexample[1]].join('; ') : '';
  report(`the service is caught when it ${mistake}`, numRuns, failed ? 0 : 1, `by: ${shown}`);
  expect(failed).toBe(true);
});
