/** What callers give to `upsertAll` and `deleteAll`, and what they get. */
import type { RejectedElement, Warning } from '../contract';

/** Rows of any number: they are read as they are sent, so that memory does not grow with them. */
export type Rows<T> = Iterable<T> | AsyncIterable<T> | ReadableStream<T>;

export interface FeedOptions<T> {
  /**
   * `skip`: an invalid element is left out and the others of its request are done. Without it, a request with an
   * invalid element is refused as a whole: none of its elements is stored, and all of them are rejected. Other requests
   * go on.
   */
  readonly onInvalid?: 'skip' | undefined;
  /** Checks everything and stores nothing. `created` and `updated` say what would be. */
  readonly validateOnly?: boolean | undefined;
  /** Called after each request with what is acknowledged so far. */
  readonly onProgress?: ((progress: FeedProgress) => void) | undefined;
  /** Called for every rejected element, with the row as it was given. The feed waits for it. */
  readonly onRejected?: ((rejected: RejectedElement, row: T) => void | Promise<void>) | undefined;
  /** Ends the feed with an `AbortedError`, whose `result` is what was acknowledged. */
  readonly signal?: AbortSignal | undefined;
}

/** What is acknowledged so far. `accepted` and `rejectedCount` together are the elements that are accounted for. */
export interface FeedProgress {
  /** Elements that are stored; of `deleteAll`, that are durable; with `validateOnly`, that are valid. */
  readonly accepted: number;
  /** Elements that are not. */
  readonly rejectedCount: number;
  /** So many elements from the first one on are all accounted for: a feed that ended early is continued there. */
  readonly settled: number;
  /** Requests that were sent, retries among them. */
  readonly requests: number;
  readonly retries: number;
}

export interface FeedResult extends FeedProgress {
  /** Records that were created, and records that were there already. Both are 0 for deletions. */
  readonly created: number;
  readonly updated: number;
  /** Rejected elements by their index in the whole input, at most 1,000; `rejectedCount` counts all. */
  readonly rejected: readonly RejectedElement[];
  /** Fields that are not known and so were not stored, such as a misspelt `EmailOptIn`: at most 20. */
  readonly ignoredFields: readonly string[];
  /** What was accepted and probably not meant. Examples have the index in the whole input. */
  readonly warnings: readonly Warning[];
}
