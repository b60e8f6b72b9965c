/**
 * The comparison with the model can fail: each known way of getting deletions wrong is caught by itself, and the same
 * way without its mistake is not.
 */
import * as fc from 'fast-check';
import { histories, plainHistories } from './histories/commands';
import { endsRight } from './histories/in-memory';
import type { Protocol } from './histories/protocol';
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
import { FAULTS_SEED, ofTier, report, seedOf } from './tier';

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

/**
 * Where the small tier begins to look for what only one of thousands of histories shows: there it is found soon. Where
 * a change of the histories moves it, the test goes on looking, which takes minutes: give it another seed then.
 */
const EARLY_SEEDS: ReadonlyMap<string, number> = new Map([
  ['removes customers whatever they have become', 36],
  ['removes entries whatever they have become', 17],
  ['accepts by a flag that may be lowered', 290],
  ['commits rows for which something was accepted meanwhile', 33],
]);

async function expectCaught(
  who: string,
  mistake: string,
  drawn: Parameters<typeof endsRight>[0],
  protocol: Protocol,
): Promise<void> {
  const seed = seedOf(EARLY_SEEDS.get(mistake) ?? FAULTS_SEED);
  const { failed, numRuns, counterexample } = await fc.check(endsRight(drawn, protocol), { numRuns: MOST_CASES, seed });
  const shown = counterexample ? [...counterexample[1]].join('; ') : '';
  report(`${who} ${mistake} is caught`, numRuns, failed ? 0 : 1, `by: ${shown}`, seed);
  expect(failed).toBe(true);
}

it.each([
  ['deletes whatever matches when the message comes', 'requests', BLIND] as const,
  ['compares update times, which a write without a change keeps', 'requests', COMPARING_UPDATE_TIMES] as const,
  ['compares the clocks of processes', 'requests', COMPARING_CLOCKS] as const,
  ['forgets deletions', 'requests and files', FORGETTING_DELETIONS] as const,
])('a protocol that %s is caught', (mistake, where, protocol) =>
  expectCaught('a protocol that', mistake, plainHistories(where), protocol),
);

it.each(WITHOUT_A_RULE)('the service that %s is caught', (mistake, where, protocol) =>
  expectCaught('the service that', mistake, plainHistories(where), protocol),
);

it.each(WITHOUT_A_RULE_OF_ORDERS)('the service that %s is caught (R-300)', (mistake, protocol) =>
  expectCaught('the service that', mistake, histories(['orders']), protocol),
);
