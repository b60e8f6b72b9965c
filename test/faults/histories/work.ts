/** What happens in a history, as plain values: fast-check prints and shrinks them. */
import type { RecordKind } from '../../../shared/domain/identity';

/** A customer as it is sent: an absent field is omitted, null clears it. */
export interface SentCustomer {
  readonly Email?: string | null;
  readonly CustomerId?: string | null;
  readonly Name?: string | null;
  readonly EmailOptin?: boolean | null;
  /** Of a row of a file: it deletes, as of the file's time. */
  readonly deletes?: true;
}

/** An order with items, or a product with variants, as far as histories tell them apart. */
export interface SentCompound {
  readonly id: string;
  /** A field of its own. */
  readonly value?: string | null;
  readonly parts: readonly { readonly id: string; readonly amount: number }[];
  /** Of a row of a file: it deletes the record, or the part of this id, as of the file's time. */
  readonly deletes?: 'record' | { readonly part: string };
}

export type CompoundKind = Exclude<RecordKind, 'customers'>;

export type Sent =
  | { readonly kind: 'customers'; readonly records: readonly SentCustomer[] }
  | { readonly kind: CompoundKind; readonly records: readonly SentCompound[] };

export type Work =
  /** One record, as one request. */
  | { readonly do: 'upsert'; readonly sent: Sent }
  | { readonly do: 'deleteCustomer'; readonly email: string | null; readonly customerId: string | null }
  | { readonly do: 'deleteCompound'; readonly kind: CompoundKind; readonly id: string }
  | { readonly do: 'deletePart'; readonly kind: CompoundKind; readonly id: string; readonly part: string }
  /** A file that was written `age` commands ago and is read now. */
  | { readonly do: 'file'; readonly sent: Sent; readonly age: number };

/** Delivers a waiting message, some times in a row. */
export interface Delivery {
  readonly do: 'deliver';
  readonly index: number;
  readonly times: number;
}

/** Looks after what was left behind: lowers flags, and asks for what is overdue. */
export interface Sweep {
  readonly do: 'sweep';
}

/** What goes wrong while work is done; calls are those of the database and of Pub/Sub, from 1. */
export interface Trouble {
  /** The process ends at this call: before it has an effect, or after. */
  readonly crash?: { readonly call: number; readonly when: 'before' | 'after' };
  /**
   * Something else is done, to its end, before this call; or, when its answer is lost, after it has had its effect and
   * before it is sent again.
   */
  readonly meanwhile?: {
    readonly call: number;
    readonly work: Work | Delivery | Sweep;
    readonly isAnswerLost: boolean;
  };
  /** The clock of the process is wrong by so much. */
  readonly skewMs: number;
}

/** What plain histories are made of. */
export type PlainWork = 'requests' | 'requests and files' | 'deletions and files';
