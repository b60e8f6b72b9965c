/** How long the sweep over the flags of deletions takes: the service's own code, on a simulated clock. */
import { sweepFlags } from '../../../functions/deletion-consumer/sweep';
import { raiseFlag } from '../../../shared/deletions/pending-flag';
import { REQUEST_DEADLINE_MS } from '../../../shared/domain/limits';
import { FLAG_LOWERED_AFTER_SECONDS } from '../../../shared/limits/deletions';
import { deadlineIn } from '../../../shared/platform/deadline';
import { LatencyModel } from '../../bench/profiles/latencies';
import { CollectingLogger } from '../../support/recording-fakes';
import { FastRandom } from '../engine/draws';
import { SimulatedClock } from '../engine/simulated-clock';
import { MeteredCloud } from './metered-cloud';
import { measure } from './probe-requests';

/** Flags of the probe: a sweep of so many ends within its time. */
const FLAGS = 40;

/** @returns milliseconds for each raised flag, under which nothing is pending any more */
export async function probeSweep(seed: string): Promise<number> {
  const random = new FastRandom(`${seed} sweep`);
  const clock = new SimulatedClock(Date.parse('2026-03-01T00:00:00Z'));
  const cloud = new MeteredCloud(clock, new LatencyModel(random));
  const { store, publisher } = cloud;
  const dependencies = { store, publisher, clock, random, logger: new CollectingLogger(), deletionsTopic: 'deletions' };
  const deadline = () => deadlineIn(REQUEST_DEADLINE_MS, clock);
  for (let index = 0; index < FLAGS; index += 1) {
    const tenantId = `11111111-1111-4111-8111-${String(index).padStart(12, '0')}`;
    await measure(cloud, () => raiseFlag(tenantId, 'orders', {}, deadline(), dependencies));
  }
  clock.after((FLAG_LOWERED_AFTER_SECONDS + 1) * 1_000, () => undefined);
  clock.run();
  const { durationMs } = await measure(cloud, () => sweepFlags({ sweep: true }, deadline(), dependencies));
  if (cloud.published.length > 0) throw new Error('The probe has more flags than one sweep works through.');
  return durationMs / FLAGS;
}
