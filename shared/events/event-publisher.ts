/** Where events go. A publish that resolves is durable. */
export interface EventPublisher {
  /** @param attributes short texts beside the event, for people and filters. */
  publish(topic: string, event: object, attributes?: Readonly<Record<string, string>>): Promise<void>;
}
