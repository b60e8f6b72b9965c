import type { Clock } from '../../shared/platform/clock';

/** A clock that stands still until it is told to move; sleeping moves it. */
export class FixedClock implements Clock {
  constructor(private timeMs = Date.parse('2026-03-01T12:00:30.000Z')) {}

  nowMs(): number {
    return this.timeMs;
  }

  sleep(ms: number): Promise<void> {
    this.advance(ms);
    return Promise.resolve();
  }

  advance(ms: number): void {
    this.timeMs += ms;
  }
}
