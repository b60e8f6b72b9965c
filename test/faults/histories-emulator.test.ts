/** The promise of histories.test.ts on the real database: Firestore's conditions and commit times. */
import * as fc from 'fast-check';
import { systemClock } from '../../shared/platform/clock';
import type { EmulatorOperator } from '../support/emulator-operator';
import { connectToEmulator } from '../support/emulator-operator';
import { histories } from './histories/commands';
import type { TenantOptions } from '../../shared/operations/tenants';
import { runHistory, settings } from './histories/histories';
import { SERVICE } from './histories/protocol';
import type { WorldClock } from './histories/world';
import { World } from './histories/world';
import { FAULTS_SEED, ofTier, report } from './tier';

const CASES = ofTier(200, 5_000);
const AT_ONCE = 10;
const TICK_MS = 2;
/** Whoever takes longer waits for a lock. */
const IN_TIME_MS = 500;

const clock: WorldClock = {
  ...systemClock,
  tick: () => systemClock.sleep(TICK_MS),
  async inTime(done) {
    const stop = new AbortController();
    const late = systemClock.sleep(IN_TIME_MS, stop.signal).then(
      () => 'late' as const,
      () => 'done' as const,
    );
    const outcome = await Promise.race([done.then(() => 'done' as const), late]);
    stop.abort();
    return outcome;
  },
};

let operator: EmulatorOperator;
beforeAll(() => {
  operator = connectToEmulator();
});
afterAll(() => operator.close());

async function openOnEmulator(options: TenantOptions): Promise<World> {
  const tenant = await operator.createTenant(options);
  const world = new World(tenant, operator.store, clock, operator.random, SERVICE);
  await world.open();
  return world;
}

it('every history ends in a state that its acknowledgements allow (emulator)', async () => {
  const history = fc.tuple(settings, histories(['customers', 'orders', 'products']));
  const together = fc.array(history, { minLength: AT_ONCE, maxLength: AT_ONCE });
  const property = fc.asyncProperty(together, async (group) => {
    await Promise.all(
      group.map(([options, commands]) =>
        runHistory(options.customerIdentifier, commands, () => openOnEmulator(options)),
      ),
    );
  });
  await fc.assert(property, { numRuns: CASES / AT_ONCE, seed: FAULTS_SEED });
  report('deletes, upserts and older files, emulator', CASES, 0);
});
