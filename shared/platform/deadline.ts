import type { Clock } from './clock';

/** The time by which a piece of work must end. Everything that waits or retries takes one. */
export interface Deadline {
  /** Zero when the deadline has passed. */
  remainingMs(): number;
}

/** A deadline `ms` milliseconds from now. */
export function deadlineIn(ms: number, clock: Clock): Deadline {
  const endMs = clock.nowMs() + ms;
  return { remainingMs: () => Math.max(0, endMs - clock.nowMs()) };
}

/** This deadline, or `ms` milliseconds from now, whichever comes first. Extending this deadline moves both. */
export function atMost(ms: number, deadline: Deadline): Deadline {
  const restMs = Math.max(0, deadline.remainingMs() - ms);
  return { remainingMs: () => Math.max(0, deadline.remainingMs() - restMs) };
}

/** A deadline that can be extended by time that does not belong to the work. */
export interface ExtendableDeadline extends Deadline {
  extend(ms: number): void;
  /** Starts the whole time again, also after the deadline has passed. */
  renew(): void;
}

/** An extendable deadline `ms` milliseconds from now; `renew` sets it to `ms` milliseconds from the renewal. */
export function extendableDeadlineIn(ms: number, clock: Clock): ExtendableDeadline {
  let endMs = clock.nowMs() + ms;
  return {
    remainingMs: () => Math.max(0, endMs - clock.nowMs()),
    extend: (moreMs) => void (endMs += moreMs),
    renew: () => void (endMs = clock.nowMs() + ms),
  };
}
