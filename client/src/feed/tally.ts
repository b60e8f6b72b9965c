import type { RejectedElement, Warning } from '../contract';
import type { Outcome, Rejection } from './delivery';
import type { FeedOptions, FeedProgress, FeedResult } from './feed-types';

/** What a result keeps of an input without end. The service keeps as many of a request. */
const MAX_REJECTED = 1_000;
const MAX_IGNORED_FIELDS = 20;
const MAX_WARNING_EXAMPLES = 5;

/** The account of a feed: what is acknowledged. Its size does not grow with the input. */
export class Tally<T> {
  /** So many elements from the first one on are all accounted for. */
  settled = 0;
  requests = 0;
  retries = 0;
  #accepted = 0;
  #created = 0;
  #updated = 0;
  #rejectedCount = 0;
  readonly #rejected: RejectedElement[] = [];
  readonly #ignoredFields = new Set<string>();
  readonly #warnings = new Map<string, Warning>();
  readonly #onRejected: FeedOptions<T>['onRejected'];

  constructor(onRejected: FeedOptions<T>['onRejected']) {
    this.#onRejected = onRejected;
  }

  /** Counts what an answer says. Whom it rejects is told by `reject`. */
  count(outcome: Outcome<T>): void {
    this.#accepted += outcome.accepted;
    this.#created += outcome.created;
    this.#updated += outcome.updated;
    this.#rejectedCount += outcome.rejected.length + outcome.unnamed;
    for (const field of outcome.ignoredFields) {
      if (this.#ignoredFields.size < MAX_IGNORED_FIELDS) this.#ignoredFields.add(field);
    }
    for (const warning of outcome.warnings) this.#warn(warning);
  }

  countUnsent(elements: number): void {
    this.#rejectedCount += elements;
  }

  /** Keeps the first rejections, and tells the caller of all. */
  async reject(rejections: readonly Rejection<T>[]): Promise<void> {
    for (const { element, ...why } of rejections) {
      const rejected = { index: element.index, ...why } as RejectedElement;
      if (this.#rejected.length < MAX_REJECTED) this.#rejected.push(rejected);
      await this.#onRejected?.(rejected, element.row as T);
    }
  }

  toProgress(): FeedProgress {
    const { settled, requests, retries } = this;
    return { accepted: this.#accepted, rejectedCount: this.#rejectedCount, settled, requests, retries };
  }

  toResult(): FeedResult {
    return {
      ...this.toProgress(),
      created: this.#created,
      updated: this.#updated,
      rejected: this.#rejected.toSorted((a, b) => a.index - b.index),
      ignoredFields: [...this.#ignoredFields],
      warnings: [...this.#warnings.values()],
    };
  }

  #warn(warning: Warning): void {
    const before = this.#warnings.get(warning.code);
    const examples = [...(before?.examples ?? []), ...warning.examples].slice(0, MAX_WARNING_EXAMPLES);
    this.#warnings.set(warning.code, { ...warning, count: warning.count + (before?.count ?? 0), examples });
  }
}
