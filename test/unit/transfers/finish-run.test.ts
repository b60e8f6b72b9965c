/** Runs of so many files that reading their documents takes longer than any one call of the database may. */
import type { Deadline } from '../../../shared/platform/deadline';
import { deadlineIn } from '../../../shared/platform/deadline';
import { runFilePath, runPath } from '../../../shared/documents/paths';
import { REQUEST_DEADLINE_MS } from '../../../shared/domain/limits';
import { END_CLAIM_SECONDS } from '../../../shared/limits/transfers';
import { sumStoppedRun } from '../../../shared/transfers/runs/ended/settle-run';
import { cancelRun, failRun, finishRunIfDone } from '../../../shared/transfers/runs/finish-run';
import { fromRunDocument } from '../../../shared/transfers/runs/run';
import { PLANNING_STEP } from '../../../shared/transfers/runs/steps';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { withMethods } from '../../support/overriding';
import { CollectingLogger, RecordingPublisher } from '../../support/recording-fakes';
import { SeededRandom } from '../../support/seeded-random';

const RUN = 'run';
const FILES = 3_000;
const ROWS = { read: 2, stored: 1, invalid: 0, stale: 1, deleted: 0 };

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
  return {
    dependencies: {
      store,
      clock,
      random: new SeededRandom(),
      publisher: new RecordingPublisher(),
      logger: new CollectingLogger(),
    },
    ended,
  };
}

const rows = { read: 2 * FILES, stored: FILES, invalid: 0, stale: FILES, deleted: 0 };

it('a run of many files ends with the sums of all', async () => {
  const { dependencies, ended } = await slowDatabase('finished');
  await finishRunIfDone(RUN, 'file', dependencies);
  const files = { found: FILES, finished: FILES, skipped: 0, failed: 0 };
  expect(await ended()).toMatchObject({ status: 'succeeded', files, rows });
});

it('a run of many files fails with the sums so far', async () => {
  const { dependencies, ended } = await slowDatabase('pending');
  await failRun(RUN, 'file', 'No access.', dependencies);
  const files = { found: FILES, finished: 0, skipped: 0, failed: 0 };
  expect(await ended()).toMatchObject({ status: 'failed', error: 'No access.', files, rows });
});

it('a run that fails while other steps read has the sums of what they store after it, and is told of once (R-80)', async () => {
  const clock = new FixedClock();
  const store = new MemoryDocumentStore(clock);
  const putRead = (file: string, status: string) => ({ set: runFilePath(RUN, file), data: { status, rows: ROWS } });
  const running = { set: runPath(RUN), data: { status: 'running', isPlanned: true } };
  await store.commit([putRead('refused', 'pending'), putRead('other', 'pending'), running]);
  const logger = new CollectingLogger();
  const dependencies = { store, clock, random: new SeededRandom(), publisher: new RecordingPublisher(), logger };
  const stored = async () => fromRunDocument((await store.get(runPath(RUN)))!);
  await failRun(RUN, 'refused', 'No access.', dependencies);
  expect(await stored()).toMatchObject({ status: 'failed', files: { finished: 0 } });
  await store.commit([putRead('other', 'finished')]);
  for (const _ of [1, 2]) await finishRunIfDone(RUN, 'other', dependencies);
  expect(await stored()).toMatchObject({ status: 'failed', error: 'No access.', files: { finished: 1 } });
  expect(logger.entries.map(({ message }) => message)).toEqual(['A transfer run has ended.']);
});

const ENDS = ['finish', 'fail', 'cancel'] as const;

describe('the rows of a run that has ended', () => {
  async function endWith(counts: object, end: (typeof ENDS)[number]) {
    const clock = new FixedClock();
    const store = new MemoryDocumentStore(clock);
    await store.commit([{ set: runFilePath(RUN, 'file'), data: { status: 'finished', rows: { ...ROWS, ...counts } } }]);
    await store.commit([{ set: runPath(RUN), data: { status: 'running', isPlanned: true } }]);
    const logger = new CollectingLogger();
    const dependencies = { store, clock, random: new SeededRandom(), publisher: new RecordingPublisher(), logger };
    if (end === 'finish') await finishRunIfDone(RUN, 'file', dependencies);
    else if (end === 'fail') await failRun(RUN, 'file', 'No access.', dependencies);
    else {
      await cancelRun(RUN, deadlineIn(1_000, clock), dependencies);
      await sumStoppedRun(RUN, PLANNING_STEP, dependencies);
    }
    expect(logger.entries).toMatchObject(logger.entries.map(() => ({ details: { runId: RUN } })));
    expect(logger.entries).toContainEqual(expect.objectContaining({ message: 'A transfer run has ended.' }));
    return logger.entries.filter(({ severity }) => severity === 'ERROR');
  }

  it.each(ENDS)('are logged as an error when they do not add up (%s)', async (end) => {
    expect(await endWith({ read: 3 }, end)).toMatchObject([
      { message: 'The rows of a transfer run do not add up.', details: { rowsRead: 3, rowsStored: 1, rowsStale: 1 } },
    ]);
    expect(await endWith({ deleted: 1 }, end)).toHaveLength(1);
  });

  it.each(ENDS)('are no error when each of them is counted once (%s)', async (end) => {
    expect(await endWith({ read: 3, deleted: 1 }, end)).toEqual([]);
    expect(await endWith({}, end)).toEqual([]);
  });
});

describe('the changes of a run that has ended', () => {
  /** Ends a run of these files. */
  async function changesOf(files: readonly object[]) {
    const clock = new FixedClock();
    const store = new MemoryDocumentStore(clock);
    const writes = files.map((file, n) => ({
      set: runFilePath(RUN, String(n)),
      data: { status: 'finished', rows: ROWS, ...file },
    }));
    await store.commit([...writes, { set: runPath(RUN), data: { status: 'running', isPlanned: true } }]);
    const dependencies = {
      store,
      clock,
      random: new SeededRandom(),
      publisher: new RecordingPublisher(),
      logger: new CollectingLogger(),
    };
    await finishRunIfDone(RUN, '0', dependencies);
    return fromRunDocument((await store.get(runPath(RUN)))!).changes;
  }

  const known = { kind: 'customers', changes: { Updated: 1, EmailOptinErased: 1 } };

  it('are the sums of its files by their kinds (R-85)', async () => {
    const orders = { kind: 'orders', changes: { Created: 1 } };
    const customers = { kind: 'customers', changes: { Created: 1, EmailOptinErased: 1 } };
    expect(await changesOf([known, orders, customers])).toEqual({
      customers: { Created: 1, Updated: 1, EmailOptinErased: 2 },
      orders: { Created: 1 },
    });
  });

  it('are null where a release that did not count them has read some of the rows (R-89)', async () => {
    const rows = { ...ROWS, read: 4, stored: 3 };
    expect(await changesOf([known, { kind: 'customers' }])).toBeNull();
    expect(await changesOf([known, { ...known, rows }])).toBeNull();
  });
});

describe('the end of a run when its last files are done at once', () => {
  /** Counts the documents that are read of a run all of whose files are done. */
  async function endingRun(files: number) {
    const clock = new FixedClock();
    const memory = new MemoryDocumentStore(clock);
    const data = { status: 'finished', rows: ROWS };
    await memory.writeEach(Array.from({ length: files }, (_, n) => ({ set: runFilePath(RUN, String(n)), data })));
    await memory.commit([{ set: runPath(RUN), data: { status: 'running', isPlanned: true } }]);
    const read = { documents: 0 };
    const store = withMethods(memory, (method, name) => async (...args) => {
      await new Promise(setImmediate); // others have their turn
      const answer = await method(...args);
      if (name === 'list' || name === 'findWhere') read.documents += (answer as unknown[]).length;
      if (name === 'get') read.documents += 1;
      return answer;
    });
    const logger = new CollectingLogger();
    const dependencies = { store, clock, random: new SeededRandom(), publisher: new RecordingPublisher(), logger };
    const run = async () => fromRunDocument((await memory.get(runPath(RUN)))!);
    return { dependencies, clock, memory, read, logger, run };
  }

  /** The same, and every call from the first look at the files on fails while `isDead` says so. */
  async function dyingWorker(files: number) {
    const ending = await endingRun(files);
    const state = { isDead: true };
    const store = withMethods(
      ending.dependencies.store,
      (method, name) =>
        (...args) =>
          state.isDead && name === 'list' ? Promise.reject(new Error('The worker has died.')) : method(...args),
    );
    return { ...ending, state, dying: { ...ending.dependencies, store } };
  }

  const counts = { files: { found: 600, finished: 600, skipped: 0, failed: 0 } };

  it.each([1, 2, 4, 8])('reads each file once by %i workers, and is logged once', async (workers) => {
    const { dependencies, read, run, logger } = await endingRun(3_000);
    const steps = Array.from({ length: workers }, (_, worker) => `file-${worker}`);
    await Promise.all(steps.map((step) => finishRunIfDone(RUN, step, dependencies)));
    expect(await run()).toMatchObject({ status: 'succeeded', rows });
    expect(await run()).not.toHaveProperty('ending');
    expect(read.documents).toBeLessThan(3_000 + 4 * workers);
    expect(logger.entries).toHaveLength(1);
  });

  it.each([1, 2, 4, 8])('reads each file once by %i workers that find that it has failed', async (workers) => {
    const { dependencies, read, run, logger } = await endingRun(3_000);
    const steps = Array.from({ length: workers }, (_, worker) => `file-${worker}`);
    await Promise.all(steps.map((step) => failRun(RUN, step, 'No access.', dependencies)));
    expect(await run()).toMatchObject({ status: 'failed', rows });
    expect(read.documents).toBeLessThan(3_000 + 4 * workers);
    expect(logger.entries).toHaveLength(1);
  });

  it('goes on at once when the message of the worker that died comes again (R-112)', async () => {
    const { dying, dependencies, run } = await dyingWorker(600);
    await expect(finishRunIfDone(RUN, 'last', dying)).rejects.toThrow('died');
    await finishRunIfDone(RUN, 'other', dependencies); // leaves it to the message that comes again
    expect(await run()).toMatchObject({ status: 'running' });
    await finishRunIfDone(RUN, 'last', dependencies);
    expect(await run()).toMatchObject({ status: 'succeeded', ...counts });
  });

  it('is summed by another step when that message is lost, after a while', async () => {
    const { dying, dependencies, clock, run } = await dyingWorker(600);
    await expect(finishRunIfDone(RUN, 'last', dying)).rejects.toThrow('died');
    clock.advance(END_CLAIM_SECONDS * 1000 - 1);
    await finishRunIfDone(RUN, 'other', dependencies);
    expect(await run()).toMatchObject({ status: 'running' });
    clock.advance(1);
    await finishRunIfDone(RUN, 'other', dependencies);
    expect(await run()).toMatchObject({ status: 'succeeded', ...counts });
  });

  it('comes once when two deliveries of one message sum at once', async () => {
    const { dependencies, run, logger } = await endingRun(600);
    await Promise.all([1, 2, 3].map(() => finishRunIfDone(RUN, 'last', dependencies)));
    expect(await run()).toMatchObject({ status: 'succeeded', ...counts });
    expect(logger.entries).toHaveLength(1);
  });

  it('has failed from the first moment, and is logged once, though the worker that says so dies before it has summed', async () => {
    const { dying, dependencies, run, logger } = await dyingWorker(600);
    await expect(failRun(RUN, 'file', 'No access.', dying)).rejects.toThrow('died');
    expect(await run()).toMatchObject({ status: 'failed', error: 'No access.' });
    await failRun(RUN, 'other', 'Another reason.', dependencies); // leaves it to the message that comes again
    expect(await run()).not.toHaveProperty('files');
    await failRun(RUN, 'file', 'Another reason.', dependencies);
    await failRun(RUN, 'file', 'Another reason.', dependencies);
    expect(await run()).toMatchObject({ status: 'failed', error: 'No access.', ...counts });
    expect(logger.entries).toHaveLength(1);
  });
});
