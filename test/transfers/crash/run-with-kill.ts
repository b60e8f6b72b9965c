import type { TenantOptions } from '../../../shared/operations/tenants';
import type { Random } from '../../../shared/platform/random';
import type { TransferLab } from '../../support/transfer-lab';
import type { ExportedShop } from './exported-shop';
import type { KillPoint } from './killing-store';
import type { Flaw } from './with-planted-flaw';
import { transferShop } from './shop-transfer';
import type { StepWorkers } from './step-workers';

export interface CrashScenario {
  readonly shop: ExportedShop;
  readonly tenant: TenantOptions;
  readonly stepSeconds: number;
  readonly flaw?: Flaw;
}

export interface CrashOutcome {
  readonly wasKilled: boolean;
  /** Writes to the database of all steps that were not killed. */
  readonly writes: number;
  /** What is not as it should be. */
  readonly wrong: readonly string[];
}

/**
 * Transfers a shop and replays its bad rows with a worker that is killed at one write, counted over both; the message
 * that it worked on comes again, at once or after all others.
 */
export async function runWithKill(
  lab: TransferLab,
  workers: StepWorkers,
  { shop, tenant, stepSeconds, flaw }: CrashScenario,
  random: Random,
  killAt?: KillPoint,
): Promise<CrashOutcome> {
  let writes = 0;
  let wasKilled = false;
  const wrong = await transferShop(lab, {
    shop,
    tenant,
    async deliverAll({ trigger, waiting, publish }) {
      waiting.push(trigger);
      for (let message = waiting.shift(); message; message = waiting.shift()) {
        const next = killAt && !wasKilled && { killAt: { ...killAt, write: killAt.write - writes } };
        const delivery = await workers.deliver({ message, stepSeconds, ...next, ...(flaw && { flaw }) }, publish);
        if (delivery.outcome === 'handled') {
          writes += delivery.writes;
          continue;
        }
        if (!next) throw new Error('A worker ended that nobody killed.');
        wasKilled = true;
        if (random.fraction() < 0.5) waiting.unshift(message);
        else waiting.push(message);
      }
    },
  });
  return { wasKilled, writes, wrong };
}
