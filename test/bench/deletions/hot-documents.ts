/** Which documents are written most: Firestore takes about one write a second of a document for long. */
import type { FirestoreCall } from '../call-summary';

/** What functions called while they were under a load. */
export interface CountedLoad {
  readonly name: string;
  readonly calls: readonly Pick<FirestoreCall, 'written' | 'endMs'>[];
  /** How long the load lasted. */
  readonly seconds: number;
}

/** What a document is, by its path. */
export type DocumentSort = 'rate counter' | 'progress of a run or file' | 'flag' | 'pending deletion' | 'other';

export interface WrittenDocument {
  readonly load: string;
  readonly path: string;
  readonly sort: DocumentSort;
  /** Removals are writes, too. */
  readonly writes: number;
  readonly writesPerSecond: number;
}

/**
 * The time over which a document's writes count at least, in seconds, if the load lasted as long: two writes in one
 * moment do not make it hot. Of less than a second no rate is told.
 */
const LEAST_SECONDS = 10;
const LEAST_LOAD_SECONDS = 1;

/**
 * The documents that a load wrote, the hottest first. Each by its writes after the first one, over the time between
 * the first and the last one. So a document which is only written for a part of the load, such as a minute's counter,
 * is not made to look cooler by the rest of it, and one that is written every second has one write a second.
 */
export function writtenDocuments({ name, calls, seconds }: CountedLoad): WrittenDocument[] {
  const written = new Map<string, { writes: number; firstMs: number; lastMs: number }>();
  for (const { written: paths, endMs } of calls) {
    for (const path of paths) {
      const before = written.get(path) ?? { writes: 0, firstMs: endMs, lastMs: endMs };
      const firstMs = Math.min(before.firstMs, endMs);
      written.set(path, { writes: before.writes + 1, firstMs, lastMs: Math.max(before.lastMs, endMs) });
    }
  }
  const documents = [...written].map(([path, { writes, firstMs, lastMs }]): WrittenDocument => {
    const leastSeconds = Math.max(LEAST_LOAD_SECONDS, Math.min(seconds, LEAST_SECONDS));
    const overSeconds = Math.max((lastMs - firstMs) / 1000, leastSeconds);
    return { load: name, path, sort: sortOf(path), writes, writesPerSecond: (writes - 1) / overSeconds };
  });
  return hottestFirst(documents);
}

export function hottestFirst(documents: readonly WrittenDocument[]): WrittenDocument[] {
  return [...documents].sort((a, b) => b.writesPerSecond - a.writesPerSecond);
}

function sortOf(path: string): DocumentSort {
  const [root, , collection = ''] = path.split('/');
  if (root === 'rateCounters') return 'rate counter';
  if (root === 'transferRuns') return 'progress of a run or file';
  if (collection === 'deletionFlags' || collection === 'raisedFlags') return 'flag';
  return collection === 'deletions' ? 'pending deletion' : 'other';
}
