import type { Clock } from '../../shared/platform/clock';
import { systemClock } from '../../shared/platform/clock';

/** Real time, but sleep is over at once: the clock is that much ahead from then on. */
export class SkippingClock implements Clock {
  private aheadMs = 0;

  nowMs(): number {
    return systemClock.nowMs() + this.aheadMs;
  }

  sleep(ms: number): Promise<void> {
    this.aheadMs += ms;
    return Promise.resolve();
  }
}
