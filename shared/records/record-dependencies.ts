import type { Clock } from '../clock';
import type { DocumentStore } from '../documents/document-store';
import type { Random } from '../random';

/** What reading and writing records needs. */
export interface RecordDependencies {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly random: Random;
}
