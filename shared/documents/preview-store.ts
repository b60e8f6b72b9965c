/**
 * The store of a preview. It shows a tenant's documents as the preview's run would have left them. What the run
 * would write of them goes into documents of its own, below the run, in the same commit as the run's progress. So its
 * steps are repeated and go on like those of any run, and a slice meets what others of the same run would have stored,
 * in whatever file or instance.
 *
 * Nobody else's documents are written or locked. Preconditions are judged by a read right before the commit, and by the
 * preview's own documents in the commit itself. What is not a tenant's is stored as ever.
 */
import { documentBytes } from '../domain/records/document';
import { MERGE_WINDOW_BYTES } from '../limits/records';
import type { Clock } from '../platform/clock';
import type { Deadline } from '../platform/deadline';
import type {
  CommitOutcome,
  DocumentRef,
  DocumentStore,
  DocumentWrite,
  Page,
  PageBefore,
  QueryValues,
  SomeDocuments,
  StoredDocument,
  Version,
} from './document-store';
import { isCheck, meets, writtenPath } from './document-store';
import { dataAfter, overlaidPage, readSome } from './overlay';
import { collectionIdOf, idOf, runPreviewedPath, TENANTS, tenantPath } from './paths';

/** The run of a preview. */
export interface PreviewedRun {
  readonly runId: string;
  readonly tenantId: string;
  /** Of the documents that hold what it would write. */
  readonly expireAt: Date;
}

/**
 * The field of the preview's own documents with the id of the collection in which they are shown. Those that stand for
 * removed documents lack it: whoever lists a collection does not read them.
 */
export const SHOWN_IN = 'shownIn';

/** What a precondition is judged by. */
interface Judged {
  /** As the preview sees it, without data unless it is changed in part; undefined: there is no document. */
  readonly current: StoredDocument | undefined;
  /** The version of the preview's own document; undefined: it has not written this one. */
  readonly ownVersion: Version | undefined;
}

/** Has the calls that reading files makes; the others are refused. A field `expireAt` of a tenant's is not shown. */
export class PreviewStore implements DocumentStore {
  /** The collection of the preview's own documents. */
  private readonly own: string;

  constructor(
    private readonly stored: DocumentStore,
    private readonly run: PreviewedRun,
    private readonly clock: Clock,
  ) {
    this.own = runPreviewedPath(run.runId);
  }

  async get(path: string, deadline: Deadline): Promise<StoredDocument | undefined> {
    return (await this.getAll([path], deadline))[0];
  }

  async getAll(paths: readonly string[], deadline: Deadline): Promise<StoredDocument[]> {
    return (await this.getSome(paths, Infinity, deadline)).documents;
  }

  async getSome(paths: readonly string[], maxBytes: number, deadline: Deadline): Promise<SomeDocuments> {
    const ofTenant = paths.filter(isOfTenant);
    const own = await readSome(
      this.stored,
      ofTenant.map((path) => this.toOwn(path)),
      maxBytes,
      deadline,
    );
    const written = new Map(own.documents.map((document) => [this.toOriginal(document.path), document]));
    const unread = new Set(own.unread.map((path) => this.toOriginal(path)));
    const rest = paths.filter((path) => !written.has(path) && !unread.has(path));
    const ownBytes = maxBytes === Infinity ? 0 : sumBytes(own.documents);
    const others = await readSome(this.stored, rest, unread.size > 0 ? 0 : maxBytes - ownBytes, deadline);
    for (const path of others.unread) unread.add(path);
    const documents = [...own.documents.flatMap((document) => this.toShown(document) ?? []), ...others.documents];
    const left = paths.filter((path) => unread.has(path));
    // Where all that was read is removed, there is more to read.
    return documents.length === 0 && left.length > 0
      ? this.getSome(left, maxBytes, deadline)
      : { documents, unread: left };
  }

  async commit(writes: readonly DocumentWrite[], deadline: Deadline): Promise<CommitOutcome> {
    const judged = await this.judge(writes, deadline);
    const holds = (write: DocumentWrite) => meets(judged.get(writtenPath(write))?.current, write.when);
    if (!writes.filter(isJudged).every(holds)) return 'conflict';
    const toStored = (write: DocumentWrite) =>
      isOfTenant(writtenPath(write)) ? this.toOwnWrite(write, judged) : write;
    return this.stored.commit(writes.map(toStored), deadline);
  }

  list(collection: string, page: Page, deadline: Deadline): Promise<StoredDocument[]> {
    const listStored = (each: Page) => this.stored.list(collection, each, deadline);
    return this.overlaid(collection, page, listStored, this.listOwn(collection, deadline), deadline);
  }

  async listRefs(collection: string, { before, ...page }: PageBefore, deadline: Deadline): Promise<DocumentRef[]> {
    const until = { ...(before !== undefined && { before }) };
    const listStored = (each: Page) => this.stored.listRefs(collection, { ...each, ...until }, deadline);
    const isOfPage = ({ path }: DocumentRef) => before === undefined || path < this.toOwn(before);
    const listOwn = async (each: Page) => (await this.listOwn(collection, deadline)(each)).filter(isOfPage);
    const listed = await this.overlaid<DocumentRef>(collection, page, listStored, listOwn, deadline);
    return listed.map(({ path, version }) => ({ path, version }));
  }

  findWhere(
    collection: string,
    field: string,
    value: string | QueryValues,
    page: Page,
    deadline: Deadline,
  ): Promise<StoredDocument[]> {
    const find = (from: string) => (each: Page) => this.stored.findWhere(from, field, value, each, deadline);
    return this.overlaid(collection, page, find(collection), find(this.own), deadline);
  }

  begin = refused;
  writeEach = refused;
  increment = refused;
  listGroup = refused;
  listBelow = refused;
  findLastWhere = refused;
  count = refused;
  stream = notStreamed;

  /** Reads documents of which little is kept. */
  private async readEach(
    paths: readonly string[],
    keep: (document: StoredDocument) => void,
    deadline: Deadline,
  ): Promise<void> {
    for (let rest = paths; rest.length > 0;) {
      const { documents, unread } = await this.stored.getSome(rest, MERGE_WINDOW_BYTES, deadline);
      for (const document of documents) keep(document);
      rest = unread;
    }
  }

  /** The tenant's documents on which writes depend, by path; absent: there is none. */
  private async judge(writes: readonly DocumentWrite[], deadline: Deadline): Promise<ReadonlyMap<string, Judged>> {
    const paths = writes.filter(isJudged).map(writtenPath);
    const changedInPart = new Set(writes.filter((write) => 'fields' in write).map(writtenPath));
    const reduced = (document: StoredDocument) =>
      changedInPart.has(document.path) ? document : { ...document, data: {} };
    const judged = new Map<string, Judged>();
    const keepOwn = (document: StoredDocument) => {
      const shown = this.toShown(document);
      const current = shown && reduced(shown);
      judged.set(this.toOriginal(document.path), { current, ownVersion: document.version });
    };
    await this.readEach(
      paths.map((path) => this.toOwn(path)),
      keepOwn,
      deadline,
    );
    const others = paths.filter((path) => !judged.has(path));
    const keepOther = (document: StoredDocument) =>
      void judged.set(document.path, { current: reduced(document), ownVersion: undefined });
    await this.readEach(others, keepOther, deadline);
    return judged;
  }

  /** The write of the preview's own document. It depends on that being as it was when the write was judged. */
  private toOwnWrite(write: DocumentWrite, judged: ReadonlyMap<string, Judged>): DocumentWrite {
    const path = writtenPath(write);
    const own = this.toOwn(path);
    const { current, ownVersion = 'absent' } = judged.get(path) ?? { current: undefined };
    if (isCheck(write)) return { check: own, when: ownVersion };
    const { expireAt } = this.run;
    const now = new Date(this.clock.nowMs());
    const data =
      'delete' in write
        ? { isRemoved: true }
        : { ...dataAfter(write, current?.data, now), [SHOWN_IN]: collectionIdOf(path) };
    return { set: own, data: { ...data, expireAt }, ...(isJudged(write) && { when: ownVersion }) };
  }

  /** Lists the preview's own documents of a collection, without those that stand for removed ones. */
  private listOwn(collection: string, deadline: Deadline): (page: Page) => Promise<StoredDocument[]> {
    return (page) => this.stored.findWhere(this.own, SHOWN_IN, idOf(collection), page, deadline);
  }

  /**
   * A page of a collection as the preview sees it.
   * @param listOwn reads a page of the preview's own documents, without those that stand for removed ones
   */
  private async overlaid<T extends DocumentRef>(
    collection: string,
    page: Page,
    listStored: (page: Page) => Promise<T[]>,
    listOwn: (page: Page) => Promise<StoredDocument[]>,
    deadline: Deadline,
  ): Promise<(T | StoredDocument)[]> {
    if (!isOfTenant(collection)) return listStored(page);
    const first = this.toOwn(`${collection}/`);
    const own = await listOwn({ limit: page.limit, after: page.after === undefined ? first : this.toOwn(page.after) });
    const shown = own.flatMap((document) => (document.path.startsWith(first) ? (this.toShown(document) ?? []) : []));
    const leaveOut = async (stored: T[]) => {
      const written = new Set<string>();
      const paths = stored.map(({ path }) => this.toOwn(path));
      await this.readEach(paths, ({ path }) => void written.add(this.toOriginal(path)), deadline);
      return stored.filter(({ path }) => !written.has(path));
    };
    return overlaidPage(page, listStored, leaveOut, shown);
  }

  /** The tenant's document that one of the preview's own stands for; undefined: it would be removed. */
  private toShown(document: StoredDocument): StoredDocument | undefined {
    const { isRemoved, expireAt: _expireAt, [SHOWN_IN]: _shownIn, ...data } = document.data;
    return isRemoved === true ? undefined : { ...document, path: this.toOriginal(document.path), data };
  }

  private toOwn(path: string): string {
    return `${this.own}/${collectionIdOf(path)}.${idOf(path)}`;
  }

  private toOriginal(ownPath: string): string {
    const id = idOf(ownPath);
    const end = id.indexOf('.');
    const [collection, documentId] = [id.slice(0, end), id.slice(end + 1)];
    const tenant = tenantPath(this.run.tenantId);
    return collection === TENANTS ? tenant : `${tenant}/${collection}/${documentId}`;
  }
}

function refused(): Promise<never> {
  return Promise.reject(new Error('This call of the store has no preview.'));
}

function notStreamed(): never {
  throw new Error('This call of the store has no preview.');
}

function isOfTenant(path: string): boolean {
  return path.startsWith(`${TENANTS}/`);
}

/** Whether a write of a tenant's document depends on what there is. */
function isJudged(write: DocumentWrite): boolean {
  return isOfTenant(writtenPath(write)) && (write.when !== undefined || 'fields' in write);
}

function sumBytes(documents: readonly StoredDocument[]): number {
  return documents.reduce((sum, { data }) => sum + documentBytes(data), 0);
}
