/**
 * The whole service on this machine: the official Firestore and Pub/Sub emulators, stand-ins for Cloud Storage and
 * Cloud Scheduler, all functions, and the gateway that is the API's base URL.
 */
import { join } from 'node:path';
import { PubSub } from '@google-cloud/pubsub';
import type { EmulatorConfig } from '../../shared/emulator-config';
import { toLocalConfig } from '../../shared/emulator-config';
import type { DataFolder } from './data/data-folder';
import { openDataFolder } from './data/data-folder';
import type { Restored } from './data/keeper';
import { Keeper } from './data/keeper';
import { startEmulators } from './emulators';
import { loadFunctions } from './functions/load-functions';
import { watchFunctions } from './functions/watch-functions';
import { requireFreePort } from './ports';
import { createTopology, PUSHED_AT_ONCE } from './pubsub-topology';
import { startSchedulerStandIn } from './scheduler-stand-in';
import { registerServiceJobs } from './service-jobs';
import { StackError } from './stack-error';
import { makeStorageFolder, startStorageStandIn } from './storage-stand-in';
import { publishUploads } from './storage/upload-events';

/** The running stack. */
export interface Stack {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** As it was given, with the real ports where it had 0, and the buckets of the data folder. */
  readonly config: EmulatorConfig;
  /** Absent: it keeps nothing. */
  readonly data?: KeptData;
  /** Ends everything; safe to repeat. @throws StackError when the data could not be saved */
  stop(): Promise<void>;
}

/** What a stack has of the stacks before it. */
export interface KeptData {
  readonly folder: string;
  /** Undefined: nothing was saved before. */
  readonly restored: Restored | undefined;
  /** Whether the stack before was killed, so that what it did after its last snapshot is lost. */
  readonly wasKilled: boolean;
}

export interface StackOptions {
  /** Called when an emulator ends by itself; the stack is of no use then and must still be stopped. */
  readonly onFailure?: (reason: StackError) => void;
  /** The folder in which everything is kept when the stack stops. Absent: in none; buckets are in `storage.root`. */
  readonly dataFolder?: string;
  /** A change of a source of the functions restarts them. */
  readonly watch?: boolean;
  /** Called with what happens later: a restart of the functions, a snapshot that cannot be saved. */
  readonly say?: (sentence: string) => void;
}

/** What has been started, in order, as functions that end it. */
type StartedParts = (() => Promise<unknown>)[];

/**
 * Starts everything and resolves when it is ready. Sets the variables in `process.env` that the functions read. When a
 * part cannot be started, the others are ended.
 * @throws StackError when Java, an emulator or a port is missing, a folder cannot be made or is in use, what was kept
 * is damaged, or the functions cannot be built, where they are watched
 */
export async function startStack(config: EmulatorConfig, options: StackOptions = {}): Promise<Stack> {
  const started: StartedParts = [];
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= stopParts(started));
  try {
    const { real, data } = await startParts(config, started, options);
    return { baseUrl: `http://${real.host}:${real.gateway.port}`, config: real, ...(data && { data }), stop };
  } catch (error) {
    await stop().catch(() => undefined); // why it cannot be started says more
    throw error;
  }
}

/**
 * The emulators come first and become ready while the rest is loaded; the gateway opens when all that it needs is
 * there.
 */
async function startParts(
  given: EmulatorConfig,
  started: StartedParts,
  { onFailure, dataFolder, watch = false, say = () => undefined }: StackOptions,
): Promise<{ readonly real: EmulatorConfig; readonly data: KeptData | undefined }> {
  const folder = dataFolder === undefined ? undefined : openDataFolder(dataFolder);
  if (folder) {
    started.push(() => {
      folder.close();
      return Promise.resolve();
    });
  }
  const config = folder ? withBuckets(given, folder) : given;
  const { host, projectId } = config;
  const keeper = folder && (await Keeper.open(folder, projectId, say));
  const gatewayPort = await requireFreePort({ host, field: 'gateway.port', port: config.gateway.port });
  const schedulerPort = await requireFreePort({ host, field: 'scheduler.port', port: config.scheduler.port });
  const storage = await startStorageStandIn({ host, ...config.storage });
  started.push(() => storage.stop());
  makeStorageFolder(join(config.storage.root, toLocalConfig(config).reportsBucket));
  // What is saved at the end is read from the emulators, which a signal of the terminal must not end before.
  const emulators = await startEmulators({ ...config, ignoreTerminal: keeper !== undefined });
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
  const local = toLocalConfig(real);
  const { topics, schedulerLocations, emulators: addresses } = local;
  setEnvironment(projectId, addresses);
  const pubsub = new PubSub({ projectId, ...(addresses.pubsub && { apiEndpoint: addresses.pubsub }) });
  started.push(() => pubsub.close());
  if (keeper) started.push(() => keeper.saveLast());
  const functions = watch ? await watchFunctions(process.cwd(), say) : await loadFunctions();
  started.push(() => functions.stop());
  if (keeper) started.push(() => functions.storeLast());
  const eventsPort = await requireFreePort({ host, field: 'event server', port: 0 });

  await emulators.ready;
  const restored = await keeper?.restoreDocuments(local);
  await createTopology(pubsub, topics, `http://${host}:${eventsPort}`);
  const scheduler = await startSchedulerStandIn({ host, port: schedulerPort, jobs: keeper?.jobs ?? [] }, pubsub);
  started.push(() => scheduler.stop());
  await registerServiceJobs({ host, port: schedulerPort, projectId, location: schedulerLocations[0], topics });
  await functions.serve({ host, gateway: gatewayPort, events: eventsPort });
  const uploads = await publishUploads(config.storage.root, (event) =>
    pubsub.topic(topics.uploads).publishMessage({ json: event }),
  );
  started.push(() => uploads.stop());
  if (keeper) {
    await keeper.goOn(local, scheduler);
    started.push(() => keeper.stopDelivery());
  }
  return { real, data: folder && { folder: folder.path, restored, wasKilled: folder.wasKilled } };
}

function withBuckets(config: EmulatorConfig, { buckets }: DataFolder): EmulatorConfig {
  return { ...config, storage: { ...config.storage, root: buckets } };
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
    // More would only wait in the emulator, before the messages of other tenants.
    TRANSFER_TENANT_CONCURRENCY: process.env.TRANSFER_TENANT_CONCURRENCY ?? String(PUSHED_AT_ONCE),
    // Off the cloud, looking for its metadata server takes half a second.
    METADATA_SERVER_DETECTION: 'none',
  });
}

/** Each is ended after those that need it, even if another one fails to. @throws StackError */
async function stopParts(started: StartedParts): Promise<void> {
  const failures: unknown[] = [];
  for (const stopPart of started.reverse()) await stopPart().catch((error: unknown) => failures.push(error));
  const failure = failures.find((error) => error instanceof StackError);
  if (failure) throw failure;
}
