import type { Clock } from '../../shared/platform/clock';
import type { Terminal } from './printing';

const CLEAR_LINE = '\r\u001b[K';

/** The least time between two lines in a log. Messages in between are dropped: a later one or the result says more. */
const LINE_INTERVAL_MS = 5_000;

/**
 * Prints the progress of long work. On a terminal each message replaces the one before, and the last one stays.
 * Elsewhere at most one message in five seconds is printed, as a line.
 */
export class Progress {
  /** Whether the cursor is at the end of a message, on its line. */
  private isOpen = false;
  private nextLineMs = 0;

  constructor(
    private readonly stderr: Terminal['stderr'],
    private readonly clock: Clock,
  ) {}

  show(message: string): void {
    if (this.stderr.isTTY === true) {
      this.stderr.write(`${CLEAR_LINE}${message}`);
      this.isOpen = true;
    } else if (this.clock.nowMs() >= this.nextLineMs) {
      this.stderr.write(`${message}\n`);
      this.nextLineMs = this.clock.nowMs() + LINE_INTERVAL_MS;
    }
  }

  /** Prints a message that must not be missed, on a line of its own that stays. */
  notice(message: string): void {
    this.clear();
    this.stderr.write(`${message}\n`);
  }

  /** Removes the current message from the terminal. */
  clear(): void {
    if (this.isOpen) this.stderr.write(CLEAR_LINE);
    this.isOpen = false;
  }

  /** Ends the line of the current message, which stays. */
  end(): void {
    if (this.isOpen) this.stderr.write('\n');
    this.isOpen = false;
  }
}
