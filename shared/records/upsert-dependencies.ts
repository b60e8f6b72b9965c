import type { RecordDependencies } from '../workspace/record-dependencies';
import type { MergeQueue } from './merge-queue';
import type { PresenceGuess } from './presence-guess';

/** What upserts need beside reading and writing records. */
export interface UpsertDependencies extends RecordDependencies {
  readonly presence: PresenceGuess;
  readonly turns: MergeQueue;
}
