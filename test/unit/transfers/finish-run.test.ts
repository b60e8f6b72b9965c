/** Runs of so many files that reading their documents takes longer than any one call of the database may. */
import type { Deadline } from '../../../shared/deadline';
import { runFilePath, runPath } from '../../../shared/documents/paths';
import { REQUEST_DEADLINE_MS } from '../../../shared/domain/limits';
import { failRun, finishRunIfDone } from '../../../shared/transfers/finish-run';
import { fromRunDocument } from '../../../shared/transfers/run';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { withMethods } from '../../support/overriding';
import { CollectingLogger } from '../../support/recording-fakes';
import { SeededRandom } from '../../support/seeded-random';

const RUN = 'run';
const FILES = 3_000;
const ROWS = { read: 2, stored: 1, invalid: 0, stale: 1 };

/** What the steps of a run have; each call takes a quarter of the time that it has at most. */
async function slowDatabase(status: 'finished' | 'pending') {
  const clock = new FixedClock();
  const memory = new MemoryDocumentStore(clock);
  const files = Array.from({ length: FILES }, (_, index) => ({
    set: runFilePath(RUN, String(index)),
    data: { status, rows: ROWS },
  }));
  await memory.writeEach(files);
  await memory.commit([{ set: runPath(RUN), data: { status: 'running', isPlanned: true } }]);
  const store = withMethods(memory, (method) => (...args) => {
    clock.advance(REQUEST_DEADLINE_MS / 4);
    const deadline = args.at(-1) as Deadline;
    return deadline.remainingMs() > 0 ? method(...args) : Promise.reject(new Error('The time is over.'));
  });
  const ended = async () => fromRunDocument((await memory.get(runPath(RUN)))!);
  return { dependencies: { store, clock, random: new SeededRandom(), logger: new CollectingLogger() }, ended };
}

const rows = { read: 2 * FILES, stored: FILES, invalid: 0, stale: FILES };

it('a run of many files ends with the sums of all', async () => {
  const { dependencies, ended } = await slowDatabase('finished');
  await finishRunIfDone(RUN, dependencies);
  const files = { found: FILES, finished: FILES, skipped: 0, failed: 0 };
  expect(await ended()).toMatchObject({ status: 'succeeded', files, rows });
});

it('a run of many files fails with the sums so far', async () => {
  const { dependencies, ended } = await slowDatabase('pending');
  await failRun(RUN, 'No access.', dependencies);
  const files = { found: FILES, finished: 0, skipped: 0, failed: 0 };
  expect(await ended()).toMatchObject({ status: 'failed', error: 'No access.', files, rows });
});
