/** Fresh emulators with all that a suite works with: tenants, keys, measured processes, the floor. */
import { PubSub } from '@google-cloud/pubsub';
import { resolve } from 'node:path';
import type { Operator, OperatorMeans } from '../../shared/operations/operator';
import { connect } from '../../functions/admin/connection';
import { createKey } from '../../shared/operations/keys';
import type { TenantOptions } from '../../shared/operations/tenants';
import { createTenant } from '../../shared/operations/tenants';
import { systemClock } from '../../shared/platform/clock';
import type { Config } from '../../shared/config';
import { skipMetadataServer } from '../../shared/config';
import { deadlineIn } from '../../shared/platform/deadline';
import { REQUEST_DEADLINE_MS } from '../../shared/domain/limits';
import type { Tenant } from '../../shared/domain/tenant';
import { DEFAULT_EMULATOR_CONFIG, toLocalConfig } from '../../shared/emulator-config';
import { startEmulators } from '../local/emulators';
import { requireFreePort } from '../local/ports';
import { buildProgram, functionFolder } from './artifacts';
import type { FirestoreAccess } from './firestore-protocol';
import { openFirestore } from './firestore-protocol';
import { MeasuredProcess } from './measured-process';
import { WriteFloor } from './write-floor';

const HOST = '127.0.0.1';
const ORGANIZATION = 'bench';
const FRAMEWORK = resolve('node_modules/@google-cloud/functions-framework/build/src/main.js');

export interface ServerOptions {
  /** Variables beside the usual ones; a proxy's address in place of an emulator's, for example. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly port?: number;
  /** The only processor that it runs on. Omitted: any. */
  readonly processor?: string;
  /** Without it the process says nothing of what it uses, and starts as it does on the platform. Default: true. */
  readonly probe?: boolean;
}

export interface BenchStack {
  readonly config: Config;
  readonly operator: Operator & OperatorMeans;
  readonly pubsub: PubSub;
  readonly firestore: FirestoreAccess;
  readonly floor: WriteFloor;
  createTenant(options?: TenantOptions): Promise<Tenant>;
  /** A key for all tenants of the benchmark, as good as unlimited. */
  createKey(): Promise<string>;
  /** Starts a function by its name, or from another folder. */
  startFunction(name: string, options?: ServerOptions & { readonly folder?: string }): Promise<MeasuredProcess>;
  startPeer(throttling: 'off' | 'default', options?: ServerOptions): Promise<MeasuredProcess>;
  /** Ends everything that was started. */
  stop(): Promise<void>;
}

export async function startBenchStack(): Promise<BenchStack> {
  skipMetadataServer();
  const emulators = await startEmulators({
    host: HOST,
    firestore: { port: 0 },
    pubsub: { port: 0 },
    haveMuchMemory: true,
  });
  await emulators.ready;
  const config = toLocalConfig({
    ...DEFAULT_EMULATOR_CONFIG,
    projectId: 'bench',
    firestore: { port: emulators.firestorePort },
    pubsub: { port: emulators.pubsubPort },
  });
  const firestoreAddress = `${HOST}:${emulators.firestorePort}`;
  const pubsubAddress = `${HOST}:${emulators.pubsubPort}`;
  const connection = connect(config);
  const operator = { ...connection, deadline: () => deadlineIn(REQUEST_DEADLINE_MS, systemClock) };
  const firestore = await openFirestore(firestoreAddress, config.projectId);
  const floor = new WriteFloor(firestoreAddress, config.projectId, firestore.protocol);
  const pubsub = new PubSub({ projectId: config.projectId, apiEndpoint: pubsubAddress });
  const probe = buildProgram('usage-probe.ts', 'usage-probe');
  const processes: MeasuredProcess[] = [];
  const environment = {
    NODE_ENV: 'production',
    GOOGLE_CLOUD_PROJECT: config.projectId,
    FIRESTORE_EMULATOR_HOST: firestoreAddress,
    PUBSUB_EMULATOR_HOST: pubsubAddress,
    METADATA_SERVER_DETECTION: 'none',
  };

  async function start(program: readonly string[], options: ServerOptions): Promise<MeasuredProcess> {
    const port = options.port ?? (await requireFreePort({ host: HOST, port: 0, field: 'any' }));
    const started = await MeasuredProcess.start({
      arguments: [...(options.probe === false ? [] : ['--require', probe]), ...program],
      environment: { ...environment, ...options.environment },
      ...(options.processor !== undefined && { processor: options.processor }),
      port,
    });
    processes.push(started);
    return started;
  }

  return {
    config,
    operator,
    pubsub,
    firestore,
    floor,
    createTenant: (options) => createTenant({ organization: ORGANIZATION, ...options }, operator),
    createKey: async () => (await createKey({ organization: ORGANIZATION, limit: 1_000_000 }, operator)).key,
    startFunction: (name, options = {}) => {
      const folder = options.folder ?? functionFolder(name);
      return start([FRAMEWORK, '--source', folder, '--target', name], options);
    },
    startPeer: (throttling, options = {}) => {
      const peer = buildProgram('peer/server.ts', 'peer');
      return start([peer], { ...options, environment: { PEER_THROTTLING: throttling, ...options.environment } });
    },
    async stop() {
      await Promise.all(processes.map((started) => started.stop()));
      floor.close();
      await Promise.all([connection.close(), firestore.close(), pubsub.close()]);
      await emulators.stop();
    },
  };
}

/** Runs with a fresh stack, which ends in any case. */
export async function withBenchStack<T>(use: (stack: BenchStack) => Promise<T>): Promise<T> {
  const stack = await startBenchStack();
  try {
    return await use(stack);
  } finally {
    await stack.stop();
  }
}
