import type { DeadLetterQueue, LeasedMessage, Message } from '../../shared/events/dead-letter-queue';

/** A queue of dead letters in memory: what is not acknowledged can be pulled again when it is released. */
export class MemoryDeadLetters implements DeadLetterQueue {
  /** Ids of messages, in the order in which it was done. */
  readonly released: string[] = [];
  readonly published: { readonly topic: string; readonly data: string }[] = [];

  constructor(private waiting: readonly LeasedMessage[]) {}

  get ids(): readonly string[] {
    return this.waiting.map(({ messageId }) => messageId);
  }

  pull(limit: number): Promise<LeasedMessage[]> {
    const taken = this.waiting.slice(0, limit);
    this.waiting = this.waiting.slice(limit);
    return Promise.resolve(taken);
  }

  release(messages: readonly LeasedMessage[]): Promise<void> {
    this.released.push(...messages.map(({ messageId }) => messageId));
    this.waiting = [...this.waiting, ...messages];
    return Promise.resolve();
  }

  acknowledge(): Promise<void> {
    return Promise.resolve();
  }

  publish(topic: string, { data }: Message): Promise<void> {
    this.published.push({ topic, data: data.toString() });
    return Promise.resolve();
  }
}

/** A message that a function has rejected. */
export function aDeadLetter(messageId: string, functionName = 'deletion-consumer', data = '{"secret":"value"}') {
  const rejected = { function: functionName, messageId, data: Buffer.from(data).toString('base64') };
  return {
    messageId,
    ackId: messageId,
    publishedAt: new Date('2026-03-01T10:00:00Z'),
    data: Buffer.from(JSON.stringify(rejected)),
    attributes: { function: functionName, reason: 'It is bad.' },
  } satisfies LeasedMessage;
}
