import type { Config } from '../config';
import type { DocumentStore } from '../documents/document-store';
import type { DeadLetterQueue } from '../events/dead-letter-queue';
import type { EventPublisher } from '../events/event-publisher';
import type { Clock } from '../platform/clock';
import type { Deadline } from '../platform/deadline';
import type { Random } from '../platform/random';
import type { ObjectRemoval, ObjectStorage } from '../transfers/object-storage';
import type { ScheduledJobs, TransferScheduler } from '../transfers/transfer-scheduler';

/** Messages of a use case that is under way. */
export interface Messages {
  /** Reports progress. The receiver may drop messages. */
  readonly progress: (message: string) => void;
  /** Says what the operator must not miss. */
  readonly notice: (message: string) => void;
}

/** Recurring jobs as an operator sees them. */
export type OperatorJobs = ScheduledJobs & Pick<TransferScheduler, 'remove'>;

/** The dependencies of operators' use cases. */
export interface Operator extends Messages {
  readonly config: Config;
  readonly store: DocumentStore;
  /** Opens another database of the same project. */
  readonly database: (databaseId: string) => DocumentStore;
  readonly deadLetters: DeadLetterQueue;
  /** Publishes to the topics of `config`. */
  readonly publisher: EventPublisher;
  /** Tenants' buckets, and the bucket of reports, from which objects are removed, too. */
  readonly storage: ObjectStorage & ObjectRemoval;
  readonly jobs: OperatorJobs;
  readonly clock: Clock;
  readonly random: Random;
  /** A fresh deadline for one step of the work. */
  readonly deadline: () => Deadline;
}
