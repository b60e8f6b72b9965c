/** The promise of histories.test.ts on the real database: Firestore's conditions and commit times. */
import * as fc from 'fast-check';
import { systemClock } from '../../shared/platform/clock';
import type { EmulatorOperator } from '../support/emulator-operator';
import { connectToEmulator } from '../support/emulator-operator';
import { histories } from './histories/commands';
import type { TenantOptions } from '../../functions/admin/tenants';
import { runHistory, settings } from './histories/histories';
import { SERVICE } from './histories/protocol';
import { World } from './histories/world';
import { FAULTS_SEED, ofTier, report } from './tier';

const CASES = ofTier(200, 5_000);
const AT_ONCE = 10;
const TICK_MS = 2;

const clock = { ...systemClock, tick: () => systemClock.sleep(TICK_MS) };

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
