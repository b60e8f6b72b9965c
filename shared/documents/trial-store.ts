/**
 * A `DocumentStore` on which writes are tried out. Nothing reaches the database: what would be written is kept in
 * memory, and shown instead of what is stored. Write preconditions are judged by the same view. So a use case runs on
 * it as it would on the database, and its outcome is known without any effect.
 */
import { documentBytes } from '../domain/records/document';
import { MERGE_WINDOW_BYTES, TRIAL_BYTES } from '../limits/records';
import { EventLoopShare, mapInShares } from '../platform/async/event-loop-share';
import type { Clock } from '../platform/clock';
import type { Deadline } from '../platform/deadline';
import type {
  CommitOutcome,
  DocumentChange,
  DocumentStore,
  DocumentWrite,
  Page,
  SomeDocuments,
  StoredDocument,
  Version,
  WriteOutcome,
} from './document-store';
import { isChange, meets, versionTime, writtenPath } from './document-store';
import { dataAfter, overlaidPage, readSome } from './overlay';
import { collectionOf } from './paths';

/** What would be written takes more than TRIAL_BYTES: it cannot be tried out. */
export class TrialTooLarge extends Error {
  override readonly name = 'TrialTooLarge';
}

interface KeptChange {
  /** Undefined: the document would be removed. */
  readonly document: StoredDocument | undefined;
  readonly bytes: number;
}

/** Has the calls that upserts make. The others are refused: nobody tries them out. */
export class TrialStore implements DocumentStore {
  /** What would be written, by path. */
  private readonly kept = new Map<string, KeptChange>();
  private keptBytes = 0;
  /** Commits and single writes so far. Each has a version of its own. */
  private writeCount = 0;

  constructor(
    private readonly stored: DocumentStore,
    private readonly clock: Clock,
  ) {}

  async get(path: string, deadline: Deadline): Promise<StoredDocument | undefined> {
    return this.kept.has(path) ? this.kept.get(path)?.document : this.stored.get(path, deadline);
  }

  async getAll(paths: readonly string[], deadline: Deadline): Promise<StoredDocument[]> {
    return (await this.getSome(paths, Infinity, deadline)).documents;
  }

  async getSome(paths: readonly string[], maxBytes: number, deadline: Deadline): Promise<SomeDocuments> {
    const documents: StoredDocument[] = [];
    const unread = new Set<string>();
    let bytes = 0;
    for (const path of paths) {
      const change = this.kept.get(path);
      if (!change?.document) continue;
      if (bytes >= maxBytes) unread.add(path);
      else documents.push(change.document);
      bytes += change.bytes;
    }
    const others = paths.filter((path) => !this.kept.has(path));
    const found = await readSome(this.stored, others, maxBytes - bytes, deadline);
    for (const path of found.unread) unread.add(path);
    return {
      documents: [...documents, ...found.documents],
      unread: paths.filter((path) => unread.has(path)),
    };
  }

  async commit(writes: readonly DocumentWrite[], deadline: Deadline): Promise<CommitOutcome> {
    const judged = writes.filter((write) => write.when !== undefined || 'fields' in write).map(writtenPath);
    const found = byPath(await this.getAll(judged, deadline));
    const changes = await mapInShares(writes.filter(isChange), (change) => ({ change, bytes: bytesOf(change) }));
    if (!writes.every((write) => meets(this.current(writtenPath(write), found), write.when))) return 'conflict';
    const version = this.nextVersion();
    for (const { change, bytes } of changes) this.keep(change, bytes, found, version);
    return version;
  }

  async writeEach(writes: readonly DocumentChange[], deadline: Deadline): Promise<WriteOutcome[]> {
    const byTarget = new Map(writes.map((write) => [writtenPath(write), write]));
    const outcomes = new Map<string, WriteOutcome>();
    const share = new EventLoopShare();
    for (let rest: readonly string[] = [...byTarget.keys()]; rest.length > 0;) {
      const { documents, unread } = await this.getSome(rest, MERGE_WINDOW_BYTES, deadline);
      const found = byPath(documents);
      for (const path of without(rest, unread)) {
        if (share.isUsedUp) await share.renew();
        const write = byTarget.get(path);
        const isWritten = write !== undefined && meets(this.current(path, found), write.when);
        if (isWritten) this.keep(write, bytesOf(write), found, this.nextVersion());
        outcomes.set(path, isWritten ? 'written' : 'conflict');
      }
      rest = unread;
    }
    return writes.map((write) => outcomes.get(writtenPath(write)) ?? 'conflict');
  }

  /** A page of what a collection would hold, of what is stored and what is kept. */
  list(collection: string, page: Page, deadline: Deadline): Promise<StoredDocument[]> {
    const { after = '' } = page;
    const kept = [...this.kept.values()].flatMap(({ document }) => {
      return document && collectionOf(document.path) === collection && document.path > after ? [document] : [];
    });
    const listStored = (each: Page) => this.stored.list(collection, each, deadline);
    return overlaidPage(page, listStored, (stored) => stored.filter(({ path }) => !this.kept.has(path)), kept);
  }

  begin = refused;
  increment = refused;
  listRefs = refused;
  listGroup = refused;
  listBelow = refused;
  findWhere = refused;
  findLastWhere = refused;
  count = refused;
  stream = notStreamed;

  /** A document as it would be now. @param found what is stored of the documents that are not kept */
  private current(path: string, found: ReadonlyMap<string, StoredDocument>): StoredDocument | undefined {
    return this.kept.has(path) ? this.kept.get(path)?.document : found.get(path);
  }

  /** @param bytes of what the write names. @throws TrialTooLarge, from then on for every write */
  private keep(
    write: DocumentChange,
    bytes: number,
    found: ReadonlyMap<string, StoredDocument>,
    version: Version,
  ): void {
    const path = writtenPath(write);
    const before = this.current(path, found);
    const document = 'delete' in write ? undefined : toDocument(write, before, version);
    const isPartial = 'fields' in write && document !== undefined;
    const change = { document, bytes: isPartial ? documentBytes(document.data) : bytes };
    this.keptBytes += change.bytes - (this.kept.get(path)?.bytes ?? 0);
    this.kept.set(path, change);
    if (this.keptBytes > TRIAL_BYTES) throw new TrialTooLarge(`A trial would write ${this.keptBytes} bytes.`);
  }

  private nextVersion(): Version {
    this.writeCount += 1;
    const ms = this.clock.nowMs();
    const seconds = Math.floor(ms / 1000);
    return { seconds, nanos: (ms - seconds * 1000) * 1_000_000 + this.writeCount };
  }
}

function refused(): Promise<never> {
  return Promise.reject(new Error('This call of the store cannot be tried out.'));
}

function notStreamed(): never {
  throw new Error('This call of the store cannot be tried out.');
}

/** The document after a write. */
function toDocument(
  write: Extract<DocumentChange, { set: string }>,
  before: StoredDocument | undefined,
  version: Version,
): StoredDocument {
  const data = dataAfter(write, before?.data, versionTime(version));
  return { path: write.set, data, version, created: before?.created ?? version };
}

/** Stored bytes of what a write names. */
function bytesOf(write: DocumentChange): number {
  return 'delete' in write ? documentBytes({}) : (write.bytes ?? documentBytes(write.data));
}

function byPath(documents: readonly StoredDocument[]): ReadonlyMap<string, StoredDocument> {
  return new Map(documents.map((document) => [document.path, document]));
}

function without(paths: readonly string[], excluded: readonly string[]): readonly string[] {
  const isExcluded = new Set(excluded);
  return paths.filter((path) => !isExcluded.has(path));
}
