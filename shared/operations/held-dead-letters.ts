import type { DeadLetterQueue, LeasedMessage } from '../events/dead-letter-queue';

/** Messages that one pull hands out at most. */
const MAX_PULLED = 1_000;

/** After so many pulls in a row that bring nothing new there is nothing more. */
const QUIET_PULLS = 2;

/** The dead letters that a command has taken. Whoever makes one must `release` it in the end. */
export class HeldDeadLetters {
  private readonly held = new Map<string, LeasedMessage>();

  /** @param waitMs for how long one pull waits for a message. */
  constructor(
    private readonly queue: DeadLetterQueue,
    private readonly waitMs: number,
  ) {}

  /**
   * Takes messages until there are `limit`, or all of `wanted`, or nothing new comes; returns all that are held, the
   * oldest first.
   */
  async gather(limit: number, wanted?: ReadonlySet<string>): Promise<LeasedMessage[]> {
    const isEnough = () =>
      this.held.size >= limit || (wanted !== undefined && [...wanted].every((id) => this.held.has(id)));
    for (let quiet = 0; quiet < QUIET_PULLS && !isEnough();) {
      const before = this.held.size;
      const taken = await this.queue.pull(Math.min(MAX_PULLED, limit - before), this.waitMs);
      // One that comes again has a new lease, which replaces the one that is over.
      for (const message of taken) this.held.set(message.messageId, message);
      quiet = this.held.size > before ? 0 : quiet + 1;
    }
    return [...this.held.values()].sort((a, b) => a.publishedAt.getTime() - b.publishedAt.getTime());
  }

  /** Removes messages from the queue for good. */
  async acknowledge(messages: readonly LeasedMessage[]): Promise<void> {
    await this.queue.acknowledge(messages);
    for (const { messageId } of messages) this.held.delete(messageId);
  }

  /** Gives back what was not acknowledged. */
  async release(): Promise<void> {
    if (this.held.size > 0) await this.queue.release([...this.held.values()]);
    this.held.clear();
  }
}
