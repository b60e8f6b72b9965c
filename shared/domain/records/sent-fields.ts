/**
 * A field of a record after an upsert: the sent value, else the stored one; null clears it (D-12). Records are built by
 * literals that call this for every field. The engine then uses one shape for thousands of parts; a loop over the names
 * or a spread takes twice the time and memory.
 */
export function fieldAfter<T>(stored: T | undefined, sent: T | null | undefined): T | undefined {
  return sent === undefined ? stored : (sent ?? undefined);
}
