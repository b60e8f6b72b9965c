import { BoundedMap } from '../platform/bounded-map';
import type { ApiKeyHash } from '../domain/api-key';
import { MAX_REMEMBERED_KEYS } from '../limits/requests';

/** Requests of one key in one minute. */
interface Counts {
  /** Requests that this instance has received. */
  readonly seen: number;
  /** The part of `seen` that was not added to the stored counter. */
  readonly unreported: number;
  /** Requests of all instances, as the stored counter last said. */
  readonly counted: number;
}

/**
 * How many requests of a key in a minute this instance knows of: never more than there were. Once these exceed the
 * limit, the stored counter is not called any more.
 */
export class RememberedCounts {
  private readonly counts = new BoundedMap<string, Counts>(MAX_REMEMBERED_KEYS);

  /** Requests of the key in the minute; there may be more. */
  known(hash: ApiKeyHash, minute: number): number {
    const { seen, counted } = this.entry(hash, minute);
    return Math.max(seen, counted);
  }

  /** Adds a request of this instance. Returns the known number of requests, including it. */
  add(hash: ApiKeyHash, minute: number): number {
    const entry = this.entry(hash, minute);
    this.counts.set(entryKey(hash, minute), { ...entry, seen: entry.seen + 1 });
    return this.known(hash, minute);
  }

  /** Requests of the key in the minute that were not added to the stored counter. */
  unreported(hash: ApiKeyHash, minute: number): number {
    return this.entry(hash, minute).unreported;
  }

  /** A request that was added here is not added to the stored counter. */
  addUnreported(hash: ApiKeyHash, minute: number): void {
    const entry = this.entry(hash, minute);
    this.counts.set(entryKey(hash, minute), { ...entry, unreported: entry.unreported + 1 });
  }

  /** There were at least `count` requests. An older and lower count changes nothing. */
  raiseTo(hash: ApiKeyHash, minute: number, count: number): void {
    const entry = this.entry(hash, minute);
    this.counts.set(entryKey(hash, minute), { ...entry, counted: Math.max(entry.counted, count) });
  }

  private entry(hash: ApiKeyHash, minute: number): Counts {
    return this.counts.get(entryKey(hash, minute)) ?? { seen: 0, unreported: 0, counted: 0 };
  }
}

function entryKey(hash: ApiKeyHash, minute: number): string {
  return `${hash}.${minute}`;
}
