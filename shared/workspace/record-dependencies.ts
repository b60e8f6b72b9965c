import type { Clock } from '../platform/clock';
import type { DocumentStore } from '../documents/document-store';
import type { Random } from '../platform/random';

/** The dependencies of reading and writing records. */
export interface RecordDependencies {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly random: Random;
}
