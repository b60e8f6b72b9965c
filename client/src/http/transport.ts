/**
 * Requests with their retries. Every request of the service is safe to repeat, so that whatever passes is tried again:
 * what got no answer, 408, 429 and 5xx. Each wait is drawn between nothing and a bound that doubles (full jitter), so
 * that callers who failed together do not come back together.
 */
import { IngestionError, NetworkError, RateLimitError, ServerError } from '../errors';
import { toData, toError } from './answers';
import { gzip } from './gzip';
import { Pacer } from './pacer';
import type { Platform } from './platform';
import { abortedBy, sleep } from './platform';

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;

/** A smaller body is sent as it is: compressing it saves nothing. */
const MIN_COMPRESSED_BYTES = 1_024;

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
  /** Told of every attempt, and of those after which the service may still be at work. */
  readonly observer?: CallObserver | undefined;
}

export interface CallObserver {
  sent(isRetry: boolean): void;
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
  async send<T>(call: Call): Promise<T> {
    return this.#repeat(call, (response, text) => toData<T>(response, text));
  }

  /**
   * The body of an answer in pieces, without an envelope. It is tried again until it begins.
   * @throws NetworkError where it ends before its end, also after the first pieces
   */
  async *stream(call: Call, accept: string): AsyncGenerator<Uint8Array, void, undefined> {
    // The generator is not made by `#repeat`, because what was yielded cannot be taken back.
    const { response, exchange } = await this.#begin(call, accept);
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

  async #repeat<T>(call: Call, read: (response: Response, text: string) => T): Promise<T> {
    return this.#retrying(call, async (body) => {
      const exchange = new Exchange(this.platform, this.#options, call.signal);
      try {
        const response = await this.#fetch(exchange, call, body, 'application/json');
        const text = await exchange.within(response.text());
        if (response.status !== 200) throw toError(response, text, this.platform.nowMs());
        return read(response, text);
      } finally {
        exchange.end();
      }
    });
  }

  #begin(call: Call, accept: string): Promise<{ response: Response; exchange: Exchange }> {
    return this.#retrying(call, async (body) => {
      const exchange = new Exchange(this.platform, this.#options, call.signal);
      try {
        const response = await this.#fetch(exchange, call, body, accept);
        if (response.status === 200) return { response, exchange };
        throw toError(response, await exchange.within(response.text()), this.platform.nowMs());
      } catch (error) {
        exchange.end();
        throw error;
      }
    });
  }

  async #retrying<T>(call: Call, attempt: (body: Body) => Promise<T>): Promise<T> {
    const body = await toBody(call.body);
    for (let retry = 0; ; retry += 1) {
      try {
        call.observer?.sent(retry > 0);
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

  #fetch(exchange: Exchange, call: Call, body: Body, accept: string): Promise<Response> {
    const { baseUrl, key } = this.#options;
    const headers = { ...body.headers, Accept: accept, 'x-service-auth-key': key };
    return this.#pacer.run(
      () =>
        exchange.within(
          this.platform.fetch(`${baseUrl}${call.path}${toQuery(call.query)}`, {
            method: call.method,
            headers,
            ...(body.bytes && { body: body.bytes }),
            signal: exchange.signal,
            redirect: 'manual', // the key is for the service alone
          }),
        ),
      call.patience ?? call.signal,
    );
  }
}

/** One attempt: it has a time limit, which each part of the answer renews, and ends when the caller's signal does. */
class Exchange {
  readonly #controller = new AbortController();
  readonly #abort = () => this.#controller.abort();
  #isLate = false;

  constructor(
    private readonly platform: Platform,
    private readonly options: TransportOptions,
    private readonly callersSignal: AbortSignal | undefined,
  ) {
    if (callersSignal?.aborted) this.#abort();
    callersSignal?.addEventListener('abort', this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** @throws NetworkError where the part fails or is late; AbortedError where the caller's signal ended it */
  async within<T>(part: Promise<T>): Promise<T> {
    const { timeoutMs, key } = this.options;
    const cancel = this.platform.after(timeoutMs, () => {
      this.#isLate = true;
      this.#abort();
    });
    try {
      return await part;
    } catch (error) {
      if (this.callersSignal?.aborted) throw abortedBy(this.callersSignal);
      if (this.#isLate) throw new NetworkError(`There was no answer within ${timeoutMs} ms.`);
      throw new NetworkError(`There was no whole answer: ${describe(error).replaceAll(key, '[key]')}`);
    } finally {
      cancel();
    }
  }

  /** Gives the connection up unless the answer was read to its end. */
  end(): void {
    this.callersSignal?.removeEventListener('abort', this.#abort);
    this.#abort();
  }
}

interface Body {
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

async function toBody(json: string | undefined): Promise<Body> {
  if (json === undefined) return { headers: {} };
  const bytes = new TextEncoder().encode(json);
  const headers = { 'Content-Type': 'application/json' };
  if (bytes.length < MIN_COMPRESSED_BYTES) return { bytes, headers };
  return { bytes: await gzip(bytes), headers: { ...headers, 'Content-Encoding': 'gzip' } };
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

/** What a failed `fetch` says. The error itself is not passed on: some repeat the headers, and so the key. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'fetch failed';
  const code: unknown = (error.cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? `${error.message} (${code})` : error.message;
}
