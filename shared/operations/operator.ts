import type { Config } from '../config';
import type { DocumentStore } from '../documents/document-store';
import type { DeadLetterQueue } from '../events/dead-letter-queue';
import type { Clock } from '../platform/clock';
import type { Deadline } from '../platform/deadline';
import type { Random } from '../platform/random';

/** What long work says while it goes on. */
export interface Messages {
  /** How far it is: some of many messages are enough. */
  readonly progress: (message: string) => void;
  /** What the operator must not miss. */
  readonly notice: (message: string) => void;
}

/** What operators' use cases work with. */
export interface Operator extends Messages {
  readonly config: Config;
  readonly store: DocumentStore;
  /** Another database of the same project. */
  readonly database: (databaseId: string) => DocumentStore;
  readonly deadLetters: DeadLetterQueue;
  readonly clock: Clock;
  readonly random: Random;
  /** A fresh deadline for one step of the work. */
  readonly deadline: () => Deadline;
}
