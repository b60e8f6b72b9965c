import * as fc from 'fast-check';
import { collectGarbage } from '../../support/collect-garbage';
import type { TestService } from '../../support/test-service';
import { FAULTS_SEED, ofTier, report } from '../tier';
import { drawnRequest } from './drawn-request';
import { Probe } from './probe';

const CASES_OF_HALF = ofTier(1_500, 100_000);
/** What the service and the test hold may grow by this; what a request takes while it lasts is bounded elsewhere. */
const MAX_GROWTH_BYTES = 100 * 1024 * 1024;
const SAMPLE_EVERY = 500;

/** Half of the requests of a run: two test files share them, so that they run at once. */
export async function checkHalf(half: 1 | 2, to: TestService): Promise<void> {
  const probe = new Probe(to);
  const startBytes = heldBytes();
  let mostBytes = startBytes;
  let cases = 0;
  const property = fc.asyncProperty(drawnRequest, async (sent) => {
    await probe.send(sent);
    cases += 1;
    if (cases % SAMPLE_EVERY === 0) mostBytes = Math.max(mostBytes, heldBytes());
  });
  await fc.assert(property, { numRuns: CASES_OF_HALF, seed: FAULTS_SEED + half });
  probe.close();
  const seen = [...probe.statuses].sort().map(([status, count]) => `${count} × ${status}`);
  const grownBytes = mostBytes - startBytes;
  const wrong = grownBytes < MAX_GROWTH_BYTES ? [] : [`What is held grew by ${grownBytes} bytes.`];
  report(
    `hostile input gets a 4xx or is stored faithfully, half ${half}`,
    CASES_OF_HALF,
    wrong.length,
    `${seen.join(', ')}, held ${Math.round(grownBytes / 1024 / 1024)} MiB more`,
  );
  expect(wrong).toEqual([]);
}

function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
