import type { DeadLetterQueue, LeasedMessage } from '../../events/dead-letter-queue';

/** The most messages that one pull returns. */
const MAX_PULLED = 1_000;

/** After so many consecutive pulls without a new message the queue counts as empty. */
const MAX_EMPTY_PULLS = 2;

/** The dead letters that a command has taken from the queue. Its creator must call `release` at the end. */
export class HeldDeadLetters {
  private readonly held = new Map<string, LeasedMessage>();

  /** @param waitMs how long one pull waits for a message */
  constructor(
    private readonly queue: Pick<DeadLetterQueue, 'pull' | 'release'>,
    private readonly waitMs: number,
  ) {}

  /**
   * Takes messages until it holds `limit`, or all of `wanted`, or the queue is empty. Returns all held messages, the
   * oldest first.
   */
  async gather(limit: number, wanted?: ReadonlySet<string>): Promise<LeasedMessage[]> {
    const isEnough = () =>
      this.held.size >= limit || (wanted !== undefined && [...wanted].every((id) => this.held.has(id)));
    for (let emptyPulls = 0; emptyPulls < MAX_EMPTY_PULLS && !isEnough();) {
      const heldBefore = this.held.size;
      const taken = await this.queue.pull(Math.min(MAX_PULLED, limit - heldBefore), this.waitMs);
      // A message that is delivered again has a new `ackId`, which replaces the expired one.
      for (const message of taken) this.held.set(message.messageId, message);
      emptyPulls = this.held.size > heldBefore ? 0 : emptyPulls + 1;
    }
    return [...this.held.values()].sort((a, b) => a.publishedAt.getTime() - b.publishedAt.getTime());
  }

  /** Removes messages from the queue for good. */
  async acknowledge(messages: readonly LeasedMessage[], queue: Pick<DeadLetterQueue, 'acknowledge'>): Promise<void> {
    await queue.acknowledge(messages);
    for (const { messageId } of messages) this.held.delete(messageId);
  }

  /** Returns unacknowledged messages to the queue. */
  async release(): Promise<void> {
    if (this.held.size > 0) await this.queue.release([...this.held.values()]);
    this.held.clear();
  }
}
