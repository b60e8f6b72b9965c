/**
 * Merges the sent parts (variants of a product, items of an order) into the stored ones, one after the other (D-06,
 * D-07): a part with the key of a stored one is merged into it, another is added at the end; nothing is removed.
 */
export function mergeParts<Stored, Sent>(
  stored: readonly Stored[],
  sent: readonly Sent[],
  keyOf: (part: Stored | Sent) => string,
  merge: (stored: Stored | undefined, sent: Sent) => Stored,
): Stored[] {
  const parts = [...stored];
  const places = new Map<string, number>();
  stored.forEach((part, place) => {
    if (!places.has(keyOf(part))) places.set(keyOf(part), place);
  });
  for (const part of sent) {
    const key = keyOf(part);
    const place = places.get(key) ?? parts.length;
    places.set(key, place);
    parts[place] = merge(parts[place], part);
  }
  return parts;
}
