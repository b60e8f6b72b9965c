/**
 * Firestore, Pub/Sub and Cloud Storage as the service's own code meets them in a simulation: documents and objects in
 * memory, each call with a latency of the real service (test/bench/profiles/latencies.ts) on the simulated clock, and
 * everything counted that is billed or bounded.
 */
import type { DocumentStore, DocumentWrite, Transaction } from '../../../shared/documents/document-store';
import { isChange, isCheck, writtenPath } from '../../../shared/documents/document-store';
import { RUNS } from '../../../shared/documents/paths';
import type { EventPublisher } from '../../../shared/events/event-publisher';
import { READ_CHUNK_DOCUMENTS, WRITE_CALL_DOCUMENTS } from '../../../shared/limits/records';
import type { ObjectStorage, StoredObject } from '../../../shared/transfers/object-storage';
import type { LatencyModel } from '../../bench/profiles/latencies';
import { STORAGE } from '../../bench/profiles/latencies';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { withMethods } from '../../support/overriding';
import type { SimulatedClock } from '../engine/simulated-clock';

/** What a piece of work asks of the services. */
export interface Work {
  /** Documents, as Firestore bills them: a missing one, and a query without a result, is one. */
  reads: number;
  writes: number;
  deletes: number;
  /** Of the writes, those of runs: their ids grow with time. */
  runWrites: number;
  /** Calls by which messages are published. */
  messages: number;
}

export const noWork = (): Work => ({ reads: 0, writes: 0, deletes: 0, runWrites: 0, messages: 0 });

const RUN_DOCUMENT = new RegExp(`^${RUNS}/[^/]+$`);
const PIECE_BYTES = 64 * 1024;

export class MeteredCloud {
  work = noWork();
  readonly store: DocumentStore;
  readonly publisher: EventPublisher;
  readonly storage: ObjectStorage;
  readonly published: object[] = [];
  /** How often each document was written. */
  readonly writesOf = new Map<string, number>();
  private readonly objects = new Map<string, Buffer>();

  constructor(
    readonly clock: SimulatedClock,
    private readonly latencies: LatencyModel,
  ) {
    this.store = this.meteredStore();
    this.publisher = {
      publish: async (_topic, event) => {
        await clock.sleep(latencies.drawFor('Publish'));
        this.work.messages += 1;
        this.published.push(event);
      },
    };
    this.storage = this.meteredStorage();
  }

  put(name: string, content: Buffer): void {
    this.objects.set(name, content);
  }

  remove(name: string): void {
    this.objects.delete(name);
  }

  /** Forgets what was counted. */
  restart(): void {
    this.work = noWork();
    this.writesOf.clear();
  }

  private meteredStore(): DocumentStore {
    return this.metered(new MemoryDocumentStore(this.clock));
  }

  /** A store, or a transaction of it. */
  private metered<T extends object>(documents: T): T {
    return withMethods(documents, (method, name) => async (...call) => {
      await this.wait(name as keyof DocumentStore, call);
      const answer = await method(...call);
      if (name === 'begin') return this.metered(answer as Transaction);
      this.count(name as keyof DocumentStore, call, answer);
      return answer;
    });
  }

  private async wait(name: keyof DocumentStore, [first]: readonly unknown[]): Promise<void> {
    const size = Array.isArray(first) ? first.length : 1;
    if (name === 'commit') {
      if ((first as DocumentWrite[]).some(isCheck)) {
        await this.sleepFor('BeginTransaction');
        await this.sleepFor('BatchGetDocuments');
      }
      return this.sleepFor('Commit');
    }
    if (name === 'writeEach') return this.sleepFor('BatchWrite', Math.ceil(size / WRITE_CALL_DOCUMENTS));
    if (name === 'increment') return this.sleepFor('Commit');
    if (BY_PATH.has(name)) return this.sleepFor('BatchGetDocuments', Math.ceil(size / READ_CHUNK_DOCUMENTS));
    if (QUERIES.has(name)) return this.sleepFor('RunQuery');
    return this.sleepFor(name === 'begin' ? 'BeginTransaction' : 'Rollback');
  }

  /** Waits for the slowest of calls that are made side by side. */
  private sleepFor(method: string, calls = 1): Promise<void> {
    const drawn = Array.from({ length: Math.max(1, calls) }, () => this.latencies.drawFor(method));
    return this.clock.sleep(Math.max(...drawn));
  }

  private count(name: keyof DocumentStore, [first]: readonly unknown[], answer: unknown): void {
    if (name === 'commit' || name === 'writeEach') {
      for (const write of first as DocumentWrite[]) this.countWrite(write);
    } else if (name === 'increment') {
      this.countWrite({ set: first as string, data: {} });
    } else if (BY_PATH.has(name)) {
      this.work.reads += Array.isArray(first) ? first.length : 1;
    } else if (QUERIES.has(name)) {
      this.work.reads += Array.isArray(answer) ? Math.max(1, answer.length) : 1;
    }
  }

  private countWrite(write: DocumentWrite): void {
    if (!isChange(write)) {
      this.work.reads += 1;
      return;
    }
    const path = writtenPath(write);
    if ('delete' in write) this.work.deletes += 1;
    else this.work.writes += 1;
    if (RUN_DOCUMENT.test(path)) this.work.runWrites += 1;
    this.writesOf.set(path, (this.writesOf.get(path) ?? 0) + 1);
  }

  private meteredStorage(): ObjectStorage {
    const { clock, latencies, objects } = this;
    const answerAfter = async <T>(answer: () => T): Promise<T> => {
      await clock.sleep(latencies.draw(STORAGE));
      return answer();
    };
    const toObject = (name: string): StoredObject => ({
      name,
      generation: '1',
      size: objects.get(name)!.length,
      updated: new Date(clock.nowMs()),
      contentEncoding: null,
    });
    async function* read(name: string, offset: number): AsyncGenerator<Buffer> {
      await clock.sleep(latencies.draw(STORAGE));
      const content = objects.get(name)!;
      for (let from = offset; from < content.length; from += PIECE_BYTES)
        yield content.subarray(from, from + PIECE_BYTES);
    }
    return {
      list: () => answerAfter(() => ({ objects: [...objects.keys()].sort().map(toObject) })),
      find: (_bucket, name) => answerAfter(() => (objects.has(name) ? toObject(name) : undefined)),
      read: (_bucket, { name }, offset) => read(name, offset),
      write: () => answerAfter(() => '1'),
    };
  }
}

const BY_PATH: ReadonlySet<keyof DocumentStore> = new Set(['get', 'getAll', 'getSome']);
const QUERIES: ReadonlySet<keyof DocumentStore> = new Set([
  ...(['list', 'listRefs', 'listGroup', 'listBelow', 'findWhere', 'findLastWhere', 'count'] as const),
]);
