/** Histories on the store in memory, where a history takes less than a millisecond. */
import * as fc from 'fast-check';
import type { Tenant, TenantId } from '../../../shared/domain/tenant';
import { DEFAULT_SETTINGS } from '../../../shared/domain/tenant';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { SeededRandom } from '../../support/seeded-random';
import { FAULTS_SEED, ofTier, report } from '../tier';
import { histories } from './commands';
import { runHistory, settings } from './histories';
import type { Protocol } from './protocol';
import { SERVICE } from './protocol';
import type { WorldClock } from './world';
import { World } from './world';

const CASES_OF_HALF = ofTier(5_000, 500_000);

class SteppingClock extends FixedClock implements WorldClock {
  tick(): Promise<void> {
    this.advance(5);
    return Promise.resolve();
  }

  /** Nothing is locked in memory. */
  inTime(done: Promise<void>): Promise<'done'> {
    return done.then(() => 'done');
  }
}

const TENANT: Tenant = {
  ...DEFAULT_SETTINGS,
  tenantId: '11111111-1111-4111-8111-111111111111' as TenantId,
  organizationId: 'acme',
};

async function openInMemory(tenant: Tenant, isKeyed: boolean, protocol: Protocol): Promise<World> {
  const clock = new SteppingClock();
  const world = new World(tenant, new MemoryDocumentStore(clock), clock, new SeededRandom(), protocol);
  await world.open(isKeyed);
  return world;
}

/** Every such history ends in a state that its acknowledgements allow. */
export function endsRight(drawn: ReturnType<typeof histories>, protocol: Protocol) {
  return fc.asyncProperty(settings, drawn, fc.boolean(), (options, commands, isKeyed) =>
    runHistory(options.customerIdentifier, commands, () => openInMemory({ ...TENANT, ...options }, isKeyed, protocol)),
  );
}

/** Half of the histories of a run: two test files share them, so that they run at once. */
export async function checkHalf(half: 1 | 2): Promise<void> {
  const property = endsRight(histories(['customers', 'orders', 'products']), SERVICE);
  await fc.assert(property, { numRuns: CASES_OF_HALF, seed: FAULTS_SEED + half });
  report(`deletes, upserts and older files, pure, half ${half}`, CASES_OF_HALF, 0);
}
