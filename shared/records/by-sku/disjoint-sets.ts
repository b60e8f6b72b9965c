/**
 * Union-find, and collections that are merged along with it. The smaller collection is always moved into the larger
 * one: each member moves at most a logarithmic number of times, however often its collection is merged.
 */

/** Moves the smaller set into the larger one. @returns the larger set. The other one must not be used any more */
export function mergeSets<T>(a: Set<T>, b: Set<T>): Set<T> {
  const [larger, smaller] = a.size < b.size ? [b, a] : [a, b];
  for (const member of smaller) larger.add(member);
  return larger;
}

/** Moves the shorter list to the end of the longer one, in no defined order. @returns the longer list */
export function mergeLists<T>(a: T[], b: T[]): T[] {
  const [longer, shorter] = a.length < b.length ? [b, a] : [a, b];
  for (const member of shorter) longer.push(member);
  return longer;
}

/** Union-find with path compression. A member that was never united is a set of its own. */
export class DisjointSets<T extends object> {
  private readonly parents = new Map<T, T>();

  /** Unites the sets of two members. The root of `into` becomes the root of both. */
  union(member: T, into: T): void {
    const [from, to] = [this.rootOf(member), this.rootOf(into)];
    if (from !== to) this.parents.set(from, to);
  }

  /** The member that represents the set of a member. */
  rootOf(member: T): T {
    let root = member;
    for (let parent = this.parents.get(root); parent; parent = this.parents.get(root)) root = parent;
    for (let current = member; current !== root;) {
      const parent = this.parents.get(current) ?? root;
      this.parents.set(current, root);
      current = parent;
    }
    return root;
  }
}
