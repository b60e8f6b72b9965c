import type { Clock } from '../platform/clock';
import type { DocumentStore } from '../documents/document-store';
import type { Random } from '../platform/random';
import type { MergeTurns } from '../records/merge-turns';
import type { PresenceGuess } from '../records/presence-guess';

/** What reading and writing records needs. */
export interface RecordDependencies {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly random: Random;
}

/** What upserts need beside it. */
export interface UpsertDependencies extends RecordDependencies {
  readonly presence: PresenceGuess;
  readonly turns: MergeTurns;
}
