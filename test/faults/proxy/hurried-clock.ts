import type { Clock } from '../../../shared/platform/clock';
import { systemClock } from '../../../shared/platform/clock';

/**
 * A clock that can be made to run faster, so that what waits until a deadline need not wait as long. It never goes
 * back.
 */
export class HurriedClock implements Clock {
  private speed = 1;
  private sinceMs = systemClock.nowMs();
  private startMs = this.sinceMs;

  nowMs(): number {
    return this.startMs + (systemClock.nowMs() - this.sinceMs) * this.speed;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms / this.speed, signal);
  }

  /** @param speed how many times as fast as real time it runs from now on. */
  runAt(speed: number): void {
    this.startMs = this.nowMs();
    this.sinceMs = systemClock.nowMs();
    this.speed = speed;
  }

  /** Goes on as if so much time had passed. Nothing that sleeps wakes up for it. */
  skip(ms: number): void {
    this.startMs += ms;
  }
}
