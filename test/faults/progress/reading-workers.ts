/**
 * One file that several workers read on the store in memory, while their commits are refused, arrive late, lose their
 * answers, or are the last of their process.
 */
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { DocumentStore, DocumentWrite } from '../../../shared/documents/document-store';
import { writtenPath } from '../../../shared/documents/document-store';
import { recordsPath, runFilePath } from '../../../shared/documents/paths';
import { REQUEST_DEADLINE_MS } from '../../../shared/domain/limits';
import { historicalJobId } from '../../../shared/domain/transfer';
import type { Deadline } from '../../../shared/platform/deadline';
import { deadlineIn } from '../../../shared/platform/deadline';
import type { ObjectStorage, StoredObject } from '../../../shared/transfers/object-storage';
import type { StepContext } from '../../../shared/transfers/reading/file-progress';
import { readFile } from '../../../shared/transfers/reading/read-file';
import { runPartExpiry } from '../../../shared/transfers/runs/expiry';
import { toRunFile } from '../../../shared/transfers/runs/plan-page';
import { readReport } from '../../../shared/transfers/runs/report';
import type { Run } from '../../../shared/transfers/runs/run';
import { fromFileDocument, toFileDocument } from '../../../shared/transfers/runs/run';
import type { TransferDependencies } from '../../../shared/transfers/runs/steps';
import { newRevision } from '../../../shared/workspace/record-documents';
import { differences } from '../../support/differences';
import { encodeRecords } from '../../support/file-formats';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { withMethods } from '../../support/overriding';
import { CollectingLogger } from '../../support/recording-fakes';
import { SeededRandom } from '../../support/seeded-random';
import { aTenant } from '../../unit/support/tenant';

/** What becomes of a commit. A refused one meets something of its records that somebody else has just written. */
const FATES = ['lost answer', 'death before', 'death after', 'late', 'refused'] as const;
type Fate = (typeof FATES)[number];

/** How often something else than usual becomes of a commit, until so much has happened. */
const FAULT_RATE = 0.35;
const MAX_FAULTS = 8;
const MAX_DELIVERIES = 60;
/** How far the clock moves with a commit, at most: then the file's document is written with some of them. */
const MAX_MOVE_MS = 700;

class DeadProcess extends Error {}

type Row = Readonly<{ CustomerId: string; Name: string; EmailOptin: boolean | string; UpdatedAt: string }>;

/** Changes what is written: a mistake that must be noticed. */
export type Flaw = (writes: readonly DocumentWrite[]) => readonly DocumentWrite[];

export interface Reading {
  /** What is not as it should be. */
  readonly wrong: readonly string[];
  /** What became of commits that were not as usual. */
  readonly fates: Readonly<Record<Fate, number>>;
}

/** Has a drawn file read to its end. */
export async function readWithFaults(seed: string, flaw: Flaw = (writes) => writes): Promise<Reading> {
  const world = new World(new SeededRandom(seed), flaw);
  await world.storeOlder();
  await world.disturb();
  await world.end();
  return { wrong: await world.differences(), fates: world.fates };
}

/**
 * When each record of the progress of a file with some bad rows is written, where each commit takes so long, and one in
 * so many is in conflict with somebody else's change of its records.
 */
export async function recordTimes(
  seed: string,
  commitMs: number,
  oneInConflict: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const world = new World(new SeededRandom(seed), (writes) => writes);
  return world.recordTimes(commitMs, oneInConflict);
}

class World {
  readonly fates = Object.fromEntries(FATES.map((fate) => [fate, 0])) as Record<Fate, number>;
  private readonly clock = new FixedClock();
  private readonly store = new MemoryDocumentStore(this.clock);
  private readonly tenant = aTenant({});
  private readonly rows: readonly Row[];
  private readonly older: readonly Row[];
  private readonly objects = new Map<string, string>();
  private readonly running: Promise<unknown>[] = [];
  private late: (() => void)[] = [];
  private isQuiet = true;

  constructor(
    private readonly random: SeededRandom,
    private readonly flaw: Flaw,
  ) {
    const count = 6 + this.draw(40);
    this.rows = Array.from({ length: count }, (_, n) => {
      const again = this.draw(8) === 0 ? Math.max(0, n - 1 - this.draw(7)) : n;
      const EmailOptin = this.draw(12) === 0 ? 'perhaps' : true;
      const UpdatedAt = new Date(Date.UTC(2020, 0, 1, 0, 0, n)).toISOString();
      return { CustomerId: `c${again}`, Name: `Name ${n}`, EmailOptin, UpdatedAt };
    });
    this.older = this.draw(2) === 0 ? [] : this.rows.filter(({ EmailOptin }) => EmailOptin === true).slice(0, 5);
  }

  /** Some customers are there already. */
  async storeOlder(): Promise<void> {
    const UpdatedAt = '2019-01-01T00:00:00Z';
    const rows = this.older.map(({ CustomerId }) => ({ CustomerId, Name: 'Older', EmailOptin: true, UpdatedAt }));
    await this.open('older', rows);
    await this.read('older', this.store);
  }

  /** Delivers the file to one worker after the other: a further one when a process has died, or hangs at a commit. */
  async disturb(): Promise<void> {
    await this.open('file', this.rows);
    this.isQuiet = false;
    for (let delivery = 0; delivery < MAX_DELIVERIES && !(await this.isRead()); delivery += 1) {
      const worker = new Worker();
      const ended = this.read('file', this.storeOf(worker)).catch((error: unknown) => {
        if (!(error instanceof DeadProcess) && !/stands still/.test(String(error))) throw error;
      });
      this.running.push(ended);
      await Promise.race([ended, worker.hangs]);
    }
  }

  /** Lets all that is late arrive, and whoever still works come to an end; then the file is delivered once more. */
  async end(): Promise<void> {
    this.isQuiet = true;
    while (this.late.length > 0) this.arrive();
    await Promise.all(this.running);
    await this.read('file', this.store);
  }

  async recordTimes(commitMs: number, oneInConflict: number): Promise<ReadonlyMap<string, readonly number[]>> {
    await this.open('file', this.rows);
    const times = new Map<string, number[]>();
    let commits = 0;
    const store = withMethods<DocumentStore>(this.store, (method, name) => (...args) => {
      if (name !== 'commit') return method(...args);
      this.clock.advance(commitMs);
      const writes = args[0] as readonly DocumentWrite[];
      if ((commits += 1) % oneInConflict === 0 && writes.some(isOfCustomer)) return Promise.resolve('conflict');
      for (const write of writes) {
        const path = writtenPath(write);
        if (path.startsWith(runFilePath('file', 'file'))) times.set(path, [...(times.get(path) ?? []), this.clock.nowMs()]); // prettier-ignore
      }
      return method(...args);
    });
    await this.read('file', store);
    return times;
  }

  async differences(): Promise<string[]> {
    const good = this.rows.filter(({ EmailOptin }) => EmailOptin === true);
    const bad = this.rows.flatMap(({ EmailOptin }, index) => (EmailOptin === true ? [] : [index + 1]));
    const known = new Set(this.older.map(({ CustomerId }) => CustomerId));
    const created = new Set(good.map(({ CustomerId }) => CustomerId).filter((id) => !known.has(id))).size;
    const rows = { read: this.rows.length, stored: good.length, invalid: bad.length, stale: 0, deleted: 0 };
    const names = new Map(good.map(({ CustomerId, Name }) => [CustomerId, Name]));
    const file = fromFileDocument((await this.store.get(runFilePath('file', 'file')))!);
    const { Created = 0, Updated = 0, Unchanged = 0 } = file.changes ?? {};
    const customers = await this.store.list(recordsPath(this.tenant.tenantId, 'customers'), { limit: 1_000 });
    const reported: number[] = [];
    for await (const { line } of readReport('file', () => this.deadline(), this.reports())) reported.push(line);
    return [
      ...differences('status', file.status, 'finished'),
      ...differences('rows', file.rows, rows),
      ...differences('changes', { Created, Updated, Unchanged }, { Created: created, Updated: good.length - created, Unchanged: 0 }), // prettier-ignore
      ...differences('records', customers.map(({ data }) => [data.CustomerId, data.Name]).sort(), [...names].sort()),
      ...differences('report', reported, bad),
    ];
  }

  private async open(fileId: string, rows: readonly object[]): Promise<void> {
    const content = encodeRecords(rows, 'ndjson');
    this.objects.set(`${fileId}/customers.ndjson`, content);
    const object: StoredObject = {
      name: `${fileId}/customers.ndjson`,
      generation: '1',
      size: Buffer.byteLength(content),
      updated: new Date(this.clock.nowMs()),
      contentEncoding: null,
    };
    const file = { ...toRunFile(object, this.run())!, expireAt: runPartExpiry(this.run()) };
    await this.store.commit([{ set: runFilePath(fileId, fileId), data: toFileDocument(file) }]);
  }

  private run(): Run {
    const startedAt = new Date(this.clock.nowMs());
    return {
      tenantId: this.tenant.tenantId,
      jobId: historicalJobId(this.tenant.tenantId, '1'),
      bucketName: 'bucket',
      folderPaths: [],
      takesAll: true,
      status: 'running',
      startedAt,
    } as unknown as Run;
  }

  private async read(fileId: string, store: DocumentStore): Promise<unknown> {
    const context: StepContext = {
      step: { runId: fileId, unitId: fileId, fileId },
      run: this.run(),
      tenant: this.tenant,
      worker: newRevision(this.random),
      dependencies: this.dependencies(store),
    };
    const isStopped = () => Promise.resolve(false);
    return readFile(context, { turnEndMs: Infinity, endMs: Infinity, isStopped });
  }

  private dependencies(store: DocumentStore): TransferDependencies {
    const { clock, random } = this;
    const sleep = async (ms: number) => {
      clock.advance(ms);
      await turn();
    };
    return {
      ...{ store, random, storage: this.storage(), reportsBucket: 'reports', logger: new CollectingLogger() },
      clock: { nowMs: () => clock.nowMs(), sleep },
    } as unknown as TransferDependencies;
  }

  private storage(): ObjectStorage {
    return {
      read: (_bucket: string, { name }: { name: string }, offset: number) =>
        Readable.from([Buffer.from(this.objects.get(name) ?? '').subarray(offset)]),
      write: (_bucket: string, name: string, content: string) => {
        this.objects.set(name, content);
        return Promise.resolve('1');
      },
    } as unknown as ObjectStorage;
  }

  private reports() {
    return { store: this.store, storage: this.storage(), reportsBucket: 'reports' };
  }

  private deadline(): Deadline {
    return deadlineIn(REQUEST_DEADLINE_MS, this.clock);
  }

  private async isRead(): Promise<boolean> {
    const document = await this.store.get(runFilePath('file', 'file'));
    return document?.data.status === 'finished' && this.late.length === 0;
  }

  private storeOf(worker: Worker): DocumentStore {
    return withMethods<DocumentStore>(this.store, (method, name) => async (...args) => {
      worker.assertAlive();
      const outcome =
        name === 'commit'
          ? await this.commit(worker, args[0] as readonly DocumentWrite[])
          : await turns(this.draw(2)).then(() => method(...args));
      worker.assertAlive();
      return outcome;
    });
  }

  /** What is on its way arrives, whatever becomes of its process. */
  private async commit(worker: Worker, writes: readonly DocumentWrite[]): Promise<unknown> {
    const apply = () => this.store.commit(this.flaw(writes));
    this.clock.advance(this.draw(MAX_MOVE_MS));
    if (this.draw(3) === 0) this.arrive();
    const fate = this.fateOf(writes);
    if (fate) this.fates[fate] += 1;
    await turns(this.draw(4));
    switch (fate) {
      case undefined:
        return apply();
      case 'lost answer':
        await apply();
        return apply(); // as the adapter does, and meets its own
      case 'death before':
        return worker.die();
      case 'death after':
        await apply();
        return worker.die();
      case 'refused':
        return 'conflict';
      case 'late':
        await this.arrivalOf(worker);
        return apply();
    }
  }

  private fateOf(writes: readonly DocumentWrite[]): Fate | undefined {
    const happened = Object.values(this.fates).reduce((sum, count) => sum + count, 0);
    if (this.isQuiet || happened >= MAX_FAULTS || this.random.fraction() >= FAULT_RATE) return undefined;
    const fate = FATES[this.draw(FATES.length)];
    return fate === 'refused' && !writes.some(isOfCustomer) ? undefined : fate;
  }

  /** Resolves when a late commit arrives: at once where the world has become quiet meanwhile. */
  private arrivalOf(worker: Worker): Promise<void> {
    return new Promise((resolve) => {
      this.late.push(resolve);
      if (this.isQuiet) this.arrive();
      else worker.hang();
    });
  }

  private arrive(): void {
    const [arrival] = this.late.splice(this.draw(Math.max(1, this.late.length)), 1);
    arrival?.();
  }

  /** A whole number from 0 below a bound. */
  private draw(bound: number): number {
    return Math.floor(this.random.fraction() * bound);
  }
}

/** A process that reads a file. */
class Worker {
  private isDead = false;
  hang!: () => void;
  /** Resolves when one of its commits hangs. */
  readonly hangs = new Promise<void>((resolve) => (this.hang = resolve));

  die(): never {
    this.isDead = true;
    throw new DeadProcess();
  }

  assertAlive(): void {
    if (this.isDead) throw new DeadProcess();
  }
}

function isOfCustomer(write: DocumentWrite): boolean {
  return 'set' in write && write.set.includes('/customers/');
}

async function turns(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await turn();
}
