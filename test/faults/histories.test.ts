/**
 * Promise: an accepted delete is applied once in effect; a later upsert survives; an older file never undoes a newer
 * value, consent or deletion (D-41, D-54). Histories are compared with a model that knows only acknowledgements.
 */
import * as fc from 'fast-check';
import type { Tenant, TenantId } from '../../shared/domain/tenant';
import { DEFAULT_SETTINGS } from '../../shared/domain/tenant';
import { FixedClock } from '../support/fixed-clock';
import { MemoryDocumentStore } from '../support/memory-document-store';
import { SeededRandom } from '../support/seeded-random';
import { histories } from './histories/commands';
import { runHistory, settings } from './histories/histories';
import type { Protocol } from './histories/protocol';
import { BLIND, COMPARING_CLOCKS, COMPARING_UPDATE_TIMES, FORGETTING_DELETIONS, SERVICE } from './histories/protocol';
import type { WorldClock } from './histories/world';
import { World } from './histories/world';
import { FAULTS_SEED, ofTier, report } from './tier';

const SMALL_PURE_CASES = 20_000;
const PURE_CASES = ofTier(SMALL_PURE_CASES, 1_000_000);
const PURE_MS = ofTier(60_000, 2_400_000);

class SteppingClock extends FixedClock implements WorldClock {
  tick(): Promise<void> {
    this.advance(5);
    return Promise.resolve();
  }
}

const TENANT: Tenant = {
  ...DEFAULT_SETTINGS,
  tenantId: '11111111-1111-4111-8111-111111111111' as TenantId,
  organizationId: 'acme',
};

async function openInMemory(tenant: Tenant, protocol: Protocol): Promise<World> {
  const clock = new SteppingClock();
  const world = new World(tenant, new MemoryDocumentStore(clock), clock, new SeededRandom(), protocol);
  await world.open();
  return world;
}

it(
  'every history ends in a state that its acknowledgements allow (pure)',
  async () => {
    const property = fc.asyncProperty(settings, histories(['customers', 'orders', 'products']), (options, commands) =>
      runHistory(options.customerIdentifier, commands, () => openInMemory({ ...TENANT, ...options }, SERVICE)),
    );
    await fc.assert(property, { numRuns: PURE_CASES, seed: FAULTS_SEED });
    report('deletes, upserts and older files, pure', PURE_CASES, 0);
  },
  PURE_MS,
);

it.each([
  ['deletes whatever matches when the message comes', BLIND],
  ['compares update times, which a write without a change keeps', COMPARING_UPDATE_TIMES],
  ['compares the clocks of processes', COMPARING_CLOCKS],
  ['compares commit times and forgets deletions', FORGETTING_DELETIONS],
])('a protocol that %s is caught', async (mistake, protocol) => {
  const property = fc.asyncProperty(settings, histories(['customers']), (options, commands) =>
    runHistory(options.customerIdentifier, commands, () => openInMemory({ ...TENANT, ...options }, protocol)),
  );
  const { failed, numRuns, counterexample } = await fc.check(property, {
    numRuns: SMALL_PURE_CASES,
    seed: FAULTS_SEED,
  });
  const shown = counterexample ? [...counterexample[1]].join('; ') : '';
  report(`a protocol that ${mistake} is caught`, numRuns, failed ? 0 : 1, `by: ${shown}`);
  expect(failed).toBe(true);
});
