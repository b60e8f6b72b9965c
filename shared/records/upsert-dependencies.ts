import type { RecordDependencies } from '../workspace/record-dependencies';
import type { MergeQueue } from './merge-queue';
import type { PresencePredictor } from './presence-predictor';

/** The dependencies of upserts. */
export interface UpsertDependencies extends RecordDependencies {
  readonly presencePredictor: Pick<PresencePredictor, 'predict' | 'learn'>;
  readonly mergeQueue: MergeQueue;
}
