import { isDeepStrictEqual } from 'node:util';
import type {
  Condition,
  DocumentStore,
  DocumentWrite,
  Page,
  StoredDocument,
  Version,
  WriteOutcome,
} from '../../shared/documents/document-store';
import type { DocumentData, DocumentValue } from '../../shared/domain/document';
import { isList } from '../../shared/domain/document';

/**
 * `DocumentStore` in memory: the same contract (test/contract/document-store.test.ts), no emulator, no waiting. Versions
 * are times of the clock, to the millisecond; finer they only count.
 */
export class MemoryDocumentStore implements DocumentStore {
  private readonly documents = new Map<string, StoredDocument>();
  private writes = 0;

  constructor(private readonly clock: { nowMs(): number } = { nowMs: () => 0 }) {}

  get(path: string): Promise<StoredDocument | undefined> {
    return Promise.resolve(copy(this.documents.get(path)));
  }

  getAll(paths: readonly string[]): Promise<StoredDocument[]> {
    return Promise.resolve(paths.flatMap((path) => copy(this.documents.get(path)) ?? []));
  }

  commit(writes: readonly DocumentWrite[]): Promise<WriteOutcome> {
    if (!writes.every((write) => this.holds(write))) return Promise.resolve('conflict');
    for (const write of writes) this.apply(write);
    return Promise.resolve('written');
  }

  writeEach(writes: readonly DocumentWrite[]): Promise<WriteOutcome[]> {
    return Promise.resolve(
      writes.map((write) => {
        if (!this.holds(write)) return 'conflict';
        this.apply(write);
        return 'written';
      }),
    );
  }

  increment(path: string, data: DocumentData, field: string): Promise<number> {
    const stored = this.documents.get(path)?.data ?? {};
    const count = Number(stored[field] ?? 0) + 1;
    this.put(path, { ...stored, ...data, [field]: count });
    return Promise.resolve(count);
  }

  list(collection: string, page: Page): Promise<StoredDocument[]> {
    return Promise.resolve(this.page(page, (path) => parentOf(path) === collection));
  }

  listGroup(collectionId: string, page: Page): Promise<StoredDocument[]> {
    return Promise.resolve(this.page(page, (path) => parentOf(path).split('/').at(-1) === collectionId));
  }

  findWhere(collection: string, field: string, value: string, limit: number): Promise<StoredDocument[]> {
    const found = this.page({ limit: Infinity }, (path) => parentOf(path) === collection);
    return Promise.resolve(found.filter(({ data }) => data[field] === value).slice(0, limit));
  }

  count(collection: string): Promise<number> {
    return Promise.resolve(this.page({ limit: Infinity }, (path) => parentOf(path) === collection).length);
  }

  private page({ limit, after }: Page, belongs: (path: string) => boolean): StoredDocument[] {
    return [...this.documents.values()]
      .filter(({ path }) => belongs(path) && (after === undefined || path > after))
      .sort((a, b) => (a.path < b.path ? -1 : 1))
      .slice(0, limit)
      .flatMap((document) => copy(document) ?? []);
  }

  private holds(write: DocumentWrite): boolean {
    const stored = this.documents.get('set' in write ? write.set : write.delete);
    return write.when === undefined || meets(stored, write.when);
  }

  private apply(write: DocumentWrite): void {
    if ('delete' in write) {
      this.documents.delete(write.delete);
      return;
    }
    const { set: path, data, fields } = write;
    if (!fields) {
      this.put(path, data);
      return;
    }
    const named = Object.fromEntries(fields.map((field) => [field, data[field]]));
    this.put(path, { ...this.documents.get(path)?.data, ...named });
  }

  private put(path: string, data: DocumentData): void {
    this.writes += 1;
    const ms = this.clock.nowMs();
    const seconds = Math.floor(ms / 1000);
    const before = this.documents.get(path);
    // Like Firestore: what a write leaves as it is keeps its version.
    if (before && isDeepStrictEqual(before.data, copyFields(data))) return;
    const version = { seconds, nanos: (ms - seconds * 1000) * 1_000_000 + this.writes };
    this.documents.set(path, { path, data: copyFields(data), version });
  }
}

/** What is stored and what is given out share nothing. */
function copy(document: StoredDocument | undefined): StoredDocument | undefined {
  return document && { ...document, data: copyFields(document.data) };
}

function copyFields(data: DocumentData): DocumentData {
  return Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) => (value === undefined ? [] : [[name, copyValue(value)]])),
  );
}

function copyValue(value: DocumentValue): DocumentValue {
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return isList(value) ? value.map(copyValue) : copyFields(value);
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function meets(stored: StoredDocument | undefined, condition: Condition): boolean {
  if (condition === 'absent') return stored === undefined;
  if (condition === 'present') return stored !== undefined;
  return stored !== undefined && isSame(stored.version, condition);
}

function isSame(a: Version, b: Version): boolean {
  return a.seconds === b.seconds && a.nanos === b.nanos;
}
