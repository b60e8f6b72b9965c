/** The functions that a deletion goes through, an instance of each, with Pub/Sub between them. */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isOutOfTime } from '../../../shared/platform/retry';
import { countDocuments } from '../../../shared/operations/count-documents';
import type { FieldValue } from '../../../shared/documents/document-store';
import { deletionsPath, recordsPath } from '../../../shared/documents/paths';
import { MAX_BATCH } from '../../../shared/domain/limits';
import type { Tenant } from '../../../shared/domain/tenant';
import { STUB } from '../../../shared/workspace/kept-tombstones';
import { requireFreePort } from '../../local/ports';
import { createTopology } from '../../local/pubsub-topology';
import type { BenchStack } from '../bench-stack';
import type { FirestoreCall } from '../call-summary';
import type { CountedCalls } from '../counting-proxies';
import { CountingProxies } from '../counting-proxies';
import type { Answer } from '../http-client';
import { answerTo, call, toBody } from '../http-client';
import type { MeasuredProcess } from '../measured-process';
import type { BenchKind } from '../sample-records';
import { customerEmail, sampleRecords } from '../sample-records';

const HOST = '127.0.0.1';
const CONSUMER = 'deletion-consumer';
const RUNNER = 'transfer-runner';
/** Between two looks whether something is applied: a look goes through all that the emulator holds. */
const POLL_MS = 100;
/** How often very many are counted until it succeeds. */
const COUNT_ATTEMPTS = 10;
/** By then deletions are applied, or never will be. */
const APPLIED_WITHIN_MS = 15 * 60_000;
/** More connections than any load has callers. */
const CONNECTIONS = 256;

export interface DeletionServersOptions {
  readonly kind: BenchKind;
  /** Whether what the functions call is recorded; nothing is timed then. */
  readonly isCounted?: boolean;
  /** Variables of a transfer-runner; without them there is none. */
  readonly transfers?: Readonly<Record<string, string>>;
}

/** What each function called. */
export interface CountedFunctions {
  readonly http: CountedCalls;
  readonly consumer: CountedCalls;
  readonly runner: CountedCalls;
}

/** Of all functions. */
export function callsOf({ http, consumer, runner }: CountedFunctions): FirestoreCall[] {
  return [...http.calls, ...consumer.calls, ...runner.calls];
}

const NO_CALLS: CountedCalls = { calls: [], publishes: 0 };

export class DeletionServers {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

  private constructor(
    private readonly stack: BenchStack,
    private readonly kind: BenchKind,
    private readonly http: MeasuredProcess,
    private readonly startConsumerProcess: () => Promise<MeasuredProcess>,
    private consumer: MeasuredProcess,
    private readonly keys: { readonly upserts: string; readonly deletions: string },
    private readonly proxies: { readonly [F in keyof CountedFunctions]?: CountingProxies },
  ) {}

  static async start(stack: BenchStack, options: DeletionServersOptions): Promise<DeletionServers> {
    const { kind, isCounted = false, transfers } = options;
    const proxies: { readonly [F in keyof CountedFunctions]?: CountingProxies } = isCounted
      ? {
          http: await CountingProxies.start(stack),
          consumer: await CountingProxies.start(stack),
          ...(transfers && { runner: await CountingProxies.start(stack) }),
        }
      : {};
    const consumerPort = await requireFreePort({ host: HOST, port: 0, field: 'any' });
    await createTopology(stack.pubsub, stack.config.topics, `http://${HOST}:${consumerPort}`);
    const startConsumer = () =>
      stack.startFunction(CONSUMER, { port: consumerPort, environment: proxies.consumer?.environment ?? {} });
    if (transfers) {
      const environment = { ...proxies.runner?.environment, ...transfers };
      const { port } = await stack.startFunction(RUNNER, { environment });
      await pushTo(stack, RUNNER, port);
    }
    const http = await stack.startFunction(kind, { environment: proxies.http?.environment ?? {} });
    const keys = { upserts: await stack.createKey(), deletions: await stack.createKey() };
    return new DeletionServers(stack, kind, http, startConsumer, await startConsumer(), keys, proxies);
  }

  /** Stores sample records by number. @throws Error when one is refused */
  async fill({ tenantId }: Tenant, count: number, first: number): Promise<void> {
    const most = MAX_BATCH[this.kind];
    for (let done = 0; done < count; done += most) {
      const body = toBody(sampleRecords(this.kind, Math.min(most, count - done), first + done));
      await call({ port: this.http.port, path: `/${tenantId}`, key: this.keys.upserts, body, agent: this.agent });
    }
  }

  /** One upsert of sample records. */
  upsert({ tenantId }: Tenant, count: number, first: number): Promise<Answer> {
    const body = toBody(sampleRecords(this.kind, count, first));
    return answerTo({ port: this.http.port, path: `/${tenantId}`, key: this.keys.upserts, body, agent: this.agent });
  }

  /** Deletes a sample record. @param isByOther a customer by the identifier without priority */
  delete({ tenantId }: Tenant, number: number, isByOther = false): Promise<Answer> {
    const path = `/${tenantId}${isByOther ? `?customerId=C-${number}` : SINGLE_PATH[this.kind](number)}`;
    return answerTo({ port: this.http.port, method: 'DELETE', path, key: this.keys.deletions, agent: this.agent });
  }

  /** Deletes sample records in one request. */
  deleteBatch({ tenantId }: Tenant, count: number, first: number): Promise<Answer> {
    const elements = Array.from({ length: count }, (_, index) => BATCH_ELEMENT[this.kind](first + index));
    const path = `/${tenantId}/deletions`;
    const { port } = this.http;
    return answerTo({ port, path, key: this.keys.deletions, body: toBody(elements), agent: this.agent });
  }

  /** Deletions of a tenant that are pending. */
  countPending({ tenantId }: Tenant): Promise<number> {
    return this.count(deletionsPath(tenantId));
  }

  countRecords({ tenantId }: Tenant): Promise<number> {
    return this.count(recordsPath(tenantId, this.kind), this.kind === 'orders' ? STUB : undefined);
  }

  /** An emulator that is busy counts very many documents for longer than a call waits. */
  private async count(collection: string, without?: FieldValue): Promise<number> {
    const { store, deadline } = this.stack.operator;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await countDocuments(collection, { store, deadline, progress: () => undefined }, without);
      } catch (error) {
        if (!isOutOfTime(error) || attempt === COUNT_ATTEMPTS) throw error;
      }
    }
  }

  /** Waits until nothing of a tenant is pending. @throws Error when that takes a quarter of an hour */
  async untilApplied(tenant: Tenant): Promise<void> {
    const endMs = performance.now() + APPLIED_WITHIN_MS;
    while ((await this.countPending(tenant)) > 0) {
      if (performance.now() > endMs) throw new Error('Deletions are not applied.');
      await sleep(POLL_MS);
    }
  }

  /** Has messages wait, as those for a function that is not there. */
  async stopConsumer(): Promise<void> {
    // The emulator gives up an address that refuses connections for minutes.
    await this.stack.pubsub.subscription(CONSUMER).modifyPushConfig({});
    await this.consumer.stop();
  }

  async startConsumer(): Promise<void> {
    this.consumer = await this.startConsumerProcess();
    await pushTo(this.stack, CONSUMER, this.consumer.port);
  }

  /** The most memory that the consumer has had since it was started. */
  async consumerPeakBytes(): Promise<number> {
    return (await this.consumer.usage()).peakBytes;
  }

  /** CPU of the functions that accept and apply deletions. */
  async cpuMs(): Promise<number> {
    const used = await Promise.all([this.http.usage(), this.consumer.usage()]);
    return used.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  }

  /** What was called since it was last asked; only where calls are counted. */
  async takeCalls(): Promise<CountedFunctions> {
    const take = (name: keyof CountedFunctions) => this.proxies[name]?.take() ?? Promise.resolve(NO_CALLS);
    const [http, consumer, runner] = await Promise.all([take('http'), take('consumer'), take('runner')]);
    return { http, consumer, runner };
  }

  /** Ends the proxies; the processes end with their stack. */
  stop(): void {
    this.agent.destroy();
    for (const proxies of Object.values(this.proxies)) proxies.stop();
  }
}

/** Has the messages of a function pushed to this port. */
async function pushTo({ pubsub }: BenchStack, name: string, port: number): Promise<void> {
  await pubsub.subscription(name).modifyPushConfig({ pushEndpoint: `http://${HOST}:${port}/${name}` });
}

/** Runs with servers of a stack, whose proxies end in any case. */
export async function withDeletionServers<T>(
  stack: BenchStack,
  options: DeletionServersOptions,
  use: (servers: DeletionServers) => Promise<T>,
): Promise<T> {
  const servers = await DeletionServers.start(stack, options);
  try {
    return await use(servers);
  } finally {
    servers.stop();
  }
}

const SINGLE_PATH: Readonly<Record<BenchKind, (number: number) => string>> = {
  customers: (number) => `?email=${customerEmail(number)}`,
  orders: (number) => `/O-${number}`,
  products: (number) => `/P-${number}`,
};

const BATCH_ELEMENT: Readonly<Record<BenchKind, (number: number) => object>> = {
  customers: (number) => ({ Email: customerEmail(number) }),
  orders: (number) => ({ OrderId: `O-${number}` }),
  products: (number) => ({ ProductId: `P-${number}` }),
};
