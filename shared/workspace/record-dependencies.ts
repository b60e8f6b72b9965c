import type { Clock } from '../platform/clock';
import type { DocumentStore } from '../documents/document-store';
import type { Random } from '../platform/random';

/** What reading and writing records needs. */
export interface RecordDependencies {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly random: Random;
}
