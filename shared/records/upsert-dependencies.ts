import type { RecordDependencies } from '../workspace/record-dependencies';
import type { MergeTurns } from './merge-turns';
import type { PresenceGuess } from './presence-guess';

/** What upserts need beside reading and writing records. */
export interface UpsertDependencies extends RecordDependencies {
  readonly presence: PresenceGuess;
  readonly turns: MergeTurns;
}
