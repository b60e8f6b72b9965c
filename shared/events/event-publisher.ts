/** Where events go. A publish that resolves is durable; its event may come more than once. */
export interface EventPublisher {
  /**
   * A rejection leaves open whether the event was published.
   * @param attributes short texts beside the event, for people and filters.
   */
  publish(topic: string, event: object, attributes?: Readonly<Record<string, string>>): Promise<void>;
}
