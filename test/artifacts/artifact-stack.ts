/**
 * The local stack with built artifacts in place of the sources: each function is a process of its own, as the platform
 * starts it. The emulators are those of the test run.
 */
import { PubSub } from '@google-cloud/pubsub';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { EmulatorConfig } from '../../shared/emulator-config';
import { toLocalConfig } from '../../shared/emulator-config';
import { rawUrl } from '../../shared/http/raw-request';
import { MeasuredProcess } from '../bench/measured-process';
import { createGateway } from '../local/gateway';
import { close, listen, requireFreePort } from '../local/ports';
import { createTopology, EVENT_FUNCTIONS } from '../local/pubsub-topology';
import { startSchedulerStandIn } from '../local/scheduler-stand-in';
import { startStorageStandIn } from '../local/storage-stand-in';
import { build, PROJECT } from './built-artifacts';

const HOST = '127.0.0.1';
const FRAMEWORK = resolve(PROJECT, 'node_modules/@google-cloud/functions-framework/build/src/main.js');
const HTTP_FUNCTIONS = ['customers', 'products', 'orders', 'ingestion', 'usage'];

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** What a gateway does to requests on their way, and to their answers. */
export interface Fault {
  readonly method: string;
  readonly path: RegExp;
  /** Changes a body that is not compressed. Absent: the body is handed on as it came. */
  readonly request?: (body: string) => string;
  /** Absent: so is the answer. */
  readonly answer?: (answer: Answer) => Answer;
}

export interface ArtifactStack {
  /** For `--config`. */
  readonly configFile: string;
  readonly config: EmulatorConfig;
  /** Opens a further gateway, with faults. @returns its base URL */
  openGateway(faults: readonly Fault[]): Promise<string>;
  stop(): Promise<void>;
}

export async function startArtifactStack(): Promise<ArtifactStack> {
  const started: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const end of started.splice(0).reverse()) await end();
  };
  try {
    return { ...(await startParts(started)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(started: (() => Promise<unknown>)[]): Promise<Omit<ArtifactStack, 'stop'>> {
  // Below the project, so that the artifacts find its packages.
  mkdirSync(join(PROJECT, '.local'), { recursive: true });
  const folder = mkdtempSync(join(PROJECT, '.local/artifact-stack-'));
  started.push(() => rm(folder, { recursive: true, force: true }));
  build(join(folder, 'dist'));

  const root = join(folder, 'buckets');
  const storage = await startStorageStandIn({ host: HOST, port: 0, root });
  started.push(() => storage.stop());
  const { GOOGLE_CLOUD_PROJECT: projectId = '', FIRESTORE_EMULATOR_HOST, PUBSUB_EMULATOR_HOST } = process.env;
  const pubsub = new PubSub({ projectId, apiEndpoint: PUBSUB_EMULATOR_HOST!, emulatorMode: true });
  started.push(() => pubsub.close());
  const scheduler = await startSchedulerStandIn({ host: HOST, port: 0 }, pubsub);
  started.push(() => scheduler.stop());
  const portOf = (address = '') => ({ port: Number(address.split(':')[1]) });
  const withoutGateway = {
    projectId,
    host: HOST,
    firestore: portOf(FIRESTORE_EMULATOR_HOST),
    pubsub: portOf(PUBSUB_EMULATOR_HOST),
    storage: { port: storage.port, root },
    scheduler: { port: scheduler.port },
  };
  const { emulators, topics, reportsBucket } = toLocalConfig({ ...withoutGateway, gateway: { port: 0 } });
  mkdirSync(join(root, reportsBucket));

  const environment = {
    NODE_ENV: 'production',
    GOOGLE_CLOUD_PROJECT: projectId,
    STORAGE_EMULATOR_HOST: emulators.storage!,
    CLOUD_SCHEDULER_EMULATOR_HOST: emulators.scheduler!,
  };
  const start = async (name: string): Promise<[string, number]> => {
    const port = await requireFreePort({ host: HOST, port: 0, field: name });
    const program = [FRAMEWORK, '--source', join(folder, 'dist', name), '--target', name];
    const artifact = await MeasuredProcess.start({ arguments: program, environment, port });
    started.push(() => artifact.stop());
    return [name, port];
  };
  const ports = new Map(await Promise.all([...HTTP_FUNCTIONS, ...EVENT_FUNCTIONS].map(start)));
  const open = async (names: readonly string[], faults: readonly Fault[] = []): Promise<number> => {
    const gateway = createGateway(new Map(names.map((name) => [name, forwarder(ports.get(name)!, faults)])));
    const port = await listen(gateway, { host: HOST, port: 0, field: 'gateway' });
    started.push(() => close(gateway));
    return port;
  };
  await createTopology(pubsub, topics, `http://${HOST}:${await open(EVENT_FUNCTIONS)}`);
  const config = { ...withoutGateway, gateway: { port: await open(HTTP_FUNCTIONS) } };
  const configFile = join(folder, 'emulator.config.json');
  writeFileSync(configFile, JSON.stringify(config));
  return {
    configFile,
    config,
    openGateway: async (faults) => `http://${HOST}:${await open(HTTP_FUNCTIONS, faults)}`,
  };
}

/** Hands requests to a server on another port, and brings its answers back. */
function forwarder(port: number, faults: readonly Fault[]): Server {
  return createServer((incoming, outgoing) => {
    forward(port, faults, incoming, outgoing).catch(() => outgoing.destroy());
  });
}

async function forward(
  port: number,
  faults: readonly Fault[],
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = '', headers } = incoming;
  const path = rawUrl(incoming);
  const fault = faults.find((one) => one.method === method && one.path.test(path));
  const came = await buffer(incoming);
  const isText = headers['content-encoding'] === undefined;
  const body = fault?.request && isText ? Buffer.from(fault.request(came.toString())) : came;
  const sent = { ...headers, ...(body.length > 0 && { 'content-length': String(body.length) }) };
  const received = await new Promise<IncomingMessage>((answered, failed) => {
    request({ host: HOST, port, method, path, headers: sent }, answered).on('error', failed).end(body);
  });
  const text = (await buffer(received)).toString();
  const answer = { status: received.statusCode ?? 0, headers: received.headers, text };
  const { status, headers: shown, text: told } = fault?.answer?.(answer) ?? answer;
  const { 'content-length': _, 'transfer-encoding': __, ...rest } = shown;
  outgoing.writeHead(status, { ...rest, 'content-length': Buffer.byteLength(told) }).end(told);
}
