/**
 * The queue of dead letters. A pulled message is leased: nobody else gets it until it is released, or until its lease
 * of about a minute ends. So no message is lost, even if its holder crashes.
 */
export interface DeadLetterQueue {
  /**
   * Pulls at most `limit` messages (1 to 1,000), and none when none comes within `waitMs`. A pull may leave messages in
   * the queue, and may deliver one again: repeat it until nothing new comes.
   */
  pull(limit: number, waitMs: number): Promise<LeasedMessage[]>;
  /** Ends the leases of messages: they can be pulled again at once. */
  release(messages: readonly LeasedMessage[]): Promise<void>;
  /** Removes messages for good. A message whose lease had ended may still come again. */
  acknowledge(messages: readonly LeasedMessage[]): Promise<void>;
  /** Publishes a message to a topic, byte for byte. Resolves when it is durable. */
  publish(topic: string, message: Message): Promise<void>;
}

/** The content of a message. Pub/Sub accepts none that has neither data nor attributes. */
export interface Message {
  readonly data: Buffer;
  readonly attributes: Readonly<Record<string, string>>;
}

/** A pulled message of the dead-letter topic. */
export interface LeasedMessage extends Message {
  /** The same in every delivery. */
  readonly messageId: string;
  /** Differs between deliveries. Identifies this one in `release` and `acknowledge`. */
  readonly ackId: string;
  readonly publishedAt: Date;
}
