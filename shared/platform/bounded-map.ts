/**
 * A map of the `capacity` entries that were set last, and up to as many older ones. The older entries are dropped all
 * at once. To drop only the first entry of a Map each time is slow: its iterator steps over all entries dropped before.
 */
export class BoundedMap<K, V> {
  private newer = new Map<K, V>();
  private older = new Map<K, V>();

  constructor(private readonly capacity: number) {}

  /** Undefined for a key that was not set, or was dropped. */
  get(key: K): V | undefined {
    return this.newer.get(key) ?? this.older.get(key);
  }

  set(key: K, value: V): void {
    this.newer.set(key, value);
    if (this.newer.size < this.capacity) return;
    this.older = this.newer;
    this.newer = new Map();
  }

  delete(key: K): void {
    this.newer.delete(key);
    this.older.delete(key);
  }
}
