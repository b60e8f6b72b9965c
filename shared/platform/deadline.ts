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

/** A deadline that can be put off, for what is not the work's own time. */
export interface ExtendableDeadline extends Deadline {
  /** Puts it off by so much. */
  extend(ms: number): void;
  /** Begins it anew, also when its time was over. */
  renew(): void;
}

/** The same, which can be put off; `renew` gives it `ms` milliseconds from then on. */
export function extendableDeadlineIn(ms: number, clock: Clock): ExtendableDeadline {
  let endMs = clock.nowMs() + ms;
  return {
    remainingMs: () => Math.max(0, endMs - clock.nowMs()),
    extend: (moreMs) => void (endMs += moreMs),
    renew: () => void (endMs = clock.nowMs() + ms),
  };
}
