/**
 * A field of a record after an upsert: what was sent, else what is stored; null clears it (D-12). Records are written
 * as literals that name every field: the engine then knows the shape of thousands of parts at once, where a loop over
 * names or a spread takes twice the time and memory.
 */
export function fieldAfter<T>(stored: T | undefined, sent: T | null | undefined): T | undefined {
  return sent === undefined ? stored : (sent ?? undefined);
}
