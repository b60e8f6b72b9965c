const TOPIC_NAME =
  /^projects\/(?:[a-z][a-z0-9.-]{0,62}:)?[a-z][a-z0-9-]{4,28}[a-z0-9]\/topics\/(?!goog)[A-Za-z][\w.~+%-]{2,254}$/;

/** True for the full name of a Pub/Sub topic, `projects/P/topics/T`: P is the project's id, T as Pub/Sub accepts it. */
export function isTopicName(name: string): boolean {
  return TOPIC_NAME.test(name);
}
