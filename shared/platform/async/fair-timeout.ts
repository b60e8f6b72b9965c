import { performance } from 'node:perf_hooks';

/** Time between two looks, in milliseconds: short against every wait that is measured by them. */
const TICK_MS = 50;

/**
 * Measures how long something is waited for, without the time in which this process could not have noticed that it has
 * come. A timer that fires late says that the event loop was held: what has arrived meanwhile is read only after it. So
 * a late tick does not count, and whoever waits always has had a whole tick to read in before the time is over. Like
 * `EventLoopShare` it measures the process itself, by the process's own timers.
 */
export class FairTimer {
  private waitedMs = 0;
  private dueMs: number;
  private readonly timer: NodeJS.Timeout;

  /** @param onTick is called after each tick that counts, with the milliseconds that were waited by then. */
  constructor(
    private readonly onTick: (waitedMs: number) => void,
    private readonly tickMs = TICK_MS,
  ) {
    this.dueMs = performance.now() + tickMs;
    this.timer = setInterval(() => this.tick(), tickMs);
  }

  /** Begins to wait anew. */
  renew(): void {
    this.waitedMs = 0;
  }

  /** Ends the ticks. A repeat does nothing. */
  end(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    const nowMs = performance.now();
    const isLate = nowMs - this.dueMs > this.tickMs;
    this.dueMs = nowMs + this.tickMs;
    if (isLate) return;
    this.waitedMs += this.tickMs;
    this.onTick(this.waitedMs);
  }
}

/** Something that was waited for did not come in time. */
export class FairTimeoutPassed extends Error {
  override readonly name = 'FairTimeoutPassed';
}

/** Like `work`, but rejects when it takes longer than `ms` of patience. @throws FairTimeoutPassed */
export async function withFairTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  let patience: FairTimer | undefined;
  const isOver = new Promise<never>((_, reject) => {
    patience = new FairTimer((waitedMs) => {
      if (waitedMs >= ms) reject(new FairTimeoutPassed(`There was no answer within ${ms} ms.`));
    });
  });
  try {
    return await Promise.race([work, isOver]);
  } finally {
    patience?.end();
  }
}
