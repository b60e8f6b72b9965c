/**
 * The whole service on this machine: the official Firestore and Pub/Sub emulators, stand-ins for Cloud Storage and
 * Cloud Scheduler, all functions in this process, and the gateway that is the API's base URL.
 */
import { join } from 'node:path';
import { PubSub } from '@google-cloud/pubsub';
import type { EmulatorConfig } from '../../shared/emulator-config';
import { toLocalConfig } from '../../shared/emulator-config';
import { startEmulators } from './emulators';
import { createGateway, loadFunctions } from './gateway';
import { close, listen, requireFreePort } from './ports';
import { createTopology, EVENT_FUNCTIONS } from './pubsub-topology';
import { startSchedulerStandIn } from './scheduler-stand-in';
import type { StackError } from './stack-error';
import { makeStorageFolder, startStorageStandIn } from './storage-stand-in';
import { registerSweepJob } from './sweep-job';

/** The functions of the public API, its console and its reference. */
const HTTP_FUNCTIONS = ['customers', 'products', 'orders', 'ingestion', 'usage', 'console', 'docs'];

/** The running stack. */
export interface Stack {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** As it was given, with the real ports where it had 0. */
  readonly config: EmulatorConfig;
  /** Ends everything; safe to repeat. */
  stop(): Promise<void>;
}

export interface StackOptions {
  /** Called when an emulator ends by itself; the stack is of no use then and must still be stopped. */
  readonly onFailure?: (reason: StackError) => void;
}

/** What has been started, in order, as functions that end it. */
type StartedParts = (() => Promise<unknown>)[];

/**
 * Starts everything and resolves when it is ready. Sets the variables in `process.env` that the functions read. When a
 * part cannot be started, the others are ended.
 * @throws StackError when Java, an emulator or a port is missing, or a folder cannot be made.
 */
export async function startStack(config: EmulatorConfig, options: StackOptions = {}): Promise<Stack> {
  const started: StartedParts = [];
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= stopParts(started));
  try {
    const real = await startParts(config, started, options);
    return { baseUrl: `http://${real.host}:${real.gateway.port}`, config: real, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The emulators come first and become ready while the rest is loaded; the gateway opens when all that it needs is
 * there.
 */
async function startParts(
  config: EmulatorConfig,
  started: StartedParts,
  { onFailure }: StackOptions,
): Promise<EmulatorConfig> {
  const { host, projectId } = config;
  const gatewayPort = await requireFreePort({ host, field: 'gateway.port', port: config.gateway.port });
  const schedulerPort = await requireFreePort({ host, field: 'scheduler.port', port: config.scheduler.port });
  const storage = await startStorageStandIn({ host, ...config.storage });
  started.push(() => storage.stop());
  makeStorageFolder(join(config.storage.root, toLocalConfig(config).reportsBucket));
  const emulators = await startEmulators(config);
  started.push(() => emulators.stop());
  if (onFailure) void emulators.died.then(onFailure);

  const real: EmulatorConfig = {
    ...config,
    gateway: { port: gatewayPort },
    firestore: { port: emulators.firestorePort },
    pubsub: { port: emulators.pubsubPort },
    storage: { ...config.storage, port: storage.port },
    scheduler: { port: schedulerPort },
  };
  const { topics, schedulerLocation, emulators: addresses } = toLocalConfig(real);
  setEnvironment(projectId, addresses);
  const pubsub = new PubSub({ projectId, ...(addresses.pubsub && { apiEndpoint: addresses.pubsub }) });
  started.push(() => pubsub.close());
  const scheduler = await startSchedulerStandIn({ host, port: schedulerPort }, pubsub);
  started.push(() => scheduler.stop());
  const eventServer = createGateway(await loadFunctions(EVENT_FUNCTIONS));
  const eventPort = await listen(eventServer, { host, field: 'event server', port: 0 });
  started.push(() => close(eventServer));
  const gateway = createGateway(await loadFunctions(HTTP_FUNCTIONS), 'ingestion');

  await emulators.ready;
  await Promise.all([
    createTopology(pubsub, topics, `http://${host}:${eventPort}`),
    registerSweepJob({ host, port: schedulerPort, projectId, location: schedulerLocation, topic: topics.deletions }),
  ]);
  await listen(gateway, { host, field: 'gateway.port', port: gatewayPort });
  started.push(() => close(gateway));
  return real;
}

/** What the functions read when they are loaded, and the SDKs. */
function setEnvironment(
  projectId: string,
  addresses: { firestore?: string; pubsub?: string; scheduler?: string; storage?: string },
): void {
  Object.assign(process.env, {
    GOOGLE_CLOUD_PROJECT: projectId,
    FIRESTORE_EMULATOR_HOST: addresses.firestore,
    PUBSUB_EMULATOR_HOST: addresses.pubsub,
    STORAGE_EMULATOR_HOST: addresses.storage,
    CLOUD_SCHEDULER_EMULATOR_HOST: addresses.scheduler,
    // Off the cloud, looking for its metadata server takes half a second.
    METADATA_SERVER_DETECTION: 'none',
  });
}

/** Each is ended even if another one fails to. */
async function stopParts(started: StartedParts): Promise<void> {
  await Promise.allSettled(started.reverse().map((stopPart) => stopPart()));
}
