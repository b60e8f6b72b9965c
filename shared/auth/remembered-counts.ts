import { BoundedMap } from '../platform/bounded-map';
import type { ApiKeyHash } from '../domain/api-key';
import { MAX_REMEMBERED_KEYS } from '../limits/requests';

/** Requests of one key in one minute. */
interface Counts {
  /** That this instance has seen. */
  readonly seen: number;
  /** Of them, that it has not told the counter. */
  readonly unreported: number;
  /** Over all instances, by what the counter has said. */
  readonly counted: number;
}

/**
 * How many requests of a key there were in a minute, as far as this instance knows: never more than there were. Once it
 * knows that they are too many, the counter is not asked any more.
 */
export class RememberedCounts {
  private readonly counts = new BoundedMap<string, Counts>(MAX_REMEMBERED_KEYS);

  /** Requests of the key in the minute, at least. */
  known(hash: ApiKeyHash, minute: number): number {
    const { seen, counted } = this.entry(hash, minute);
    return Math.max(seen, counted);
  }

  /** Sees one more request. Returns how many there are with it, at least. */
  add(hash: ApiKeyHash, minute: number): number {
    const entry = this.entry(hash, minute);
    this.counts.set(nameOf(hash, minute), { ...entry, seen: entry.seen + 1 });
    return this.known(hash, minute);
  }

  /** Requests of the key in the minute that the counter was not told of. */
  unreported(hash: ApiKeyHash, minute: number): number {
    return this.entry(hash, minute).unreported;
  }

  /** The counter is not told of a request that was added. */
  addUnreported(hash: ApiKeyHash, minute: number): void {
    const entry = this.entry(hash, minute);
    this.counts.set(nameOf(hash, minute), { ...entry, unreported: entry.unreported + 1 });
  }

  /** There are at least as many requests of the key in the minute. What it is told may be older than what it knows. */
  raiseTo(hash: ApiKeyHash, minute: number, count: number): void {
    const entry = this.entry(hash, minute);
    this.counts.set(nameOf(hash, minute), { ...entry, counted: Math.max(entry.counted, count) });
  }

  private entry(hash: ApiKeyHash, minute: number): Counts {
    return this.counts.get(nameOf(hash, minute)) ?? { seen: 0, unreported: 0, counted: 0 };
  }
}

function nameOf(hash: ApiKeyHash, minute: number): string {
  return `${hash}.${minute}`;
}
