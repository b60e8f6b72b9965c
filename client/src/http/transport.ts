/**
 * Requests with their retries. Every request of the service is safe to repeat, so that whatever passes is tried again:
 * what got no answer, 408, 429 and 5xx. Each wait is drawn between nothing and a bound that doubles (full jitter), so
 * that callers who failed together do not come back together.
 */
import type { IngestionError } from '../errors';
import { NetworkError, RateLimitError, ServerError } from '../errors';
import { toData, toError } from './answers';
import { Exchange } from './exchange';
import { gzip } from './gzip';
import { Pacer } from './pacer';
import type { Platform } from './platform';
import { sleep } from './platform';

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;

/** A shorter body is sent as it is: compressing it saves nothing. */
const MIN_COMPRESSED_LENGTH = 1_024;

export interface TransportOptions {
  readonly baseUrl: string;
  readonly key: string;
  /** Requests of one feed that are under way at once. */
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly maxRetries: number;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** From the base URL on. */
  readonly path: string;
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** JSON. */
  readonly body?: string;
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
  /** Ends its waits: an attempt that is under way goes on and is the last one. */
  readonly patience?: AbortSignal | undefined;
  readonly observer?: CallObserver | undefined;
}

/** Told of every attempt. */
export interface CallObserver {
  sent(): void;
  retried(): void;
  /** The attempt has failed, and the service may still be at work on it. */
  lost(): void;
}

export class Transport {
  readonly platform: Platform;
  readonly #options: TransportOptions;
  readonly #pacer: Pacer;

  constructor(options: TransportOptions, platform: Platform) {
    this.platform = platform;
    this.#options = options;
    this.#pacer = new Pacer(platform);
  }

  get concurrency(): number {
    return this.#options.concurrency;
  }

  /** The data of the answer. @throws IngestionError of the class that says why not */
  send<T>(call: Call): Promise<T> {
    return this.#retrying(call, async (body) => {
      const { response, exchange } = await this.#open(call, body, 'application/json');
      try {
        return toData<T>(response, await exchange.within(response.text()));
      } finally {
        exchange.end();
      }
    });
  }

  /**
   * The body of an answer in pieces, without an envelope. The request is tried again until they begin.
   * @throws NetworkError also after the first pieces, where the body ends before its end
   */
  async *stream(call: Call, accept: string): AsyncGenerator<Uint8Array, void, undefined> {
    const { response, exchange } = await this.#retrying(call, (body) => this.#open(call, body, accept));
    try {
      const reader = response.body?.getReader();
      while (reader) {
        const { done, value } = await exchange.within(reader.read());
        if (done) return;
        yield value;
      }
    } finally {
      exchange.end();
    }
  }

  async #retrying<T>(call: Call, attempt: (body: Body) => Promise<T>): Promise<T> {
    const body = await toBody(call.body);
    for (let retry = 0; ; retry += 1) {
      try {
        if (retry > 0) call.observer?.retried();
        return await attempt(body);
      } catch (error) {
        if (mayStillWork(error)) call.observer?.lost();
        if (!passes(error) || retry >= this.#options.maxRetries || call.patience?.aborted) throw error;
        await this.#backOff(retry, error, call);
      }
    }
  }

  /** @throws `error` where the caller's patience ends; AbortedError where the call does */
  async #backOff(retry: number, error: IngestionError, { signal, patience }: Call): Promise<void> {
    const bound = Math.min(FIRST_BACKOFF_MS * 2 ** retry, MAX_BACKOFF_MS);
    const waitMs = this.platform.random() * bound + 1_000 * (error.retryAfterSeconds ?? 0);
    try {
      await sleep(this.platform, waitMs, patience ?? signal);
    } catch (aborted) {
      throw signal?.aborted ? aborted : error;
    }
  }

  /** Sends the request and waits until its answer begins, which is a success. The caller ends the exchange. */
  async #open(call: Call, body: Body, accept: string): Promise<{ response: Response; exchange: Exchange }> {
    const { timeoutMs, key } = this.#options;
    const exchange = new Exchange(this.platform, timeoutMs, key, call.signal);
    try {
      const response = await this.#pacer.run(() => {
        call.observer?.sent();
        return exchange.within(this.#fetch(call, body, accept, exchange.signal));
      }, call.patience ?? call.signal);
      if (response.status === 200) return { response, exchange };
      throw toError(response, await exchange.within(response.text()), this.platform.nowMs());
    } catch (error) {
      exchange.end();
      throw error;
    }
  }

  async #fetch(call: Call, { content, headers }: Body, accept: string, signal: AbortSignal): Promise<Response> {
    const { baseUrl, key } = this.#options;
    return this.platform.fetch(`${baseUrl}${call.path}${toQuery(call.query)}`, {
      method: call.method,
      headers: { ...headers, Accept: accept, 'x-service-auth-key': key },
      ...(content !== undefined && { body: content }),
      signal,
      redirect: 'manual', // the key is for the service alone
    });
  }
}

interface Body {
  readonly content?: string | ArrayBuffer;
  readonly headers: Readonly<Record<string, string>>;
}

async function toBody(json: string | undefined): Promise<Body> {
  if (json === undefined) return { headers: {} };
  const headers = { 'Content-Type': 'application/json' };
  if (json.length < MIN_COMPRESSED_LENGTH) return { content: json, headers };
  return { content: await gzip(json), headers: { ...headers, 'Content-Encoding': 'gzip' } };
}

function toQuery(query: Call['query'] = {}): string {
  const sent = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return sent.length === 0 ? '' : `?${sent.join('&')}`;
}

/** Whether the same request may succeed later. */
function passes(error: unknown): error is IngestionError {
  return error instanceof NetworkError || error instanceof RateLimitError || error instanceof ServerError;
}

/** Whether the service may still be at work on the request: what gave up was something between. */
function mayStillWork(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof ServerError && [502, 504].includes(error.status ?? 0));
}
