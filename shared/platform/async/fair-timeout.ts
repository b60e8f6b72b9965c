import { performance } from 'node:perf_hooks';

/** Time between two ticks, in milliseconds: short compared with every wait that is measured. */
const TICK_MS = 50;

/**
 * Measures a wait without the time in which this process could not have noticed that the wait was over. A timer that
 * fires late shows that the event loop was held; data that arrived meanwhile is read only afterwards. So a late tick
 * does not count, and there is always a whole tick to read data in before the time is over. Like `EventLoopShare` it
 * measures the process itself, by the process's own timers.
 */
export class FairTimer {
  private waitedMs = 0;
  private dueMs: number;
  private readonly timer: NodeJS.Timeout;

  /** @param onTick is called after each tick that counts, with the milliseconds waited so far. */
  constructor(
    private readonly onTick: (waitedMs: number) => void,
    private readonly tickMs = TICK_MS,
  ) {
    this.dueMs = performance.now() + tickMs;
    this.timer = setInterval(() => this.tick(), tickMs);
  }

  /** Starts the wait again at zero. */
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

/** The result did not come within a fair timeout. */
export class FairTimeoutPassed extends Error {
  override readonly name = 'FairTimeoutPassed';
}

/** Like `work`, but rejects when it takes longer than `ms` on a `FairTimer`. @throws FairTimeoutPassed */
export async function withFairTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: FairTimer | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = new FairTimer((waitedMs) => {
      if (waitedMs >= ms) reject(new FairTimeoutPassed(`There was no answer within ${ms} ms.`));
    });
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    timer?.end();
  }
}
