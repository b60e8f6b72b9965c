/** A set that forgets its oldest members beyond `capacity`. */
export class BoundedSet<T> {
  private readonly members = new Set<T>();

  constructor(private readonly capacity: number) {}

  has(member: T): boolean {
    return this.members.has(member);
  }

  add(member: T): void {
    this.members.delete(member);
    this.members.add(member);
    if (this.members.size > this.capacity) {
      for (const oldest of this.members) {
        this.members.delete(oldest);
        break;
      }
    }
  }

  delete(member: T): void {
    this.members.delete(member);
  }
}
