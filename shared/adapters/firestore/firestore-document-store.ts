/**
 * `DocumentStore` on Firestore.
 *
 * It uses the SDK's protocol client: the public one hides what the service needs (the result of an increment, a status
 * for each write, preconditions on several documents) and is slower.
 */
import { v1 } from '@google-cloud/firestore';
import { credentials } from '@grpc/grpc-js';
import type { Config } from '../../config';
import type { Deadline } from '../../deadline';
import type {
  Condition,
  DocumentStore,
  DocumentWrite,
  Page,
  StoredDocument,
  WriteOutcome,
} from '../../documents/document-store';
import type { DocumentData } from '../../domain/document';
import { READ_CHUNK_DOCUMENTS, WRITE_CHUNK_BYTES, WRITE_CHUNK_DOCUMENTS } from '../../domain/limits';
import { documentBytes } from '../../domain/document';
import type { RetryDependencies } from '../retry';
import { Status, statusOf, withRetry } from '../retry';
import type { ProtoDocument, ProtoFields, ProtoPrecondition, ProtoQuery } from './protocol';
import { fromFields, toFields, toValue } from './values';

const CONFLICTS: ReadonlySet<number | undefined> = new Set([
  Status.ALREADY_EXISTS,
  Status.NOT_FOUND,
  Status.FAILED_PRECONDITION,
]);

/** Emulators take this in place of an administrator's credentials. */
const EMULATOR_HEADERS = { authorization: 'Bearer owner' };

export class FirestoreDocumentStore implements DocumentStore {
  private readonly client: InstanceType<typeof v1.FirestoreClient>;
  private readonly database: string;
  private readonly headers: Record<string, string>;

  constructor(
    config: Config,
    private readonly retry: RetryDependencies,
  ) {
    this.client = new v1.FirestoreClient(clientOptions(config));
    this.database = `projects/${config.projectId}/databases/${config.databaseId}`;
    this.headers = config.emulators.firestore === undefined ? {} : EMULATOR_HEADERS;
  }

  async getAll(paths: readonly string[], deadline: Deadline): Promise<StoredDocument[]> {
    const chunks = chunked(paths, READ_CHUNK_DOCUMENTS);
    const found = await Promise.all(chunks.map((chunk) => this.getChunk(chunk, deadline)));
    return found.flat();
  }

  async get(path: string, deadline: Deadline): Promise<StoredDocument | undefined> {
    return (await this.getChunk([path], deadline))[0];
  }

  async commit(writes: readonly DocumentWrite[], deadline: Deadline): Promise<WriteOutcome> {
    const request = { database: this.database, writes: writes.map((write) => this.toWrite(write)) };
    try {
      await withRetry((timeout) => this.client.commit(request, this.options(timeout)), deadline, this.retry);
      return 'written';
    } catch (error) {
      if (CONFLICTS.has(statusOf(error))) return 'conflict';
      throw error;
    }
  }

  /** Sent in parallel calls of a size that Firestore takes. */
  async writeEach(writes: readonly DocumentWrite[], deadline: Deadline): Promise<WriteOutcome[]> {
    const outcomes = await Promise.all(chunkedByBytes(writes).map((chunk) => this.writeChunk(chunk, deadline)));
    return outcomes.flat();
  }

  async increment(path: string, data: DocumentData, field: string, timeoutMs: number): Promise<number> {
    const [response] = await this.client.commit(
      {
        database: this.database,
        writes: [
          {
            update: { name: this.toName(path), fields: toFields(data) },
            updateMask: { fieldPaths: Object.keys(data) },
            updateTransforms: [{ fieldPath: field, increment: { integerValue: 1 } }],
          },
        ],
      },
      this.options(timeoutMs),
    );
    return Number(response.writeResults?.[0]?.transformResults?.[0]?.integerValue);
  }

  list(collection: string, page: Page, deadline: Deadline): Promise<StoredDocument[]> {
    const { parent, collectionId } = splitCollection(collection);
    return this.query(parent, { from: [{ collectionId }], ...this.pageOf(page) }, deadline);
  }

  listGroup(collectionId: string, page: Page, deadline: Deadline): Promise<StoredDocument[]> {
    return this.query('', { from: [{ collectionId, allDescendants: true }], ...this.pageOf(page) }, deadline);
  }

  findWhere(
    collection: string,
    field: string,
    value: string,
    limit: number,
    deadline: Deadline,
  ): Promise<StoredDocument[]> {
    const { parent, collectionId } = splitCollection(collection);
    const where = { fieldFilter: { field: { fieldPath: field }, op: 'EQUAL', value: toValue(value) } } as const;
    return this.query(parent, { from: [{ collectionId }], where, limit: { value: limit } }, deadline);
  }

  async count(collection: string, deadline: Deadline): Promise<number> {
    const { parent, collectionId } = splitCollection(collection);
    const request = {
      parent: this.toName(parent),
      structuredAggregationQuery: {
        structuredQuery: { from: [{ collectionId }] },
        aggregations: [{ alias: 'count', count: {} }],
      },
    };
    return withRetry(
      async (timeout) => {
        let count = 0;
        for await (const response of this.client.runAggregationQuery(request, this.options(timeout))) {
          const { result } = response as { result?: { aggregateFields?: ProtoFields } };
          count = Number(result?.aggregateFields?.count?.integerValue ?? count);
        }
        return count;
      },
      deadline,
      this.retry,
    );
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private query(parent: string, query: ProtoQuery, deadline: Deadline): Promise<StoredDocument[]> {
    const request = { parent: this.toName(parent), structuredQuery: query };
    return withRetry(
      async (timeout) => {
        const documents: StoredDocument[] = [];
        for await (const response of this.client.runQuery(request, this.options(timeout))) {
          const { document } = response as { document?: ProtoDocument };
          if (document) documents.push(this.fromDocument(document));
        }
        return documents;
      },
      deadline,
      this.retry,
    );
  }

  private pageOf(page: Page): Pick<ProtoQuery, 'orderBy' | 'startAt' | 'limit'> {
    return {
      orderBy: [{ field: { fieldPath: '__name__' }, direction: 'ASCENDING' }],
      ...(page.after !== undefined && {
        startAt: { values: [{ referenceValue: this.toName(page.after) }], before: false },
      }),
      limit: { value: page.limit },
    };
  }

  private getChunk(paths: readonly string[], deadline: Deadline): Promise<StoredDocument[]> {
    const request = { database: this.database, documents: paths.map((path) => this.toName(path)) };
    return withRetry(
      async (timeout) => {
        const documents: StoredDocument[] = [];
        for await (const response of this.client.batchGetDocuments(request, this.options(timeout))) {
          const { found } = response as { found?: ProtoDocument };
          if (found) documents.push(this.fromDocument(found));
        }
        return documents;
      },
      deadline,
      this.retry,
    );
  }

  /** Writes that fail for a passing reason are sent again; what is applied or in conflict is decided. */
  private async writeChunk(writes: readonly DocumentWrite[], deadline: Deadline): Promise<WriteOutcome[]> {
    const outcomes = new Map<DocumentWrite, WriteOutcome>();
    await withRetry(
      async (timeout) => {
        const open = writes.filter((write) => !outcomes.has(write));
        const request = { database: this.database, writes: open.map((write) => this.toWrite(write)) };
        const [response] = await this.client.batchWrite(request, this.options(timeout));
        let failure: Error | undefined;
        open.forEach((write, place) => {
          const { code, message } = response.status?.[place] ?? { code: Status.UNKNOWN, message: 'No status.' };
          if ((code ?? 0) === 0) outcomes.set(write, 'written');
          else if (CONFLICTS.has(code ?? undefined)) outcomes.set(write, 'conflict');
          else failure = Object.assign(new Error(message ?? 'A write failed.'), { code });
        });
        if (failure) throw failure;
      },
      deadline,
      this.retry,
    );
    return writes.map((write) => outcomes.get(write) ?? 'conflict');
  }

  private toWrite(write: DocumentWrite) {
    const condition = write.when === undefined ? {} : { currentDocument: toPrecondition(write.when) };
    if ('delete' in write) return { delete: this.toName(write.delete), ...condition };
    return {
      update: { name: this.toName(write.set), fields: toFields(write.data) },
      ...(write.fields && { updateMask: { fieldPaths: [...write.fields] } }),
      ...condition,
    };
  }

  private fromDocument(document: ProtoDocument): StoredDocument {
    return {
      path: (document.name ?? '').slice(this.toName('').length + 1),
      data: fromFields(document.fields),
      version: { seconds: Number(document.updateTime?.seconds ?? 0), nanos: document.updateTime?.nanos ?? 0 },
    };
  }

  /** The full name of a document; of the empty path, of the database's root. */
  private toName(path: string): string {
    const root = `${this.database}/documents`;
    return path === '' ? root : `${root}/${path}`;
  }

  /** One attempt each: `withRetry` repeats. */
  private options(timeout: number) {
    return {
      timeout,
      retry: { retryCodes: [] },
      retryRequestOptions: { retries: 0 }, // the same for calls whose answer is a stream
      otherArgs: { headers: this.headers },
    };
  }
}

function clientOptions(config: Config): ConstructorParameters<typeof v1.FirestoreClient>[0] {
  const emulator = config.emulators.firestore;
  if (emulator === undefined) return { projectId: config.projectId };
  const [servicePath = '', port = ''] = emulator.split(':');
  return { projectId: config.projectId, servicePath, port: Number(port), sslCreds: credentials.createInsecure() };
}

function splitCollection(collection: string): { parent: string; collectionId: string } {
  const slash = collection.lastIndexOf('/');
  return { parent: collection.slice(0, Math.max(0, slash)), collectionId: collection.slice(slash + 1) };
}

function toPrecondition(condition: Condition): ProtoPrecondition {
  if (condition === 'absent') return { exists: false };
  if (condition === 'present') return { exists: true };
  return { updateTime: condition };
}

function chunked<T>(items: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < items.length; start += size) chunks.push(items.slice(start, start + size));
  return chunks;
}

function chunkedByBytes(writes: readonly DocumentWrite[]): DocumentWrite[][] {
  const chunks: DocumentWrite[][] = [];
  let bytes = Infinity;
  for (const write of writes) {
    const size = 'data' in write ? documentBytes(write.data) : 0;
    const chunk = chunks.at(-1);
    if (!chunk || bytes + size > WRITE_CHUNK_BYTES || chunk.length >= WRITE_CHUNK_DOCUMENTS) {
      chunks.push([write]);
      bytes = size;
    } else {
      chunk.push(write);
      bytes += size;
    }
  }
  return chunks;
}
