import { NetworkError } from '../errors';
import type { Platform } from './platform';
import { abortedBy } from './platform';

/** One attempt of a request: each part of its answer has a time limit, and the caller's signal ends it. */
export class Exchange {
  readonly #controller = new AbortController();
  readonly #platform: Platform;
  readonly #timeoutMs: number;
  readonly #callersSignal: AbortSignal | undefined;
  /** In no error. */
  readonly #secret: string;
  #isLate = false;

  constructor(platform: Platform, timeoutMs: number, secret: string, callersSignal: AbortSignal | undefined) {
    this.#platform = platform;
    this.#timeoutMs = timeoutMs;
    this.#secret = secret;
    this.#callersSignal = callersSignal;
    if (callersSignal?.aborted) this.#abort();
    callersSignal?.addEventListener('abort', this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** @throws NetworkError where the part fails or is late; AbortedError where the caller's signal ended it */
  async within<T>(part: Promise<T>): Promise<T> {
    const cancel = this.#platform.after(this.#timeoutMs, () => {
      this.#isLate = true;
      this.#abort();
    });
    try {
      return await part;
    } catch (error) {
      if (this.#callersSignal?.aborted) throw abortedBy(this.#callersSignal);
      if (this.#isLate) throw new NetworkError(`There was no answer within ${this.#timeoutMs} ms.`);
      throw new NetworkError(`There was no whole answer: ${describe(error).replaceAll(this.#secret, '[key]')}`);
    } finally {
      cancel();
    }
  }

  /** Gives the connection up unless the answer was read to its end. */
  end(): void {
    this.#callersSignal?.removeEventListener('abort', this.#abort);
    this.#abort();
  }

  readonly #abort = () => this.#controller.abort();
}

/** What a failed `fetch` says. The error itself is not passed on: some have the headers, and so the key. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'fetch failed';
  const code: unknown = (error.cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? `${error.message} (${code})` : error.message;
}
