import type { Clock } from '../clock';
import type { Deadline } from '../deadline';
import type { DocumentChange, DocumentStore, Transaction } from '../documents/document-store';
import type { Tenant } from '../domain/tenant';
import type { EventPublisher } from '../events/event-publisher';
import type { Random } from '../random';
import type { RaisedFlag } from './pending-flag';

export interface AcceptanceDependencies {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly publisher: EventPublisher;
  /** The topic of `deletion-consumer`. */
  readonly deletionsTopic: string;
}

/** What accepting some deletions writes. */
export interface Entries {
  readonly writes: readonly DocumentChange[];
  /** Ids of what is pending by them. */
  readonly deletionIds: readonly string[];
  /** Deletions that one commit takes, from the first on; one at least. */
  readonly taken: number;
  /** Whether the flag must say that there are wide deletions. */
  readonly needsWideFlag: boolean;
}

/** What the deletions of one commit have in common. */
export interface AcceptanceContext {
  readonly tenant: Tenant;
  readonly flag: RaisedFlag;
  /** In which they are accepted: what it reads is still so then. */
  readonly transaction: Transaction;
  /** Whether others may be pending for the same records: a commit before, which assumed that none is, failed. */
  readonly mayBePending: boolean;
  readonly deadline: Deadline;
  readonly dependencies: AcceptanceDependencies;
}
