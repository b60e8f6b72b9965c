import { BoundedMap } from './bounded-map';

/** A set of the `capacity` members that were added last, and some older ones (`BoundedMap`). */
export class BoundedSet<T> {
  private readonly members: BoundedMap<T, true>;

  constructor(capacity: number) {
    this.members = new BoundedMap(capacity);
  }

  has(member: T): boolean {
    return this.members.get(member) === true;
  }

  add(member: T): void {
    this.members.set(member, true);
  }

  delete(member: T): void {
    this.members.delete(member);
  }
}
