/**
 * The dead letters and what operators do with them. A message that is taken is handed out to nobody else until it is
 * released, or until its lease of about a minute is over: what becomes of the taker, no message is lost.
 */
export interface DeadLetterQueue {
  /**
   * Takes at most `limit` messages (1 to 1,000); none when none comes within `waitMs`. It need not hand out all that
   * there are, and may hand out one again: repeat it until nothing new comes.
   */
  pull(limit: number, waitMs: number): Promise<LeasedMessage[]>;
  /** Gives messages back, so that they can be taken again at once. */
  release(messages: readonly LeasedMessage[]): Promise<void>;
  /** Removes messages for good. A message whose lease was over may come again nevertheless. */
  acknowledge(messages: readonly LeasedMessage[]): Promise<void>;
  /** Publishes a message to a topic, byte for byte. When it resolves, it is durable. */
  publish(topic: string, message: Message): Promise<void>;
}

/** What a message says. Pub/Sub takes none that has neither data nor attributes. */
export interface Message {
  readonly data: Buffer;
  readonly attributes: Readonly<Record<string, string>>;
}

/** A message of the dead-letter topic in the hands of whoever took it. */
export interface LeasedMessage extends Message {
  /** The same each time that it is handed out. */
  readonly messageId: string;
  /** Differs each time that it is handed out; names it in `release` and `acknowledge`. */
  readonly ackId: string;
  readonly publishedAt: Date;
}
