import type { Deadline } from '../../shared/platform/deadline';
import type {
  Amounts,
  CommitOutcome,
  DocumentChange,
  DocumentStore,
  DocumentWrite,
  Page,
  PageBefore,
  QueryValues,
  SomeDocuments,
  StoredDocument,
  DocumentRef,
  Transaction,
  WriteOutcome,
} from '../../shared/documents/document-store';
import { writtenPath } from '../../shared/documents/document-store';
import type { DocumentData } from '../../shared/domain/records/document';

/** One call of the store and the documents or the collection that it is about. */
export interface StoreCall {
  readonly method: keyof DocumentStore;
  readonly paths: readonly string[];
}

const WRITES: ReadonlySet<keyof DocumentStore> = new Set(['commit', 'writeEach', 'increment']);

/** A store that remembers its calls, and fails those that a test chooses. */
export class ObservedDocumentStore implements DocumentStore {
  readonly calls: StoreCall[] = [];
  /** Calls for which it holds are not made but fail. */
  failing: (call: StoreCall) => boolean = () => false;
  private readonly written = new Set<string>();

  constructor(private readonly store: DocumentStore) {}

  /** Forgets what was seen. */
  forget(): void {
    this.calls.length = 0;
    this.written.clear();
  }

  get reads(): StoreCall[] {
    return this.calls.filter(({ method }) => !WRITES.has(method));
  }

  get writes(): StoreCall[] {
    return this.calls.filter(({ method }) => WRITES.has(method));
  }

  /**
   * Every stored document by its path, with its version, so that a write that changes no value shows too; counters
   * excepted.
   */
  async dump(): Promise<Map<string, StoredDocument>> {
    const paths = [...this.written].filter((path) => !path.startsWith('rateCounters/')).sort();
    const documents = await this.store.getAll(paths, { remainingMs: () => 30_000 });
    return new Map(documents.map((document) => [document.path, document]));
  }

  get(path: string, deadline: Deadline): Promise<StoredDocument | undefined> {
    return this.observe('get', [path], () => this.store.get(path, deadline));
  }

  getAll(paths: readonly string[], deadline: Deadline): Promise<StoredDocument[]> {
    return this.observe('getAll', paths, () => this.store.getAll(paths, deadline));
  }

  getSome(paths: readonly string[], maxBytes: number, deadline: Deadline): Promise<SomeDocuments> {
    return this.observe('getSome', paths, () => this.store.getSome(paths, maxBytes, deadline));
  }

  commit(writes: readonly DocumentWrite[], deadline: Deadline): Promise<CommitOutcome> {
    return this.observe('commit', writes.map(writtenPath), () => this.store.commit(writes, deadline));
  }

  /** What a transaction does is observed as what the store does. */
  async begin(deadline: Deadline): Promise<Transaction> {
    const transaction = await this.store.begin(deadline);
    return {
      get: (path, until) => this.observe('get', [path], () => transaction.get(path, until)),
      getAll: (paths, until) => this.observe('getAll', paths, () => transaction.getAll(paths, until)),
      findWhere: (collection, ...query) =>
        this.observe('findWhere', [collection], () => transaction.findWhere(collection, ...query)),
      commit: (changes, until) =>
        this.observe('commit', changes.map(writtenPath), () => transaction.commit(changes, until)),
      end: () => transaction.end(),
    };
  }

  writeEach(writes: readonly DocumentChange[], deadline: Deadline): Promise<WriteOutcome[]> {
    return this.observe('writeEach', writes.map(writtenPath), () => this.store.writeEach(writes, deadline));
  }

  increment<Field extends string>(
    path: string,
    data: DocumentData,
    amounts: Amounts<Field>,
    timeoutMs: number,
  ): Promise<Amounts<Field>> {
    return this.observe('increment', [path], () => this.store.increment(path, data, amounts, timeoutMs));
  }

  list(collection: string, page: Page, deadline: Deadline): Promise<StoredDocument[]> {
    return this.observe('list', [collection], () => this.store.list(collection, page, deadline));
  }

  listGroup(collectionId: string, page: Page, deadline: Deadline): Promise<StoredDocument[]> {
    return this.observe('listGroup', [collectionId], () => this.store.listGroup(collectionId, page, deadline));
  }

  listRefs(collection: string, page: PageBefore, deadline: Deadline): Promise<DocumentRef[]> {
    return this.observe('listRefs', [collection], () => this.store.listRefs(collection, page, deadline));
  }

  listBelow(document: string, page: Page, deadline: Deadline): Promise<DocumentRef[]> {
    return this.observe('listBelow', [document], () => this.store.listBelow(document, page, deadline));
  }

  findWhere(
    collection: string,
    field: string,
    value: string | QueryValues,
    page: Page,
    deadline: Deadline,
  ): Promise<StoredDocument[]> {
    return this.observe('findWhere', [collection], () =>
      this.store.findWhere(collection, field, value, page, deadline),
    );
  }

  findLastWhere(
    collection: string,
    field: string,
    value: string | QueryValues,
    page: Page,
    deadline: Deadline,
  ): Promise<StoredDocument[]> {
    return this.observe('findLastWhere', [collection], () =>
      this.store.findLastWhere(collection, field, value, page, deadline),
    );
  }

  count(collection: string, deadline: Deadline): Promise<number> {
    return this.observe('count', [collection], () => this.store.count(collection, deadline));
  }

  async *stream(collection: string, deadlineOfStep: () => Deadline): AsyncGenerator<StoredDocument> {
    yield* await this.observe('stream', [collection], () =>
      Promise.resolve(this.store.stream(collection, deadlineOfStep)),
    );
  }

  private observe<T>(method: keyof DocumentStore, paths: readonly string[], call: () => Promise<T>): Promise<T> {
    const made = { method, paths };
    this.calls.push(made);
    if (this.failing(made)) return Promise.reject(new Error('The database cannot be reached.'));
    if (WRITES.has(method)) for (const path of paths) this.written.add(path);
    return call();
  }
}
