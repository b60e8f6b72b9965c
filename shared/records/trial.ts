/** Upserts that are tried out: planned and run as always, on a store that writes nothing. */
import { TrialStore } from '../documents/trial-store';
import type { Tenant } from '../domain/tenant';
import { MAX_TRIALS, MAX_TRIALS_OF_ORGANIZATION, TRIALS_AT_ONCE } from '../limits/records';
import { ConcurrencyLimit } from '../platform/async/concurrency-limit';
import type { Deadline } from '../platform/deadline';
import { ContentionTimeout } from '../workspace/retry-conflicts';
import { MergeQueue } from './merge-queue';
import type { UpsertDependencies } from './upsert-dependencies';

/** As many trials run and wait as may. */
export class TooManyTrials extends Error {
  override readonly name = 'TooManyTrials';

  /** @param isOwnLimit whether it is the limit of one organization, or that of the instance */
  constructor(readonly isOwnLimit: boolean) {
    super('Too many trials run and wait.');
  }
}

/** Limits the trials in the memory of this process, whichever requests they are for. */
const running = new ConcurrencyLimit(TRIALS_AT_ONCE);

/** The organizations of the trials that run and wait. */
const organizations: string[] = [];

/**
 * The dependencies of one trial. It predicts what the upsert would predict, and teaches the instance nothing. It has a
 * merge queue of its own, because it conflicts with nobody.
 */
export function trialDependencies(dependencies: UpsertDependencies): UpsertDependencies {
  const { store, clock, random, presencePredictor } = dependencies;
  return {
    store: new TrialStore(store, clock),
    clock,
    random,
    presencePredictor: {
      predict: (tenantId, path) => presencePredictor.predict(tenantId, path),
      learn: () => undefined,
    },
    mergeQueue: new MergeQueue(),
  };
}

/** Runs a trial when it is its turn. @throws TooManyTrials; ContentionTimeout where its turn comes too late */
export async function runTrial<T>({ organizationId }: Tenant, deadline: Deadline, trial: () => Promise<T>): Promise<T> {
  const own = organizations.filter((each) => each === organizationId);
  if (own.length >= MAX_TRIALS_OF_ORGANIZATION) throw new TooManyTrials(true);
  if (organizations.length >= MAX_TRIALS) throw new TooManyTrials(false);
  organizations.push(organizationId);
  try {
    return await running.run(async () => {
      if (deadline.remainingMs() === 0) throw new ContentionTimeout('A batch was not checked in time.');
      return trial();
    });
  } finally {
    organizations.splice(organizations.indexOf(organizationId), 1);
  }
}
