/** Who may publish to the service's topics. */
export interface TopicGrants {
  /** Lets a member, such as `serviceAccount:…`, publish to a topic of the project. Repeating it is safe. */
  allowPublishing(topic: string, member: string): Promise<void>;
}
