/** The requests that are measured: full batches, sent to tenants that hold none, half or all of the records already. */
import { Agent } from 'node:http';
import { recordsPath } from '../../shared/documents/paths';
import type { BenchStack } from './bench-stack';
import type { CallSummary } from './call-summary';
import { summarizeCalls } from './call-summary';
import { CountingProxy } from './counting-proxy';
import { firestoreCallReader } from './firestore-calls';
import type { ProtoDocument } from './firestore-protocol';
import { call, toBody } from './http-client';
import type { MeasuredProcess } from './measured-process';
import type { BenchKind } from './sample-records';
import { sampleRecords } from './sample-records';

export interface UpsertScenario {
  readonly name: string;
  readonly kind: BenchKind;
  readonly records: number;
  /** How many of them the tenant has already. */
  readonly existing: number;
  /** Documents of one commit of the floor; its commits run side by side. */
  readonly floorCommit: number;
  /** Of the tenant; omitted: `ProductId`. */
  readonly productIdentifier?: 'sku';
}

export const UPSERT_SCENARIOS: readonly UpsertScenario[] = [
  { name: '1,000 customers, all new', kind: 'customers', records: 1_000, existing: 0, floorCommit: 500 },
  { name: '1,000 customers, all existing', kind: 'customers', records: 1_000, existing: 1_000, floorCommit: 500 },
  { name: '1,000 customers, half existing', kind: 'customers', records: 1_000, existing: 500, floorCommit: 500 },
  { name: '500 orders of 3 lines, new', kind: 'orders', records: 500, existing: 0, floorCommit: 250 },
  { name: '200 products of 10 variants, new', kind: 'products', records: 200, existing: 0, floorCommit: 50 },
];

/** One request: how long its answer took, and the server's CPU for it. */
export interface RequestSample {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** A server that takes upserts: the service's function, or the peer. */
export class UpsertTarget {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(
    private readonly stack: BenchStack,
    private readonly server: MeasuredProcess,
    private readonly key: string,
    /** What leads the path: nothing for a function, which is called by its own address. */
    private readonly pathOf: (kind: BenchKind, tenantId: string) => string,
  ) {}

  /**
   * A new tenant that has what the scenario says, and from whom the server has had a request, as in the middle of a
   * feed.
   */
  async prepareTenant({ kind, existing, productIdentifier }: UpsertScenario): Promise<string> {
    const { tenantId } = await this.stack.createTenant(productIdentifier && { productIdentifier });
    await this.send(kind, tenantId, toBody(sampleRecords(kind, existing)));
    return tenantId;
  }

  send(kind: BenchKind, tenantId: string, body: Buffer): Promise<number> {
    return call({ port: this.server.port, path: this.pathOf(kind, tenantId), key: this.key, body, agent: this.agent });
  }

  /** Sends the scenario's batch. */
  sendBatch({ kind, records }: UpsertScenario, tenantId: string): Promise<number> {
    return this.send(kind, tenantId, toBody(sampleRecords(kind, records)));
  }

  /** Sends the scenario's batch to a new tenant, and measures it. */
  async measure(scenario: UpsertScenario): Promise<RequestSample & { readonly tenantId: string }> {
    const tenantId = await this.prepareTenant(scenario);
    const body = toBody(sampleRecords(scenario.kind, scenario.records));
    return { ...(await this.measureSeries(scenario.kind, tenantId, [body])), tenantId };
  }

  /** Sends requests one after the other; the means of one. */
  async measureSeries(kind: BenchKind, tenantId: string, bodies: readonly Buffer[]): Promise<RequestSample> {
    const before = await this.server.usage();
    let wallMs = 0;
    for (const body of bodies) wallMs += await this.send(kind, tenantId, body);
    const after = await this.server.usage();
    return { wallMs: wallMs / bodies.length, cpuMs: (after.cpuMs - before.cpuMs) / bodies.length };
  }

  async warmUp(scenario: UpsertScenario, times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) await this.measure(scenario);
  }
}

export const functionPath = (_kind: BenchKind, tenantId: string) => `/${tenantId}`;
export const peerPath = (kind: BenchKind, tenantId: string) => `/${kind}/${tenantId}`;

/** The first documents that a tenant has of a kind. */
export function storedDocuments(
  stack: BenchStack,
  kind: BenchKind,
  tenantId: string,
  limit: number,
): Promise<ProtoDocument[]> {
  return stack.firestore.listDocuments(recordsPath(tenantId, kind), limit);
}

/** What one request asks of Firestore: the first one of a key, and a later one. */
export interface CountedRequests {
  readonly first: CallSummary;
  readonly later: CallSummary;
}

/** Counts through a proxy, with a server of its own. `start`: starts it on the given address of Firestore. */
export async function countRequests(
  stack: BenchStack,
  scenario: UpsertScenario,
  start: (firestoreAddress: string) => Promise<MeasuredProcess>,
  pathOf: (kind: BenchKind, tenantId: string) => string,
): Promise<CountedRequests> {
  const readCall = firestoreCallReader(stack.firestore.protocol);
  const proxy = await CountingProxy.start(stack.config.emulators.firestore ?? '', readCall);
  const server = await start(proxy.address);
  try {
    const filled = new UpsertTarget(stack, server, await stack.createKey(), pathOf);
    const tenants = [await filled.prepareTenant(scenario), await filled.prepareTenant(scenario)] as const;
    // A key that the server has not seen: its first request reads one after the other.
    const target = new UpsertTarget(stack, server, await stack.createKey(), pathOf);
    const count = async (tenantId: string) => {
      await proxy.takeCalls();
      await target.sendBatch(scenario, tenantId);
      return summarizeCalls(await proxy.takeCalls());
    };
    const first = await count(tenants[0]);
    await target.send(scenario.kind, tenants[1], toBody([]));
    return { first, later: await count(tenants[1]) };
  } finally {
    await server.stop();
    proxy.stop();
  }
}
