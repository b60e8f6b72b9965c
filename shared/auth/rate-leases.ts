/**
 * Counts the requests of keys with high limits: an instance takes many places from the counter in one write, and hands
 * them out.
 *
 *     the counter's places:  1 … 40 | 41 … 90 | 91 …
 *                            A        B         C, up to the limit
 *
 * A lease of n that raises the counter to c is the places c - n + 1 to c. No place is given twice, and only those up to
 * the limit are admitted: so never more than the limit, whatever is lost. A lease ends with its minute.
 *
 * An instance makes one call for a key at a time. Requests that come meanwhile wait for it and share its answer. A call
 * that fails, or whose answer is lost, fails for all of them; its places are never used. They are let through without
 * a place (D-36), so only what such a lease had in reserve is lost.
 */
import type { ApiKeyHash } from '../domain/api-key';
import { MAX_REMEMBERED_KEYS } from '../limits/requests';
import { BoundedMap } from '../platform/bounded-map';
import type { Clock } from '../platform/clock';
import type { AdmissionStore } from './admission-store';
import { leaseSize } from './lease-size';

/** The place of a request among those of its key and minute, over all instances. */
export interface Place {
  /** From 1. Above the limit: the request is refused. */
  readonly number: number;
  /** How many places behind it this instance has left. */
  readonly reserve: number;
  /** Whether the counter was asked after the request had come: nobody else has places behind the reserve then. */
  readonly isLast: boolean;
}

/** What this instance knows of a key in a minute. */
interface Counter {
  counted: number;
  instance: number;
  /** The places `next` to `end` are left. */
  next: number;
  end: number;
  used: number;
  lost: number;
  waiting: number;
  recent: number;
  /** When the last lease was answered; before that, when the first request came. */
  leasedMs: number;
  /** Calls that were begun. */
  calls: number;
  calling: Promise<void> | undefined;
}

/** The leases of one instance. */
export class RateLeases {
  private readonly counters = new BoundedMap<string, Counter>(MAX_REMEMBERED_KEYS);

  constructor(
    private readonly store: AdmissionStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes the next place for a request. It asks the counter only when no place is left, and not when all places up to
   * the limit are known to be taken. A repeat takes another place.
   */
  async take(hash: ApiKeyHash, minute: number, limit: number): Promise<Place> {
    const counter = this.counterOf(hash, minute);
    const callsBefore = counter.calls;
    counter.waiting += 1;
    try {
      while (counter.next > counter.end) {
        if (counter.counted >= limit) return { number: counter.counted + 1, reserve: 0, isLast: true };
        counter.calling ??= this.lease(hash, minute, limit, counter).finally(() => (counter.calling = undefined));
        await counter.calling;
      }
      const number = counter.next;
      counter.next += 1;
      counter.used += 1;
      counter.recent += 1;
      return { number, reserve: counter.end - number, isLast: counter.calls > callsBefore };
    } finally {
      counter.waiting -= 1;
    }
  }

  /** Of the first `count` places of the key in the minute, how many are left in this instance. */
  reserve(hash: ApiKeyHash, minute: number, count: number): number {
    const counter = this.counters.get(entryKey(hash, minute));
    return counter ? Math.max(0, Math.min(counter.end, count) - counter.next + 1) : 0;
  }

  /** The stored counter had at least this count. */
  raiseTo(hash: ApiKeyHash, minute: number, count: number): void {
    const counter = this.counterOf(hash, minute);
    counter.counted = Math.max(counter.counted, count);
  }

  private async lease(hash: ApiKeyHash, minute: number, limit: number, counter: Counter): Promise<void> {
    const { waiting } = counter;
    const size = leaseSize(limit, { ...counter, recentMs: this.clock.nowMs() - counter.leasedMs });
    counter.calls += 1;
    try {
      const { count, instances } = await this.store.countLease(hash, minute, size, counter.instance === 0);
      if (counter.instance === 0) counter.instance = instances;
      counter.counted = Math.max(counter.counted, count);
      counter.next = count - size + 1;
      counter.end = count;
      counter.recent = 0;
      counter.leasedMs = this.clock.nowMs();
    } catch (error) {
      counter.lost += Math.max(0, size - waiting);
      throw error;
    }
  }

  private counterOf(hash: ApiKeyHash, minute: number): Counter {
    const known = this.counters.get(entryKey(hash, minute));
    if (known) return known;
    const leasedMs = this.clock.nowMs();
    const counter: Counter = {
      ...{ counted: 0, instance: 0, next: 1, end: 0, used: 0, lost: 0, waiting: 0, recent: 0, leasedMs, calls: 0 },
      calling: undefined,
    };
    this.counters.set(entryKey(hash, minute), counter);
    return counter;
  }
}

function entryKey(hash: ApiKeyHash, minute: number): string {
  return `${hash}.${minute}`;
}
