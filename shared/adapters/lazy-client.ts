/**
 * Creates a client at the first call and returns the same client from then on. A failure is not cached: the next call
 * connects again, so a problem at the start of an instance does not last until its end.
 */
export function lazyClient<T>(connect: () => Promise<T>): () => Promise<T> {
  let client: Promise<T> | undefined;
  return () => {
    if (client) return client;
    const connecting = connect();
    client = connecting;
    connecting.catch(() => {
      if (client === connecting) client = undefined;
    });
    return connecting;
  };
}
