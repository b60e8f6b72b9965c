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

/** A deadline that begins anew when the caller's part of the time is over. */
export interface RenewableDeadline extends Deadline {
  renew(): void;
}

export function renewableDeadlineIn(ms: number, clock: Clock): RenewableDeadline {
  let current = deadlineIn(ms, clock);
  return {
    remainingMs: () => current.remainingMs(),
    renew: () => {
      current = deadlineIn(ms, clock);
    },
  };
}
