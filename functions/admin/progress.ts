import type { Clock } from '../../shared/platform/clock';
import type { Terminal } from './program';

const CLEAR_LINE = '\r\u001b[K';

/** Where lines stay, such as in a log, no more often than this: what is between soon follows, or is in the result. */
const LINE_INTERVAL_MS = 5_000;

/**
 * Says how far long work is. On a terminal each message takes the place of the one before, and the last one stays;
 * elsewhere one in five seconds is a line.
 */
export class Progress {
  /** The cursor stands behind a message. */
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

  /** Says what must not be missed, in a line of its own that stays. */
  notice(message: string): void {
    this.clear();
    this.stderr.write(`${message}\n`);
  }

  clear(): void {
    if (this.isOpen) this.stderr.write(CLEAR_LINE);
    this.isOpen = false;
  }

  end(): void {
    if (this.isOpen) this.stderr.write('\n');
    this.isOpen = false;
  }
}
