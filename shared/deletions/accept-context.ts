import type { Clock } from '../platform/clock';
import type { Deadline } from '../platform/deadline';
import type { DocumentChange, DocumentStore, Transaction } from '../documents/document-store';
import type { Tenant } from '../domain/tenant';
import type { EventPublisher } from '../events/event-publisher';
import type { Random } from '../platform/random';
import type { PendingFlag } from './pending-flag';

export interface AcceptanceDependencies {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly publisher: EventPublisher;
  /** The topic of `deletion-consumer`. */
  readonly deletionsTopic: string;
}

/** What accepting some deletions writes. */
export interface AcceptanceWrites {
  readonly writes: readonly DocumentChange[];
  /** Ids of what is pending by them. */
  readonly deletionIds: readonly string[];
  /** Deletions that one commit takes, from the first on; one at least. */
  readonly acceptedCount: number;
  /** Whether there are wide deletions among them. */
  readonly hasWide: boolean;
}

/** What has to be done before deletions can be accepted, outside of their transaction: it holds locks. */
export interface Prerequisites {
  /** The flag must say that there are wide deletions. */
  readonly needsWideFlag?: boolean;
  /** Very many customers are looked up, which takes a turn. */
  readonly needsLargeLookup?: boolean;
  /** Pending deletions that nothing can be added to are applied first. */
  readonly pending?: readonly string[] | undefined;
}

/** What accepting deletions writes, or why it writes nothing yet. */
export type AcceptancePlan = { readonly entries: AcceptanceWrites } | { readonly obstacle: Prerequisites };

/** What the deletions of one commit have in common. */
export interface AcceptanceContext {
  readonly tenant: Tenant;
  readonly flag: PendingFlag;
  /** In which they are accepted: what it reads is still so then. */
  readonly transaction: Transaction;
  /** Whether others may be pending for the same records: a commit before, which assumed that none is, failed. */
  readonly mayBePending: boolean;
  /** Whether very many customers may be looked up. */
  readonly allowsLargeLookup: boolean;
  readonly deadline: Deadline;
  readonly dependencies: AcceptanceDependencies;
}
