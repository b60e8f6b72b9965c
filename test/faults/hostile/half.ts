import * as fc from 'fast-check';
import type { TestService } from '../../support/test-service';
import { FAULTS_SEED, ofTier, report } from '../tier';
import { drawnRequest } from './drawn-request';
import { Probe } from './probe';

const CASES_OF_HALF = ofTier(2_500, 100_000);
/** The largest body takes 16 MiB, and its parsed values a multiple of that. */
const MAX_GROWTH_BYTES = 700 * 1024 * 1024;
const SAMPLE_EVERY = 100;

/** Half of the requests of a run: two test files share them, so that they run at once. */
export async function holdHalf(half: 1 | 2, to: TestService): Promise<void> {
  const probe = new Probe(to);
  const startBytes = process.memoryUsage().rss;
  let mostBytes = startBytes;
  let cases = 0;
  const property = fc.asyncProperty(drawnRequest, async (sent) => {
    await probe.send(sent);
    cases += 1;
    if (cases % SAMPLE_EVERY === 0) mostBytes = Math.max(mostBytes, process.memoryUsage().rss);
  });
  await fc.assert(property, { numRuns: CASES_OF_HALF, seed: FAULTS_SEED + half });
  probe.close();
  const seen = [...probe.statuses].sort().map(([status, count]) => `${count} × ${status}`);
  const wrong =
    mostBytes - startBytes < MAX_GROWTH_BYTES ? [] : [`The memory grew by ${mostBytes - startBytes} bytes.`];
  report(
    `hostile input gets a 4xx or is stored faithfully, half ${half}`,
    CASES_OF_HALF,
    wrong.length,
    seen.join(', '),
  );
  expect(wrong).toEqual([]);
}
