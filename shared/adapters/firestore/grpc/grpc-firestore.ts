import type { Clock } from '../../../platform/clock';
import type { Config } from '../../../config';
import type {
  DocumentChange,
  FieldValue,
  SomeDocuments,
  StoredDocument,
  Version,
} from '../../../documents/document-store';
import type { DocumentData } from '../../../domain/records/document';
import type { GrpcChannel, Routing } from '../../grpc/grpc-channel';
import { EventLoopShare, mapInShares, runInShares } from '../../../platform/async/event-loop-share';
import type { Addition, DocumentQuery, FirestoreCalls, ReceiveBound, WriteStatus } from '../firestore-calls';
import { splitCollection, unreadPaths } from '../firestore-calls';
import { ResourceNames } from '../resource-names';
import { firestoreChannel } from './firestore-channel';
import {
  encodeBatchGet,
  encodeBeginTransaction,
  encodeCount,
  encodeGetVersions,
  encodeIncrement,
  encodeQuery,
  encodeRollback,
  encodingWrites,
} from './requests';
import {
  decodeCommitted,
  decodeCount,
  decodeFound,
  decodeIncremented,
  decodeMissing,
  decodeQueried,
  decodeStatuses,
  decodeTransaction,
} from './responses';

/**
 * `FirestoreCalls` over plain gRPC, with its own encoding of the messages. It loads and works in a fraction of the
 * SDK's time (shared/README.md has the figures).
 */
export class GrpcFirestore implements FirestoreCalls {
  private readonly channel: GrpcChannel;
  private readonly names: ResourceNames;
  private readonly database: Routing;

  constructor(config: Config, clock: Clock) {
    this.channel = firestoreChannel(config, clock);
    this.names = new ResourceNames(config);
    this.database = ['database', this.names.database];
  }

  async batchGet(
    paths: readonly string[],
    bound: ReceiveBound,
    timeoutMs: number,
    transaction?: Uint8Array,
  ): Promise<SomeDocuments> {
    const request = encodeBatchGet(this.names, paths, transaction);
    let received = 0;
    const progress = { isCut: false };
    const accepts = (answer: Buffer) => {
      progress.isCut = bound.isReached;
      if (progress.isCut) return false;
      received += answer.length;
      bound.add(answer.length);
      return true;
    };
    try {
      const answers = await this.channel.stream('BatchGetDocuments', request, this.database, timeoutMs, accepts);
      const found = await mapInShares(answers, (answer) => decodeFound(this.names, answer) ?? []);
      const documents = found.flat();
      if (!progress.isCut) return { documents, unread: [] };
      const missing = answers.flatMap((answer) => decodeMissing(this.names, answer) ?? []);
      return { documents, unread: unreadPaths(paths, documents, missing) };
    } catch (error) {
      bound.add(-received);
      throw error;
    }
  }

  async commit(writes: readonly DocumentChange[], timeoutMs: number, transaction?: Uint8Array): Promise<Version> {
    const request = await runInShares(encodingWrites(this.names, writes, transaction), new EventLoopShare());
    return decodeCommitted(await this.channel.unary('Commit', request, this.database, timeoutMs));
  }

  async beginTransaction(timeoutMs: number): Promise<Uint8Array> {
    const request = encodeBeginTransaction(this.names);
    const answer = await this.channel.unary('BeginTransaction', request, this.database, timeoutMs);
    const transaction = decodeTransaction(answer);
    if (!transaction) throw new RangeError('A transaction began without a name.');
    return transaction;
  }

  async getVersions(paths: readonly string[], timeoutMs: number, transaction: Uint8Array) {
    const request = encodeGetVersions(this.names, paths, transaction);
    const answers = await this.channel.stream('BatchGetDocuments', request, this.database, timeoutMs);
    const documents = answers.flatMap((answer) => decodeFound(this.names, answer) ?? []);
    return new Map(documents.map(({ path, version }) => [path, version]));
  }

  async rollback(transaction: Uint8Array, timeoutMs: number): Promise<void> {
    await this.channel.unary('Rollback', encodeRollback(this.names, transaction), this.database, timeoutMs);
  }

  async batchWrite(writes: readonly DocumentChange[], timeoutMs: number): Promise<WriteStatus[]> {
    const request = await runInShares(encodingWrites(this.names, writes), new EventLoopShare());
    return decodeStatuses(await this.channel.unary('BatchWrite', request, this.database, timeoutMs));
  }

  async increment(
    path: string,
    data: DocumentData,
    additions: readonly Addition[],
    timeoutMs: number,
  ): Promise<number[]> {
    const request = encodeIncrement(this.names, path, data, additions);
    return decodeIncremented(await this.channel.unary('Commit', request, this.database, timeoutMs));
  }

  async runQuery(query: DocumentQuery, timeoutMs: number, transaction?: Uint8Array): Promise<StoredDocument[]> {
    const request = encodeQuery(this.names, query, transaction);
    const answers = await this.channel.stream('RunQuery', request, this.below(query.parent), timeoutMs);
    return answers.flatMap((answer) => decodeQueried(this.names, answer) ?? []);
  }

  async *streamQuery(query: DocumentQuery, timeoutMs: number): AsyncGenerator<StoredDocument> {
    const request = encodeQuery(this.names, query);
    for await (const answer of this.channel.messages('RunQuery', request, this.below(query.parent), timeoutMs)) {
      const document = decodeQueried(this.names, answer);
      if (document) yield document;
    }
  }

  async count(collection: string, timeoutMs: number, where?: FieldValue): Promise<number> {
    const request = encodeCount(this.names, collection, where);
    const { parent } = splitCollection(collection);
    const answers = await this.channel.stream('RunAggregationQuery', request, this.below(parent), timeoutMs);
    return answers.reduce((count, answer) => decodeCount(answer) ?? count, 0);
  }

  close(): Promise<void> {
    this.channel.close();
    return Promise.resolve();
  }

  private below(parent: string): Routing {
    return ['parent', this.names.ofPath(parent)];
  }
}
