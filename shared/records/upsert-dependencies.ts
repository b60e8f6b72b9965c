import type { RecordDependencies } from '../workspace/record-dependencies';
import type { MergeQueue } from './merge-queue';
import type { PresencePredictor } from './presence-predictor';

/** What upserts need beside reading and writing records. */
export interface UpsertDependencies extends RecordDependencies {
  readonly presencePredictor: PresencePredictor;
  readonly mergeQueue: MergeQueue;
}
