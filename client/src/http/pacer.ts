import type { Platform } from './platform';
import { sleep } from './platform';

/** The service counts requests by the clock minute (`X-RateLimit-Reset`), so that no wait is longer. */
const WINDOW_MS = 60_000;

/**
 * Holds requests back while the headers of earlier answers say that the rate limit leaves none. One for each key. The
 * time until the next window is taken by the service's own clock, so that a wrong one here does no harm.
 */
export class Pacer {
  /** Requests that the window has left; infinite: not known. */
  #left = Number.POSITIVE_INFINITY;
  /** The window that `#left` is about: `X-RateLimit-Reset`. */
  #resetSeconds = 0;
  #windowEndMs = 0;
  #underway = 0;
  readonly #platform: Platform;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Runs a request when the limit has room for it. @throws AbortedError when the signal ends its wait */
  async run(request: () => Promise<Response>, signal: AbortSignal | undefined): Promise<Response> {
    await this.#wait(signal);
    this.#left -= 1;
    this.#underway += 1;
    try {
      const response = await request();
      this.#learn(response.headers);
      return response;
    } finally {
      this.#underway -= 1;
    }
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const waitMs = this.#windowEndMs - this.#platform.nowMs();
      if (waitMs <= 0) this.#left = Number.POSITIVE_INFINITY;
      if (this.#left > 0) return;
      await sleep(this.#platform, waitMs, signal);
    }
  }

  #learn(headers: Headers): void {
    const left = numberOf(headers, 'X-RateLimit-Remaining');
    const resetSeconds = numberOf(headers, 'X-RateLimit-Reset');
    if (left === undefined || resetSeconds === undefined || resetSeconds < this.#resetSeconds) return;
    const others = this.#underway - 1;
    this.#left = resetSeconds === this.#resetSeconds ? Math.min(this.#left, left) : left - others;
    this.#resetSeconds = resetSeconds;
    const nowMs = this.#platform.nowMs();
    const sentAtMs = Date.parse(headers.get('Date') ?? '');
    const leftMs = resetSeconds * 1000 - (Number.isNaN(sentAtMs) ? nowMs : sentAtMs);
    this.#windowEndMs = nowMs + Math.min(Math.max(leftMs, 0), WINDOW_MS);
  }
}

/** The header as a number; undefined: it is absent or none. */
function numberOf(headers: Headers, name: string): number | undefined {
  const text = headers.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}
