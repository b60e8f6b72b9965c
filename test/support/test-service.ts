/**
 * The service in one process: the real endpoints behind the real functions-framework, on a store in memory, a clock
 * that stands still and fakes that remember. Only Google Cloud is missing.
 */
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import type { Agent, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDeletionConsumer } from '../../functions/deletion-consumer/consume-deletion';
import { createTenantsConsole } from '../../functions/console/tenants-console';
import { customersEndpoint } from '../../functions/customers/endpoint';
import { ingestionEndpoint } from '../../functions/ingestion/endpoint';
import { ordersEndpoint } from '../../functions/orders/endpoint';
import { productsEndpoint } from '../../functions/products/endpoint';
import { createUploadConsumer } from '../../functions/upload-consumer/consume-upload';
import { usageEndpoint } from '../../functions/usage/endpoint';
import { StoredAdmission } from '../../shared/auth/stored-admission';
import { toKeyDocument, toTenantDocument } from '../../shared/auth/tenant-documents';
import { DEFAULT_TOPICS } from '../../shared/config';
import { deadlineIn } from '../../shared/platform/deadline';
import type { DocumentChange } from '../../shared/documents/document-store';
import { apiKeyPath, idOf, recordsPath, tenantPath } from '../../shared/documents/paths';
import type { ApiKey, Permission } from '../../shared/domain/api-key';
import { hashApiKey, PERMISSIONS } from '../../shared/domain/api-key';
import type { DocumentData } from '../../shared/domain/records/document';
import type { RecordKind } from '../../shared/domain/identity';
import type { Tenant, TenantSettings } from '../../shared/domain/tenant';
import { DEFAULT_SETTINGS, parseTenantId } from '../../shared/domain/tenant';
import { createPushHandler } from '../../shared/endpoint/push-handler';
import type { RequestHandler } from '../../shared/endpoint/endpoint';
import { createEndpoint } from '../../shared/endpoint/endpoint';
import { UsageCounters } from '../../shared/usage/usage-counters';
import { documentedExchange } from './conformance/documented-exchange';
import { CONSOLE } from './console-files';
import { FixedClock } from './fixed-clock';
import type { Received } from './http-exchange';
import { exchange } from './http-exchange';
import { MergeQueue } from '../../shared/records/merge-queue';
import { PresencePredictor } from '../../shared/records/presence-predictor';
import { withoutStubs } from '../../shared/workspace/kept-tombstones';
import { MemoryDocumentStore } from './memory-document-store';
import { ObservedDocumentStore } from './observed-document-store';
import {
  CollectingLogger,
  MemoryObjects,
  RecordingBucketLook,
  RecordingPublisher,
  RecordingScheduler,
} from './recording-fakes';
import { SeededRandom } from './seeded-random';
import { storedJob, storedReport, storedRun } from './stored-run';
import { storedUsage } from './stored-usage';

export type FunctionName =
  'customers' | 'products' | 'orders' | 'ingestion' | 'usage' | 'console' | 'deletion-consumer' | 'upload-consumer';
/** The functions of the API. */
export const HTTP_FUNCTIONS = ['customers', 'products', 'orders', 'ingestion', 'usage'] as const;

export interface RequestOptions {
  /** The function that gets the request; by default the one that the path names, else the service's first. */
  readonly to?: FunctionName;
  /** Value of `x-service-auth-key`. */
  readonly key?: string;
  /** Override what follows from the other options; undefined leaves a header out. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is, declared as JSON unless the headers say otherwise. */
  readonly raw?: string | Buffer;
  readonly chunked?: boolean;
  readonly agent?: Agent;
}

/** A tenant with a key that may do everything. */
export interface Caller {
  readonly tenantId: string;
  readonly organizationId: string;
  readonly key: string;
}

export class TestService {
  readonly clock = new FixedClock();
  readonly random = new SeededRandom();
  readonly logger = new CollectingLogger();
  readonly publisher = new RecordingPublisher();
  readonly scheduler = new RecordingScheduler();
  readonly storage = new MemoryObjects();
  readonly bucketLook = new RecordingBucketLook();
  readonly projectId = 'project';
  readonly transferServiceAccount = 'runner@project.iam.gserviceaccount.com';
  private readonly memory = new MemoryDocumentStore();
  readonly store = new ObservedDocumentStore(this.memory);
  readonly admissionStore = new StoredAdmission(this.store);
  readonly usage = new UsageCounters(this);
  readonly presencePredictor = new PresencePredictor();
  readonly mergeQueue = new MergeQueue();
  readonly deletionsTopic = DEFAULT_TOPICS.deletions;
  readonly reportsBucket = 'reports';
  readonly transfersTopic = DEFAULT_TOPICS.transfers;
  readonly uploadsTopic = DEFAULT_TOPICS.uploads;
  readonly deadLettersTopic = DEFAULT_TOPICS.deadLetters;
  /** What every new tenant of `createCaller` holds. */
  storedOfNewTenants: (tenantId: string) => readonly DocumentChange[] = () => [];
  private readonly servers = new Map<FunctionName, Server>();
  private readonly names = new SeededRandom('names');

  /**
   * Starts functions, each in its own framework server; a name that is given again is one more instance and replaces
   * it.
   */
  async start(functions: readonly FunctionName[]): Promise<void> {
    for (const name of functions) {
      http(name, this.handlerOf(name));
      const server = getTestServer(name);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      await this.stopFunction(name);
      this.servers.set(name, server);
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.servers.keys()].map((name) => this.stopFunction(name)));
  }

  portOf(name: FunctionName): number {
    const server = this.servers.get(name);
    if (!server) throw new Error(`The function ${name} was not started.`);
    return (server.address() as AddressInfo).port;
  }

  /** Sends a request. @throws Error where it, or its answer, is not as in `openapi.json` */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<Received> {
    const { to, key, json, raw, headers = {}, ...rest } = options;
    const body = json === undefined ? raw : JSON.stringify(json);
    const all: Record<string, string | string[] | undefined> = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'x-service-auth-key': key }),
      ...headers,
    };
    const functionName = to ?? this.functionOf(path);
    const sentHeaders = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const port = this.portOf(functionName);
    const outgoing = { port, method, path, headers: sentHeaders, ...(body !== undefined && { body }), ...rest };
    const isDocumented = HTTP_FUNCTIONS.some((name) => name === functionName);
    return isDocumented ? documentedExchange(functionName, outgoing) : exchange(outgoing);
  }

  /** Stores a new tenant of an organization (a new one unless given) and a key of that organization. */
  async createCaller(
    options: Partial<TenantSettings & Pick<ApiKey, 'permissions' | 'requestsPerMinute' | 'organizationId'>> = {},
  ): Promise<Caller> {
    const {
      permissions,
      requestsPerMinute,
      organizationId = `org-${this.names.bytes(4).toString('hex')}`,
      ...settings
    } = options;
    const tenantId = await this.createTenant(organizationId, settings);
    const stored = this.storedOfNewTenants(tenantId);
    if (stored.length > 0) await this.store.commit(stored, this.deadline());
    const key = await this.createKey(organizationId, {
      ...(permissions && { permissions }),
      ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    });
    return { tenantId, organizationId, key };
  }

  /** Stores a tenant under a new id, or changes the settings of a stored one. */
  async createTenant(
    organizationId: string,
    settings: Partial<TenantSettings> = {},
    tenantId = this.unusedTenantId(),
  ): Promise<string> {
    const tenant = { ...DEFAULT_SETTINGS, ...settings, organizationId, tenantId: parseTenantId(tenantId) } as Tenant;
    const job = storedJob(tenantId);
    this.scheduler.before.set(job.trigger.jobId, job);
    this.storage.put(this.reportsBucket, storedReport(tenantId).name, storedReport(tenantId).content);
    await this.store.commit(
      [{ set: tenantPath(tenantId), data: toTenantDocument(tenant) }, ...storedRun(tenantId), ...storedUsage(tenantId)],
      this.deadline(),
    );
    this.store.calls.length = 0;
    return tenantId;
  }

  /** Stores a key and returns it. */
  async createKey(
    organizationId: string,
    options: { permissions?: readonly Permission[]; requestsPerMinute?: number; expiresAtMs?: number } = {},
  ): Promise<string> {
    const key = this.unknownKey();
    const stored: ApiKey = {
      hash: hashApiKey(key)!,
      keyId: `key_${this.names.bytes(4).toString('hex')}`,
      name: null,
      organizationId,
      permissions: options.permissions ?? PERMISSIONS,
      requestsPerMinute: options.requestsPerMinute ?? 100,
      createdAtMs: this.clock.nowMs(),
      expiresAtMs: options.expiresAtMs ?? null,
      revokedAtMs: null,
    };
    await this.store.commit([{ set: apiKeyPath(stored.hash), data: toKeyDocument(stored) }], this.deadline());
    this.store.calls.length = 0;
    return key;
  }

  /** Revokes a stored key, as the operator's command does. */
  async revokeKey(key: string): Promise<void> {
    const data = { revokedAt: new Date(this.clock.nowMs()) };
    await this.store.commit(
      [{ set: apiKeyPath(hashApiKey(key)!), data, fields: ['revokedAt'], when: 'present' }],
      this.deadline(),
    );
    this.store.calls.length = 0;
  }

  /** Suspends a stored tenant, as the operator's command does. */
  async suspendTenant(tenantId: string): Promise<void> {
    const data = { suspendedSince: new Date(this.clock.nowMs()) };
    const write = { set: tenantPath(tenantId), data, fields: ['suspendedSince'], when: 'present' } as const;
    await this.store.commit([write], this.deadline());
    this.store.calls.length = 0;
  }

  /** A key that is stored nowhere. */
  unknownKey(): string {
    return this.names.bytes(32).toString('base64');
  }

  /** A GUID that is no tenant's. */
  unusedTenantId(): string {
    const hex = this.names.bytes(16).toString('hex');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  /** The stored records of a tenant. */
  async records(tenantId: string, kind: RecordKind): Promise<DocumentData[]> {
    const documents = await this.store.list(recordsPath(tenantId, kind), { limit: 10_000 }, this.deadline());
    return withoutStubs(documents).map(({ data }) => data);
  }

  /** Drops everything that the stand-ins hold: documents, messages, jobs and log lines. */
  forget(): void {
    this.memory.clear();
    this.store.forget();
    this.publisher.published.length = 0;
    this.scheduler.jobs.clear();
    this.logger.entries.length = 0;
  }

  /** Lets the deletion consumer handle every published deletion, as Pub/Sub would. */
  async deliverDeletions(): Promise<void> {
    const consume = createDeletionConsumer(this);
    const deletions = this.publisher.published.filter(({ topic }) => topic === this.deletionsTopic);
    for (const { event } of deletions)
      await consume(event, this.deadline(), { messageId: '1', publishedAt: new Date(0) });
  }

  /** Ids of accepted deletions that are not applied. */
  async pendingDeletions(tenantId: string): Promise<string[]> {
    const pending = await this.store.list(`${tenantPath(tenantId)}/deletions`, { limit: 1_000 }, this.deadline());
    return pending.map(({ path }) => idOf(path));
  }

  deadline() {
    return deadlineIn(20_000, this.clock);
  }

  private functionOf(path: string): FunctionName {
    const named = [...this.servers.keys()].find((name) => path === `/${name}` || path.startsWith(`/${name}/`));
    const [first] = this.servers.keys();
    return named ?? first ?? 'customers';
  }

  private async stopFunction(name: FunctionName): Promise<void> {
    const server = this.servers.get(name);
    if (!server) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  private handlerOf(name: FunctionName): RequestHandler {
    switch (name) {
      case 'customers':
        return createEndpoint(customersEndpoint(this), this);
      case 'products':
        return createEndpoint(productsEndpoint(this), this);
      case 'orders':
        return createEndpoint(ordersEndpoint(this), this);
      case 'ingestion':
        return createEndpoint(ingestionEndpoint(this), this);
      case 'usage':
        return createEndpoint(usageEndpoint(this), this);
      case 'console':
        return createTenantsConsole(Object.assign({ ...CONSOLE }, this));
      case 'deletion-consumer':
        return createPushHandler(name, createDeletionConsumer(this), this);
      case 'upload-consumer':
        return createPushHandler(name, createUploadConsumer(this), this);
    }
  }
}

/** A new service for every test of the file. */
export function useTestService(...functions: FunctionName[]): () => TestService {
  let service: TestService | undefined;
  beforeEach(async () => {
    service = new TestService();
    await service.start(functions);
  });
  afterEach(() => service?.stop());
  return () => service!;
}
