import type { Clock } from './clock';

/** The time by which a piece of work must end. Everything that waits or repeats takes one. */
export interface Deadline {
  /** Milliseconds left; zero when the time is over. */
  remainingMs(): number;
}

/** A deadline `ms` milliseconds from now. */
export function deadlineIn(ms: number, clock: Clock): Deadline {
  const endMs = clock.nowMs() + ms;
  return { remainingMs: () => Math.max(0, endMs - clock.nowMs()) };
}
