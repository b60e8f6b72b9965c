/** Upserts that are tried out: planned and run as always, on a store that writes nothing. */
import { TrialStore } from '../documents/trial-store';
import { TRIALS_AT_ONCE } from '../limits/records';
import { ConcurrencyLimit } from '../platform/async/concurrency-limit';
import type { Deadline } from '../platform/deadline';
import { ContentionTimeout } from '../workspace/retry-conflicts';
import type { UpsertDependencies } from './upsert-dependencies';

/** Limits the trials in the memory of this process, whichever requests they are for. */
const trials = new ConcurrencyLimit(TRIALS_AT_ONCE);

/** The dependencies of one trial. It predicts what the upsert would predict, and teaches the instance nothing. */
export function trialDependencies(dependencies: UpsertDependencies): UpsertDependencies {
  const { store, clock, random, presencePredictor, mergeQueue } = dependencies;
  return {
    store: new TrialStore(store, clock),
    clock,
    random,
    presencePredictor: {
      predict: (tenantId, path) => presencePredictor.predict(tenantId, path),
      learn: () => undefined,
    },
    mergeQueue,
  };
}

/** Runs a trial when it is its turn. @throws ContentionTimeout where its turn comes too late */
export function runTrial<T>(deadline: Deadline, trial: () => Promise<T>): Promise<T> {
  return trials.run(async () => {
    if (deadline.remainingMs() === 0) throw new ContentionTimeout('A batch was not checked in time.');
    return trial();
  });
}
