import { isDeepStrictEqual } from 'node:util';
import type {
  Amounts,
  CommitOutcome,
  DocumentChange,
  DocumentStore,
  DocumentWrite,
  FieldValue,
  Page,
  PageBefore,
  QueryValues,
  SomeDocuments,
  StoredDocument,
  DocumentRef,
  Transaction,
  Version,
  WriteOutcome,
} from '../../shared/documents/document-store';
import { isChange, meets, RequestInvalid, versionTime, writtenPath } from '../../shared/documents/document-store';
import { collectionOf } from '../../shared/documents/paths';
import type { Deadline } from '../../shared/platform/deadline';
import type { DocumentData, DocumentValue } from '../../shared/domain/records/document';
import { documentBytes, isList } from '../../shared/domain/records/document';

/**
 * `DocumentStore` in memory: the same contract (test/contract/document-store.test.ts), no emulator, no waiting.
 * Versions are times of the clock, to the millisecond; finer they only count.
 */
export class MemoryDocumentStore implements DocumentStore {
  /** By collection and path. */
  private readonly collections = new Map<string, Map<string, StoredDocument>>();
  /** Commits and single writes so far: each has a version of its own. */
  private changes = 0;

  constructor(private readonly clock: { nowMs(): number } = { nowMs: () => 0 }) {}

  /** Removes everything. */
  clear(): void {
    this.collections.clear();
  }

  get(path: string): Promise<StoredDocument | undefined> {
    return Promise.resolve(this.find(path));
  }

  getAll(paths: readonly string[]): Promise<StoredDocument[]> {
    return Promise.resolve(paths.flatMap((path) => this.find(path) ?? []));
  }

  getSome(paths: readonly string[], maxBytes: number): Promise<SomeDocuments> {
    const documents: StoredDocument[] = [];
    let bytes = 0;
    for (const [index, path] of paths.entries()) {
      if (bytes >= maxBytes) return Promise.resolve({ documents, unread: paths.slice(index) });
      const document = this.find(path);
      if (!document) continue;
      documents.push(document);
      bytes += documentBytes(document.data);
    }
    return Promise.resolve({ documents, unread: [] });
  }

  commit(writes: readonly DocumentWrite[]): Promise<CommitOutcome> {
    if (!writes.every((write) => this.holds(write))) return Promise.resolve('conflict');
    const version = this.newVersion();
    for (const write of writes.filter(isChange)) this.apply(write, version);
    const last = writes.findLast((write) => 'set' in write);
    return Promise.resolve((last && this.find(last.set)?.version) ?? version);
  }

  /** Its commit is in conflict when a read would find something else. */
  begin(): Promise<Transaction> {
    const checks: (() => boolean)[] = [];
    let isOpen = true;
    const get = (path: string) => {
      const found = this.find(path);
      checks.push(() => this.find(path) === found);
      return found;
    };
    return Promise.resolve({
      get: (path: string) => Promise.resolve(get(path)),
      getAll: (paths: readonly string[]) => Promise.resolve(paths.flatMap((path) => get(path) ?? [])),
      findWhere: async (collection: string, field: string, value: string | QueryValues, page: Page) => {
        const find = () => pageOf(this.documentsWhere(collection, field, value), page);
        const found = await this.findWhere(collection, field, value, page);
        checks.push(() => isDeepStrictEqual(toRefs(find()), toRefs(found)));
        return found;
      },
      commit: (changes: readonly DocumentChange[]) => {
        if (!isOpen || !checks.every((isAsRead) => isAsRead())) return Promise.resolve('conflict');
        isOpen = false;
        return this.commit(changes);
      },
      end: () => {
        isOpen = false;
        return Promise.resolve();
      },
    });
  }

  writeEach(writes: readonly DocumentChange[]): Promise<WriteOutcome[]> {
    return Promise.resolve(
      writes.map((write) => {
        if (!this.holds(write)) return 'conflict';
        this.apply(write, this.newVersion());
        return 'written';
      }),
    );
  }

  increment<Field extends string>(path: string, data: DocumentData, amounts: Amounts<Field>): Promise<Amounts<Field>> {
    const stored = this.find(path)?.data ?? {};
    const values = Object.fromEntries(
      Object.entries<number>(amounts).map(([field, amount]) => [field, Number(stored[field] ?? 0) + amount]),
    );
    this.put(path, { ...stored, ...data, ...values }, this.newVersion());
    return Promise.resolve(values as Amounts<Field>);
  }

  list(collection: string, page: Page): Promise<StoredDocument[]> {
    return Promise.resolve(pageOf(this.documentsOf(collection), page));
  }

  listGroup(collectionId: string, page: Page): Promise<StoredDocument[]> {
    const members = [...this.collections].filter(([collection]) => collection.split('/').at(-1) === collectionId);
    return Promise.resolve(pageOf(members.flatMap(([, documents]) => [...documents.values()]), page)); // prettier-ignore
  }

  listRefs(collection: string, page: PageBefore): Promise<DocumentRef[]> {
    return Promise.resolve(toRefs(pageOf(this.documentsOf(collection), page)));
  }

  listBelow(document: string, page: Page): Promise<DocumentRef[]> {
    const below = [...this.collections].filter(([collection]) => collection.startsWith(`${document}/`));
    const found = pageOf(below.flatMap(([, documents]) => [...documents.values()]), page); // prettier-ignore
    return Promise.resolve(toRefs(found));
  }

  findWhere(collection: string, field: string, value: string | QueryValues, page: Page): Promise<StoredDocument[]> {
    if ([value].flat().some(isTooLong))
      return Promise.reject(new RequestInvalid(`value for ${field} is too large for a query`));
    return Promise.resolve(pageOf(this.documentsWhere(collection, field, value), page));
  }

  findLastWhere(collection: string, field: string, value: string | QueryValues, page: Page): Promise<StoredDocument[]> {
    if ([value].flat().some(isTooLong))
      return Promise.reject(new RequestInvalid(`value for ${field} is too large for a query`));
    const { limit, after } = page;
    const found = pageOf(this.documentsWhere(collection, field, value), { limit: Infinity }).reverse();
    const rest = after === undefined ? found : found.filter(({ path }) => path < after);
    return Promise.resolve(rest.slice(0, limit));
  }

  count(collection: string, _deadline?: Deadline, where?: FieldValue): Promise<number> {
    const counted = where ? this.documentsWhere(collection, where.field, where.value) : this.documentsOf(collection);
    return Promise.resolve(counted.length);
  }

  async *stream(collection: string): AsyncGenerator<StoredDocument> {
    yield* await this.list(collection, { limit: Infinity });
  }

  private find(path: string): StoredDocument | undefined {
    return this.collections.get(collectionOf(path))?.get(path);
  }

  private documentsOf(collection: string): StoredDocument[] {
    return [...(this.collections.get(collection)?.values() ?? [])];
  }

  private documentsWhere(collection: string, field: string, value: string | QueryValues): StoredDocument[] {
    const values = new Set<unknown>([value].flat());
    return this.documentsOf(collection).filter(({ data }) => values.has(data[field]));
  }

  private holds(write: DocumentWrite): boolean {
    return meets(this.find(writtenPath(write)), write.when);
  }

  private apply(write: DocumentChange, version: Version): void {
    if ('delete' in write) {
      this.collections.get(collectionOf(write.delete))?.delete(write.delete);
      return;
    }
    const { set: path, data, fields, writtenAt = [] } = write;
    const times = Object.fromEntries(writtenAt.map((field) => [field, versionTime(version)]));
    if (!fields) {
      this.put(path, { ...data, ...times }, version);
      return;
    }
    const named = Object.fromEntries(fields.map((field) => [field, data[field]]));
    this.put(path, { ...this.find(path)?.data, ...named, ...times }, version);
  }

  private put(path: string, data: DocumentData, version: Version): void {
    const collection = collectionOf(path);
    const documents = this.collections.get(collection) ?? new Map<string, StoredDocument>();
    this.collections.set(collection, documents);
    const before = documents.get(path);
    const stored = freezeFields(data);
    // Like Firestore: what a write leaves as it is keeps its version.
    if (before && isDeepStrictEqual(before.data, stored)) return;
    documents.set(path, Object.freeze({ path, data: stored, version, created: before?.created ?? version }));
  }

  private newVersion(): Version {
    this.changes += 1;
    const ms = this.clock.nowMs();
    const seconds = Math.floor(ms / 1000);
    return Object.freeze({ seconds, nanos: (ms - seconds * 1000) * 1_000_000 + this.changes });
  }
}

/** Firestore indexes no more of a text, and refuses to look for a longer one. */
const MAX_INDEXED_BYTES = 1_500;

function isTooLong(value: string): boolean {
  return Buffer.byteLength(value) > MAX_INDEXED_BYTES;
}

function pageOf(documents: readonly StoredDocument[], { limit, after, before }: PageBefore): StoredDocument[] {
  const isOfPage = ({ path }: StoredDocument) => path > (after ?? '') && (before === undefined || path < before);
  return documents
    .filter(isOfPage)
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .slice(0, limit);
}

function toRefs(documents: readonly StoredDocument[]): DocumentRef[] {
  return documents.map(({ path, version }) => ({ path, version }));
}

/** A copy that nobody can change: what is stored is given out as it is. */
function freezeFields(data: DocumentData): DocumentData {
  const kept = Object.entries(data).flatMap(([name, value]) => (value === undefined ? [] : [[name, freeze(value)]]));
  return Object.freeze(Object.fromEntries(kept) as DocumentData);
}

function freeze(value: DocumentValue): DocumentValue {
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return isList(value) ? Object.freeze(value.map(freeze)) : freezeFields(value);
}
