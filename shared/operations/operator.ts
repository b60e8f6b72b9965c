import type { Config } from '../config';
import type { DocumentStore } from '../documents/document-store';
import type { DeadLetterQueue } from '../events/dead-letter-queue';
import type { Clock } from '../platform/clock';
import type { Deadline } from '../platform/deadline';
import type { Random } from '../platform/random';

/** Messages of a use case that is under way. */
export interface Messages {
  /** Reports progress. The receiver may drop messages. */
  readonly progress: (message: string) => void;
  /** Says what the operator must not miss. */
  readonly notice: (message: string) => void;
}

/** The dependencies of operators' use cases. */
export interface Operator extends Messages {
  readonly config: Config;
  readonly store: DocumentStore;
  /** Opens another database of the same project. */
  readonly database: (databaseId: string) => DocumentStore;
  readonly deadLetters: DeadLetterQueue;
  readonly clock: Clock;
  readonly random: Random;
  /** A fresh deadline for one step of the work. */
  readonly deadline: () => Deadline;
}
