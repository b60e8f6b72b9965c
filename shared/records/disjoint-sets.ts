/**
 * Collections that become one, whenever records do: the smaller one is moved into the larger, which is changed. So each
 * member is moved few times, however often its collection becomes part of another.
 */

export function mergeSets<T>(a: Set<T>, b: Set<T>): Set<T> {
  const [larger, smaller] = a.size < b.size ? [b, a] : [a, b];
  for (const each of smaller) larger.add(each);
  return larger;
}

/** In no order. */
export function mergeLists<T>(a: T[], b: T[]): T[] {
  const [longer, shorter] = a.length < b.length ? [b, a] : [a, b];
  for (const each of shorter) longer.push(each);
  return longer;
}

/** Which of some members have become part of which others; what looks for the last one shortens the way there. */
export class DisjointSets<T extends object> {
  private readonly wholes = new Map<T, T>();

  /** Makes `part`, with all that is part of it, part of `whole`. */
  union(part: T, whole: T): void {
    const [from, to] = [this.rootOf(part), this.rootOf(whole)];
    if (from !== to) this.wholes.set(from, to);
  }

  /** What a member has in the end become part of, or itself. */
  rootOf(member: T): T {
    let whole = member;
    for (let next = this.wholes.get(whole); next; next = this.wholes.get(whole)) whole = next;
    for (let each = member; each !== whole;) {
      const next = this.wholes.get(each) ?? whole;
      this.wholes.set(each, whole);
      each = next;
    }
    return whole;
  }
}
