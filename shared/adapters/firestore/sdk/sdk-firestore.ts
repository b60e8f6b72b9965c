import type { v1 } from '@google-cloud/firestore';
import type { Config } from '../../../config';
import type {
  Condition,
  DocumentChange,
  FieldValue,
  SomeDocuments,
  StoredDocument,
  Version,
} from '../../../documents/document-store';
import type { DocumentData } from '../../../domain/records/document';
import { documentBytes } from '../../../domain/records/document';
import { emulatorOptions } from '../../emulator-options';
import { EMULATOR_HEADERS } from '../emulator-headers';
import type { Addition, DocumentQuery, FirestoreCalls, ReceiveBound, WriteStatus } from '../firestore-calls';
import { splitCollection, unreadPaths } from '../firestore-calls';
import { ResourceNames } from '../resource-names';
import { toFieldPath, UNUSED_FIELD } from '../stored-values';
import type { ProtoDocument, ProtoFields, ProtoPrecondition, ProtoQuery, ProtoTimestamp } from './protocol';
import { fromFields, toFields, toValue } from './values';

type Client = InstanceType<typeof v1.FirestoreClient>;

/**
 * `FirestoreCalls` on the SDK's protocol client. The SDK's public client hides the result of an increment and the
 * status of each write. The first call loads the SDK.
 */
export class SdkFirestore implements FirestoreCalls {
  private client: Promise<Client> | undefined;
  private readonly names: ResourceNames;
  private readonly headers: Record<string, string>;

  constructor(private readonly config: Config) {
    this.names = new ResourceNames(config);
    this.headers = config.emulators.firestore === undefined ? {} : EMULATOR_HEADERS;
  }

  async batchGet(
    paths: readonly string[],
    bound: ReceiveBound,
    timeoutMs: number,
    transaction?: Uint8Array,
  ): Promise<SomeDocuments> {
    const documentNames = paths.map((path) => this.names.ofPath(path));
    const request = { database: this.names.database, documents: documentNames, ...(transaction && { transaction }) };
    const documents: StoredDocument[] = [];
    const missing: string[] = [];
    const client = await this.connected();
    const answers = client.batchGetDocuments(request, this.options(timeoutMs));
    let received = 0;
    try {
      for await (const response of answers) {
        if (bound.isReached) {
          answers.cancel();
          return { documents, unread: unreadPaths(paths, documents, missing) };
        }
        const answer = response as { found?: ProtoDocument; missing?: string };
        if (answer.missing) missing.push(this.names.toPath(answer.missing));
        if (!answer.found) continue;
        const document = this.fromDocument(answer.found);
        const bytes = documentBytes(document.data);
        received += bytes;
        bound.add(bytes);
        documents.push(document);
      }
      return { documents, unread: [] };
    } catch (error) {
      bound.add(-received);
      throw error;
    }
  }

  async beginTransaction(timeoutMs: number): Promise<Uint8Array> {
    const request = { database: this.names.database, options: { readWrite: {} } };
    const client = await this.connected();
    const [{ transaction }] = await client.beginTransaction(request, this.options(timeoutMs));
    if (!transaction || transaction.length === 0) throw new RangeError('A transaction began without a name.');
    return transaction;
  }

  async getVersions(paths: readonly string[], timeoutMs: number, transaction: Uint8Array) {
    const request = {
      database: this.names.database,
      documents: paths.map((path) => this.names.ofPath(path)),
      mask: { fieldPaths: [UNUSED_FIELD] },
      transaction,
    };
    const versions = new Map<string, Version>();
    const client = await this.connected();
    for await (const response of client.batchGetDocuments(request, this.options(timeoutMs))) {
      const { found } = response as { found?: ProtoDocument };
      if (found) versions.set(this.names.toPath(found.name ?? ''), toVersion(found.updateTime));
    }
    return versions;
  }

  async rollback(transaction: Uint8Array, timeoutMs: number): Promise<void> {
    const client = await this.connected();
    await client.rollback({ database: this.names.database, transaction }, this.options(timeoutMs));
  }

  async commit(writes: readonly DocumentChange[], timeoutMs: number, transaction?: Uint8Array): Promise<Version> {
    const request = { ...this.toRequest(writes), ...(transaction && { transaction }) };
    const client = await this.connected();
    const [{ writeResults, commitTime }] = await client.commit(request, this.options(timeoutMs));
    return toVersion(writeResults?.findLast(({ updateTime }) => updateTime)?.updateTime ?? commitTime);
  }

  async batchWrite(writes: readonly DocumentChange[], timeoutMs: number): Promise<WriteStatus[]> {
    const client = await this.connected();
    const [response] = await client.batchWrite(this.toRequest(writes), this.options(timeoutMs));
    return (response.status ?? []).map(({ code, message }) => ({ code: code ?? 0, message: message ?? '' }));
  }

  async increment(
    path: string,
    data: DocumentData,
    additions: readonly Addition[],
    timeoutMs: number,
  ): Promise<number[]> {
    const write = {
      ...this.toWrite({ set: path, data, fields: Object.keys(data) }),
      updateTransforms: additions.map(([field, amount]) => ({
        fieldPath: toFieldPath(field),
        increment: { integerValue: amount },
      })),
    };
    const request = { database: this.names.database, writes: [write] };
    const client = await this.connected();
    const [response] = await client.commit(request, this.options(timeoutMs));
    const results = response.writeResults?.[0]?.transformResults ?? [];
    return results.map(({ integerValue }) => Number(integerValue));
  }

  async runQuery(query: DocumentQuery, timeoutMs: number, transaction?: Uint8Array): Promise<StoredDocument[]> {
    const request = {
      parent: this.names.ofPath(query.parent),
      structuredQuery: this.toQuery(query),
      ...(transaction && { transaction }),
    };
    const documents: StoredDocument[] = [];
    const client = await this.connected();
    for await (const response of client.runQuery(request, this.options(timeoutMs))) {
      const { document } = response as { document?: ProtoDocument };
      if (document) documents.push(this.fromDocument(document));
    }
    return documents;
  }

  async *streamQuery(query: DocumentQuery, timeoutMs: number): AsyncGenerator<StoredDocument> {
    const request = { parent: this.names.ofPath(query.parent), structuredQuery: this.toQuery(query) };
    const client = await this.connected();
    const answers = client.runQuery(request, this.options(timeoutMs));
    try {
      for await (const response of answers) {
        const { document } = response as { document?: ProtoDocument };
        if (document) yield this.fromDocument(document);
      }
    } finally {
      answers.cancel();
    }
  }

  async count(collection: string, timeoutMs: number, where?: FieldValue): Promise<number> {
    const { parent, collectionId } = splitCollection(collection);
    const request = {
      parent: this.names.ofPath(parent),
      structuredAggregationQuery: {
        structuredQuery: { from: [{ collectionId }], ...(where && { where: toFilter(where) }) },
        aggregations: [{ alias: 'count', count: {} }],
      },
    };
    let count = 0;
    const client = await this.connected();
    for await (const response of client.runAggregationQuery(request, this.options(timeoutMs))) {
      const { result } = response as { result?: { aggregateFields?: ProtoFields } };
      count = Number(result?.aggregateFields?.count?.integerValue ?? count);
    }
    return count;
  }

  async close(): Promise<void> {
    const client = await this.client;
    await client?.close();
  }

  private connected(): Promise<Client> {
    this.client ??= connect(this.config);
    return this.client;
  }

  private toRequest(writes: readonly DocumentChange[]) {
    return { database: this.names.database, writes: writes.map((write) => this.toWrite(write)) };
  }

  private toWrite(write: DocumentChange) {
    const condition = write.when === undefined ? {} : { currentDocument: toPrecondition(write.when) };
    if ('delete' in write) return { delete: this.names.ofPath(write.delete), ...condition };
    return {
      update: { name: this.names.ofPath(write.set), fields: toFields(write.data) },
      ...(write.fields && { updateMask: { fieldPaths: write.fields.map(toFieldPath) } }),
      ...(write.writtenAt !== undefined && {
        updateTransforms: write.writtenAt.map((field) => ({
          fieldPath: toFieldPath(field),
          setToServerValue: 'REQUEST_TIME' as const,
        })),
      }),
      ...condition,
    };
  }

  private toQuery(query: DocumentQuery): ProtoQuery {
    const { collectionId, allDescendants, refsOnly, where, lastFirst, after, before, limit } = query;
    return {
      ...(refsOnly && { select: { fields: [{ fieldPath: '__name__' }] } }),
      from: [{ ...(collectionId !== undefined && { collectionId }), ...(allDescendants && { allDescendants }) }],
      ...(where && { where: toFilter(where) }),
      orderBy: [{ field: { fieldPath: '__name__' }, direction: lastFirst ? 'DESCENDING' : 'ASCENDING' }],
      ...(after !== undefined && {
        startAt: { values: [{ referenceValue: this.names.ofPath(after) }], before: false },
      }),
      ...(before !== undefined && {
        endAt: { values: [{ referenceValue: this.names.ofPath(before) }], before: true },
      }),
      ...(limit !== undefined && { limit: { value: limit } }),
    };
  }

  private fromDocument(document: ProtoDocument): StoredDocument {
    return {
      path: this.names.toPath(document.name ?? ''),
      data: fromFields(document.fields),
      version: toVersion(document.updateTime),
      created: toVersion(document.createTime),
    };
  }

  /** One attempt for each call, because the store retries. */
  private options(timeout: number) {
    return {
      timeout,
      retry: { retryCodes: [] },
      retryRequestOptions: { retries: 0, noResponseRetries: 0 }, // the same for calls whose answer is a stream
      otherArgs: { headers: this.headers },
    };
  }
}

async function connect({ projectId, emulators }: Config): Promise<Client> {
  const { default: firestore } = await import('@google-cloud/firestore');
  return new firestore.v1.FirestoreClient({ projectId, ...(await emulatorOptions(emulators.firestore)) });
}

function toPrecondition(condition: Condition): ProtoPrecondition {
  if (condition === 'absent') return { exists: false };
  if (condition === 'present') return { exists: true };
  return { updateTime: condition };
}

function toVersion(time: ProtoTimestamp | null | undefined): Version {
  return { seconds: Number(time?.seconds ?? 0), nanos: time?.nanos ?? 0 };
}

function toFilter({ field, value }: NonNullable<DocumentQuery['where']>) {
  const op = typeof value === 'string' ? ('EQUAL' as const) : ('IN' as const);
  return { fieldFilter: { field: { fieldPath: toFieldPath(field) }, op, value: toValue(value) } };
}
