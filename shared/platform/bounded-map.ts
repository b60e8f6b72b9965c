/**
 * A map that holds the `capacity` entries that were set last, and up to as many older ones. The older ones are
 * forgotten all at once: a Map that drops its first entry each time steps over all that it has dropped before.
 */
export class BoundedMap<K, V> {
  private newer = new Map<K, V>();
  private older = new Map<K, V>();

  constructor(private readonly capacity: number) {}

  /** Undefined for what was not set, or is forgotten. */
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
