/** One history from its beginning to its end, and what must be true then. */
import * as fc from 'fast-check';
import type { Known } from './commands';
import { passTime, deliverEverything } from './commands';
import { Model } from './model';
import type { Priority } from './model';
import type { World } from './world';

/** How a tenant of a history identifies its records. */
export const settings = fc.record({
  customerIdentifier: fc.constantFrom('email' as const, 'customerid' as const),
  productIdentifier: fc.constantFrom('productid' as const, 'sku' as const),
});

/** @throws Error that shows what is stored and what may be, when they differ. */
export async function runHistory(
  priority: Priority,
  commands: Iterable<fc.AsyncCommand<Known, World>>,
  openWorld: () => Promise<World>,
): Promise<void> {
  const world = await openWorld();
  const known: Known = { model: new Model(priority), files: new Map(), moments: [] };
  await passTime(known, world);
  await fc.asyncModelRun(() => ({ model: known, real: world }), commands);
  await deliverEverything(known, world);
  const stored = await world.stored();
  const possible = known.model.possible();
  if (!possible.includes(stored)) {
    throw new Error(`Stored:\n${stored}\nPossible:\n${possible.join('\n-- or --\n')}`);
  }
}
