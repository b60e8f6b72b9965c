/**
 * A set that holds the `capacity` members that were added last, and up to as many older ones. The older ones are
 * forgotten all at once: a Set that drops its first member each time steps over all that it has dropped before.
 */
export class BoundedSet<T> {
  private newer = new Set<T>();
  private older = new Set<T>();

  constructor(private readonly capacity: number) {}

  has(member: T): boolean {
    return this.newer.has(member) || this.older.has(member);
  }

  add(member: T): void {
    this.newer.add(member);
    if (this.newer.size < this.capacity) return;
    this.older = this.newer;
    this.newer = new Set();
  }

  delete(member: T): void {
    this.newer.delete(member);
    this.older.delete(member);
  }
}
