/**
 * A feed: rows of any number, in chunks, some of which are under way at once. Chunks that may be about the same record
 * are sent one after the other, in the order of the input (D-07).
 */
import { FeedError, IngestionError } from '../errors';
import { abortedBy, sleep } from '../http/platform';
import type { Transport } from '../http/transport';
import { Chunk } from './chunk';
import type { BatchData, SendBatch } from './delivery';
import { outcomesOf, unnamedOf, unsent } from './delivery';
import { toElement } from './element';
import type { FeedOptions, FeedResult, Rows } from './feed-types';
import type { Keys } from './identity';
import { iteratorOf } from './rows';
import { Tally } from './tally';

/**
 * For so long the service may still be at work on a request whose answer was lost: it promises one within this time.
 * Meanwhile its repeat may be answered, and what came next about the same record would be overwritten by the first.
 */
const LONGEST_WORK_MS = 30_000;

export interface FeedTarget {
  readonly path: string;
  readonly maxElements: number;
  /** Which records an element may be about. */
  readonly keysOf: (element: Readonly<Record<string, unknown>>) => Keys;
}

/**
 * Sends all rows. Resolves when each is accounted for.
 * @throws IngestionError when the feed has to end early; its `result` is what was acknowledged. TypeError when the rows
 * are nothing to iterate over
 */
export function runFeed<T>(
  transport: Transport,
  target: FeedTarget,
  rows: Rows<T>,
  options: FeedOptions<T>,
): Promise<FeedResult> {
  return new Feed(transport, target, options).run(rows);
}

class Feed<T> {
  readonly #transport: Transport;
  readonly #target: FeedTarget;
  readonly #options: FeedOptions<T>;
  readonly #tally: Tally<T>;
  readonly #sending = new Map<Chunk<T>, Promise<void>>();
  /** Chunks that are accounted for, while a lost request of theirs may still be worked on. */
  readonly #lingering = new Map<Chunk<T>, Promise<void>>();
  /** Chunks that were begun and are not accounted for, in the order of the input. */
  readonly #unsettled = new Set<Chunk<T>>();
  #begun = 0;
  #failure: IngestionError | undefined;
  /** Ends requests. */
  readonly #abort = new AbortController();
  /** Ends waits: of chunks that would be tried again, and of those that linger. */
  readonly #patience = new AbortController();

  constructor(transport: Transport, target: FeedTarget, options: FeedOptions<T>) {
    this.#transport = transport;
    this.#target = target;
    this.#options = options;
    this.#tally = new Tally(options.onRejected);
  }

  async run(rows: Rows<T>): Promise<FeedResult> {
    const { signal } = this.#options;
    const iterator = iteratorOf(rows);
    let end: (() => void) | undefined;
    const failed = new Promise<void>((resolve) => (end = resolve));
    this.#patience.signal.addEventListener('abort', () => end?.());
    const abort = () => {
      this.#fail(abortedBy(signal));
      this.#abort.abort();
    };
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    try {
      // A source that gives nothing must not keep a feed that has failed.
      await Promise.race([this.#sendAll(iterator).catch((error: unknown) => this.#fail(error)), failed]);
      await Promise.all(this.#sending.values());
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#patience.abort();
    }
    if (!this.#failure) return this.#tally.toResult();
    void Promise.resolve(iterator.return?.()).catch(() => undefined); // it may wait for its source
    this.#failure.result = this.#tally.toResult();
    throw this.#failure;
  }

  async #sendAll(iterator: Iterator<T> | AsyncIterator<T>): Promise<void> {
    const { maxElements, keysOf } = this.#target;
    const keepsRow = this.#options.onRejected !== undefined;
    let chunk = new Chunk<T>(0, maxElements);
    for (let index = 0; ; index += 1) {
      const next = await iterator.next();
      if (this.#failure) return;
      if (next.done) break;
      const element = toElement(index, next.value, keysOf, keepsRow);
      if (!chunk.hasRoomFor(element)) {
        await this.#begin(chunk);
        chunk = new Chunk<T>(index, maxElements);
      }
      chunk.add(element);
    }
    if (!chunk.isEmpty) await this.#begin(chunk);
    await Promise.all(this.#sending.values());
  }

  /** Begins to send a chunk as soon as it may be under way. */
  async #begin(chunk: Chunk<T>): Promise<void> {
    while (!this.#failure && this.#mustWait(chunk)) {
      await Promise.race([...this.#sending.values(), ...this.#lingering.values()]);
    }
    if (this.#failure) return;
    this.#begun = chunk.start + chunk.elements.length;
    this.#unsettled.add(chunk);
    const sent = this.#send(chunk).catch((error: unknown) => this.#fail(error));
    this.#sending.set(
      chunk,
      sent.finally(() => this.#sending.delete(chunk)),
    );
  }

  #mustWait(chunk: Chunk<T>): boolean {
    if (this.#sending.size >= this.#transport.concurrency) return true;
    return [...this.#sending.keys(), ...this.#lingering.keys()].some((other) => chunk.mayMeet(other));
  }

  async #send(chunk: Chunk<T>): Promise<void> {
    const { onInvalid, validateOnly = false, onProgress } = this.#options;
    let lostAtMs: number | undefined;
    const onLost = () => (lostAtMs = this.#transport.platform.nowMs());
    const send = this.#sender({ onInvalid, validateOnly: validateOnly ? 'true' : undefined }, onLost);
    const check = this.#sender({ onInvalid: 'skip', validateOnly: 'true' }, () => undefined);
    const sendable = chunk.elements.filter(({ json }) => json !== undefined);
    for await (const outcome of outcomesOf(sendable, send, onInvalid === 'skip')) {
      this.#tally.count(outcome);
      await this.#tally.reject(outcome.rejected);
      for await (const rejections of unnamedOf(outcome, check)) await this.#tally.reject(rejections);
    }
    this.#tally.countUnsent(chunk.elements.length - sendable.length);
    await this.#tally.reject(chunk.elements.flatMap(unsent));
    chunk.elements = [];
    this.#settle(chunk);
    if (lostAtMs !== undefined) this.#linger(chunk, lostAtMs);
    onProgress?.(this.#tally.toProgress());
  }

  #sender(query: Readonly<Record<string, string | undefined>>, lost: () => void): SendBatch {
    const observer = {
      sent: () => void (this.#tally.requests += 1),
      retried: () => void (this.#tally.retries += 1),
      lost,
    };
    return (body) =>
      this.#transport.send<BatchData>({
        method: 'POST',
        path: this.#target.path,
        query,
        body,
        signal: this.#abort.signal,
        patience: this.#patience.signal,
        observer,
      });
  }

  #settle(chunk: Chunk<T>): void {
    this.#unsettled.delete(chunk);
    const [first] = this.#unsettled;
    this.#tally.settled = first?.start ?? this.#begun;
  }

  #linger(chunk: Chunk<T>, lostAtMs: number): void {
    const { platform } = this.#transport;
    const waitMs = lostAtMs + LONGEST_WORK_MS - platform.nowMs();
    if (waitMs <= 0) return;
    const waited = sleep(platform, waitMs, this.#patience.signal).catch(() => undefined);
    this.#lingering.set(
      chunk,
      waited.then(() => void this.#lingering.delete(chunk)),
    );
  }

  /** Ends the feed: the first failure is its error. Requests that are under way still come to their end. */
  #fail(error: unknown): void {
    this.#failure ??=
      error instanceof IngestionError
        ? error
        : new FeedError(`The feed ended: ${error instanceof Error ? error.message : String(error)}`, {}, error);
    this.#patience.abort();
  }
}
