/** The rate limit's arithmetic: one fixed window per clock minute and key (D-36). */

export interface RateWindow {
  /** Minutes since the epoch: the window's name. */
  readonly minute: number;
  /** Unix time in seconds at which the next window begins. */
  readonly resetSeconds: number;
  /** Seconds until then, 1 to 60. */
  readonly retryAfterSeconds: number;
}

/** The state of the rate limit that an answer reports (Spec §8). */
export interface RateStatus {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** The window that contains the time `nowMs`. */
export function rateWindowAt(nowMs: number): RateWindow {
  const minute = Math.floor(nowMs / 60_000);
  const resetSeconds = (minute + 1) * 60;
  return { minute, resetSeconds, retryAfterSeconds: Math.max(1, Math.ceil(resetSeconds - nowMs / 1000)) };
}

/** The status after `count` requests of the window; a count above the limit leaves 0. */
export function rateStatus(window: RateWindow, limit: number, count: number): RateStatus {
  return { limit, remaining: Math.max(0, limit - count), resetSeconds: window.resetSeconds };
}
