import { v1 } from '@google-cloud/firestore';
import { credentials } from '@grpc/grpc-js';
import type { Config } from '../../../config';
import type {
  Condition,
  DocumentChange,
  SomeDocuments,
  StoredDocument,
  Version,
} from '../../../documents/document-store';
import type { DocumentData } from '../../../domain/records/document';
import { documentBytes } from '../../../domain/records/document';
import { EMULATOR_HEADERS } from '../emulator-headers';
import type { Addition, DocumentQuery, FirestoreCalls, ReceiveBound, WriteStatus } from '../firestore-calls';
import { splitCollection, unreadPaths } from '../firestore-calls';
import { ResourceNames } from '../resource-names';
import { toFieldPath, UNUSED_FIELD } from '../stored-values';
import type { ProtoDocument, ProtoFields, ProtoPrecondition, ProtoQuery, ProtoTimestamp } from './protocol';
import { fromFields, toFields, toValue } from './values';

/**
 * `FirestoreCalls` on the SDK's protocol client. The SDK's public client hides the result of an increment and the
 * status of each write.
 */
export class SdkFirestore implements FirestoreCalls {
  private readonly client: InstanceType<typeof v1.FirestoreClient>;
  private readonly names: ResourceNames;
  private readonly headers: Record<string, string>;

  constructor(config: Config) {
    this.client = new v1.FirestoreClient(clientOptions(config));
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
    const answers = this.client.batchGetDocuments(request, this.options(timeoutMs));
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
    const [{ transaction }] = await this.client.beginTransaction(request, this.options(timeoutMs));
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
    for await (const response of this.client.batchGetDocuments(request, this.options(timeoutMs))) {
      const { found } = response as { found?: ProtoDocument };
      if (found) versions.set(this.names.toPath(found.name ?? ''), toVersion(found.updateTime));
    }
    return versions;
  }

  async rollback(transaction: Uint8Array, timeoutMs: number): Promise<void> {
    await this.client.rollback({ database: this.names.database, transaction }, this.options(timeoutMs));
  }

  async commit(writes: readonly DocumentChange[], timeoutMs: number, transaction?: Uint8Array): Promise<Version> {
    const request = { ...this.toRequest(writes), ...(transaction && { transaction }) };
    const [{ writeResults, commitTime }] = await this.client.commit(request, this.options(timeoutMs));
    return toVersion(writeResults?.findLast(({ updateTime }) => updateTime)?.updateTime ?? commitTime);
  }

  async batchWrite(writes: readonly DocumentChange[], timeoutMs: number): Promise<WriteStatus[]> {
    const [response] = await this.client.batchWrite(this.toRequest(writes), this.options(timeoutMs));
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
    const [response] = await this.client.commit(request, this.options(timeoutMs));
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
    for await (const response of this.client.runQuery(request, this.options(timeoutMs))) {
      const { document } = response as { document?: ProtoDocument };
      if (document) documents.push(this.fromDocument(document));
    }
    return documents;
  }

  async count(collection: string, timeoutMs: number): Promise<number> {
    const { parent, collectionId } = splitCollection(collection);
    const request = {
      parent: this.names.ofPath(parent),
      structuredAggregationQuery: {
        structuredQuery: { from: [{ collectionId }] },
        aggregations: [{ alias: 'count', count: {} }],
      },
    };
    let count = 0;
    for await (const response of this.client.runAggregationQuery(request, this.options(timeoutMs))) {
      const { result } = response as { result?: { aggregateFields?: ProtoFields } };
      count = Number(result?.aggregateFields?.count?.integerValue ?? count);
    }
    return count;
  }

  close(): Promise<void> {
    return this.client.close();
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
        updateTransforms: [{ fieldPath: toFieldPath(write.writtenAt), setToServerValue: 'REQUEST_TIME' as const }],
      }),
      ...condition,
    };
  }

  private toQuery(query: DocumentQuery): ProtoQuery {
    const { collectionId, allDescendants, refsOnly, where, lastFirst, after, limit } = query;
    return {
      ...(refsOnly && { select: { fields: [{ fieldPath: '__name__' }] } }),
      from: [{ ...(collectionId !== undefined && { collectionId }), ...(allDescendants && { allDescendants }) }],
      ...(where && {
        where: {
          fieldFilter: {
            field: { fieldPath: toFieldPath(where.field) },
            op: typeof where.value === 'string' ? 'EQUAL' : 'IN',
            value: toValue(where.value),
          },
        },
      }),
      orderBy: [{ field: { fieldPath: '__name__' }, direction: lastFirst ? 'DESCENDING' : 'ASCENDING' }],
      ...(after !== undefined && {
        startAt: { values: [{ referenceValue: this.names.ofPath(after) }], before: false },
      }),
      limit: { value: limit },
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

function clientOptions(config: Config): ConstructorParameters<typeof v1.FirestoreClient>[0] {
  const emulator = config.emulators.firestore;
  if (emulator === undefined) return { projectId: config.projectId };
  const [servicePath = '', port = ''] = emulator.split(':');
  return { projectId: config.projectId, servicePath, port: Number(port), sslCreds: credentials.createInsecure() };
}

function toPrecondition(condition: Condition): ProtoPrecondition {
  if (condition === 'absent') return { exists: false };
  if (condition === 'present') return { exists: true };
  return { updateTime: condition };
}

function toVersion(time: ProtoTimestamp | null | undefined): Version {
  return { seconds: Number(time?.seconds ?? 0), nanos: time?.nanos ?? 0 };
}
