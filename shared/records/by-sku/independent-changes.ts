/** Which changed records can be written in commits of their own, because they share no document. */
import { DisjointSets } from './disjoint-sets';

/** Records whose changed documents can be written in a commit of their own, and the elements behind them. */
export interface IndependentChanges<R> {
  readonly records: readonly R[];
  readonly paths: readonly string[];
  /** The indexes of the elements. */
  readonly elements: readonly number[];
  readonly bytes: number;
}

/**
 * Groups changed records so that no two groups share a document.
 * @param pathsOf the documents that a record changes
 * @param bytesAt the bytes that a document takes in a commit
 */
export function groupIndependent<R extends { readonly elements: readonly number[] }>(
  changed: Iterable<R>,
  pathsOf: (record: R) => readonly string[],
  bytesAt: (path: string) => number,
): IndependentChanges<R>[] {
  const records = [...changed];
  const owners = new Map<string, R>();
  const grouped = new DisjointSets<R>();
  for (const record of records) {
    for (const path of pathsOf(record)) {
      grouped.union(record, owners.get(path) ?? record);
      owners.set(path, record);
    }
  }
  const groups = new Map<R, { records: R[]; paths: string[]; elements: number[]; bytes: number }>();
  for (const [path, owner] of owners) {
    const root = grouped.rootOf(owner);
    const group = groups.get(root) ?? { records: [], paths: [], elements: [], bytes: 0 };
    group.paths.push(path);
    group.bytes += bytesAt(path);
    groups.set(root, group);
  }
  for (const record of records) {
    const group = groups.get(grouped.rootOf(record));
    group?.records.push(record);
    group?.elements.push(...record.elements);
  }
  return [...groups.values()];
}
