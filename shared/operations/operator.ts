import type { AuditMeans, Sealed } from '../audit/audit-log';
import type { Config } from '../config';
import type { DocumentReads, DocumentStore } from '../documents/document-store';
import type { Authority } from '../domain/key-authority';
import type { DeadLetterQueue } from '../events/dead-letter-queue';
import type { EventPublisher } from '../events/event-publisher';
import type { TopicGrants } from '../events/topic-grants';
import type { ObjectRemoval, ObjectStorage } from '../transfers/object-storage';
import type { ScheduledJobs, TransferScheduler } from '../transfers/transfer-scheduler';

/** Messages of a use case that is under way. */
export interface Messages {
  /** Reports progress. The receiver may drop messages. */
  readonly progress: (message: string) => void;
  /** Says what the operator must not miss. The hint names a command, as that of an `OperatorError`. */
  readonly notice: (message: string, hint?: string) => void;
}

/** Recurring jobs as an operator sees them. */
export type OperatorJobs = ScheduledJobs & Pick<TransferScheduler, 'remove'>;

/** What operators' acts work with. A use case gets it for an act of the audit log alone (`audit/audit-log.ts`). */
export interface OperatorMeans extends AuditMeans, Messages {
  readonly config: Config;
  readonly store: DocumentStore;
  /** Opens another database of the same project. */
  readonly database: (databaseId: string) => DocumentStore;
  readonly deadLetters: DeadLetterQueue;
  /** Publishes to the topics of `config`. */
  readonly publisher: EventPublisher;
  /** Of the topics of `config`. */
  readonly topicGrants: TopicGrants;
  /** Tenants' buckets, and the bucket of reports, from which objects are removed, too. */
  readonly storage: ObjectStorage & ObjectRemoval;
  readonly jobs: OperatorJobs;
  readonly authority: 'operator';
}

/** The dependencies of operators' use cases: they read. What changes something is sealed. */
export interface Operator
  extends
    Messages,
    Pick<OperatorMeans, 'config' | 'clock' | 'random' | 'deadline' | 'authority'>,
    Sealed<OperatorMeans> {
  readonly store: DocumentReads;
  readonly deadLetters: Pick<DeadLetterQueue, 'pull' | 'release'>;
  readonly storage: Pick<ObjectStorage, 'list' | 'find' | 'read'>;
  readonly jobs: ScheduledJobs;
}

/** The dependencies of the use cases of keys, for an operator or for whoever has signed in with a key. */
export interface KeyKeeper
  extends Pick<Operator, 'store' | 'random' | 'clock' | 'deadline' | 'notice'>, Sealed<AuditMeans> {
  readonly authority: Authority;
}
