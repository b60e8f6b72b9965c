/**
 * Makes a client at the first call and gives the same one to all that follow. A failure is not kept: the next call
 * makes the client anew, so that no trouble at the start of an instance stays until its end.
 */
export function lazyClient<T>(connect: () => Promise<T>): () => Promise<T> {
  let client: Promise<T> | undefined;
  return () => {
    if (client) return client;
    const made = connect();
    client = made;
    made.catch(() => {
      if (client === made) client = undefined;
    });
    return made;
  };
}
