import type { Clock } from '../../platform/clock';
import type { Deadline } from '../../platform/deadline';
import type { DocumentChange, DocumentStore } from '../../documents/document-store';
import type { Tenant } from '../../domain/tenant';
import type { EventPublisher } from '../../events/event-publisher';
import type { Random } from '../../platform/random';
import type { LookupReads } from '../../workspace/customer-lookup';
import type { TargetedCustomer } from '../pending-deletions';
import type { FlagNeeds } from '../pending-flag';

export interface AcceptanceDependencies {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly publisher: EventPublisher;
  /** The topic of `deletion-consumer`. */
  readonly deletionsTopic: string;
}

/** The deletions that one commit accepts, and its writes. */
export interface Acceptance {
  readonly writes: readonly DocumentChange[];
  /** Ids of the entries that it writes. */
  readonly deletionIds: readonly string[];
  /** Ids of stored entries that name customers of these deletions already: their message may have been lost. */
  readonly repeatedIds?: readonly string[];
  /** Of customers: all whom these entries name. */
  readonly customers?: readonly TargetedCustomer[];
  /** How many deletions it accepts, counted from the first. At least 1. */
  readonly acceptedCount: number;
  /** Whether one of them is a wide deletion. */
  readonly hasWide: boolean;
}

/** What has to happen before deletions can be accepted. It happens outside of their transaction, which holds locks. */
export interface Prerequisites {
  /** The flag must be raised, and say what these deletions need. */
  readonly needsFlag?: FlagNeeds;
  /** The first deletion matches too many customers to be read with others. A process limits its large lookups. */
  readonly needsLargeLookup?: boolean;
  /** Ids of pending deletions that nothing can be added to: they are applied first. */
  readonly pending?: readonly string[] | undefined;
  /** Id of a wide deletion that targets the customers which the first deletion matches: it is applied first. */
  readonly wide?: string | undefined;
}

/** A commit that accepts deletions, or what has to happen before there can be one. */
export type AcceptancePlan = { readonly acceptance: Acceptance } | { readonly prerequisites: Prerequisites };

/** What the deletions of one commit share. */
export interface AcceptanceContext {
  readonly tenant: Tenant;
  /** Whether wide deletions may be pending. */
  readonly hasWide: boolean;
  /** Whether all customers are stored by the tenant's identifier (`areKeyedBy`). */
  readonly areCustomersKeyed: boolean;
  /** Of the transaction that accepts the deletions: what they have read stays unchanged until its commit. */
  readonly reads: LookupReads;
  /** Whether stored entries of the same records are read. A first attempt assumes that none exist; its commit tells. */
  readonly readsPending: boolean;
  /** Ids of entries that earlier commits of the same request have written: those are read in any case. */
  readonly written: ReadonlySet<string>;
  /** Whether this attempt may look up a deletion that matches very many customers. */
  readonly allowsLargeLookup: boolean;
  readonly deadline: Deadline;
  readonly dependencies: AcceptanceDependencies;
}
