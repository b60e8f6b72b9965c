/** Publishes events. An event is delivered at least once. */
export interface EventPublisher {
  /**
   * Resolves when the event is durable. After a rejection it is unknown whether the event was published.
   * @param topic of the service's own project or, as `projects/P/topics/T`, of any
   * @param attributes short texts beside the event, for people and filters
   */
  publish(topic: string, event: object, attributes?: Readonly<Record<string, string>>): Promise<void>;
}
