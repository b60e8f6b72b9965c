/**
 * The official Firestore and Pub/Sub emulators as child processes. Their JVMs are started directly: through gcloud they
 * start slower, and ending it orphans them.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { systemClock } from '../../shared/platform/clock';
import type { EmulatorKind } from './emulator-jars';
import { findEmulatorJar, findJava, FIRESTORE_EMULATOR, PUBSUB_EMULATOR } from './emulator-jars';
import { OutputTail } from './output-tail';
import type { PortRequest } from './ports';
import { portTakenError, requireFreePort } from './ports';
import type { RunFile } from './run-file';
import { openRunFile, sweepCrashedRuns } from './run-file';
import { StackError } from './stack-error';

const READY_TIMEOUT_MS = 30_000;
const READY_POLL_MS = 25;
const STOP_TIMEOUT_MS = 3_000;
const PORTS_FREE_AFTER_MS = 3_000;

/** The JVM's first, quick compiler alone: an emulator starts sooner, and leaves the processors to others. */
const QUICK_COMPILER = ['-XX:TieredStopAtLevel=1'];

export interface EmulatorsConfig {
  readonly host: string;
  /** 0: any free port. */
  readonly firestore: { readonly port: number };
  /** 0: any free port. */
  readonly pubsub: { readonly port: number };
  /** They work for minutes, which pays for compiling well. */
  readonly compileWell?: boolean;
  /** They get the memory for a million documents at once. */
  readonly haveMuchMemory?: boolean;
  /** A signal of the terminal, which sends it to all that it runs, does not reach them: this process ends them. */
  readonly ignoreTerminal?: boolean;
}

/** Both emulators, started but perhaps not ready yet. */
export interface Emulators {
  readonly firestorePort: number;
  readonly pubsubPort: number;
  /** Resolves when both answer; rejects with a StackError when one ends instead or takes longer than 30 seconds. */
  readonly ready: Promise<void>;
  /** Resolves with a sentence when one has ended without being asked; else never. */
  readonly died: Promise<StackError>;
  /** Ends both, with force if they do not follow within 3 seconds; safe to repeat. */
  stop(): Promise<void>;
}

/** A JVM of one of the emulators. */
interface EmulatorProcess {
  readonly child: ChildProcess;
  /** Resolves with the reason when the process has ended. */
  readonly ended: Promise<StackError>;
  readonly ready: Promise<void>;
}

/**
 * Ends what crashed runs left behind, then starts both emulators. This process's exit kills them, however it comes
 * about, except by SIGKILL: that is what the run file is for.
 * @throws StackError when Java, a jar or a port is missing.
 */
export async function startEmulators(
  config: EmulatorsConfig,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Emulators> {
  const java = findJava(env);
  const firestoreJar = findEmulatorJar(FIRESTORE_EMULATOR, env);
  const pubsubJar = findEmulatorJar(PUBSUB_EMULATOR, env);
  const killed = await sweepCrashedRuns();
  const { host } = config;
  // A process that was killed may count as ended some moments before the system frees its ports.
  const waitMs = killed.length > 0 ? PORTS_FREE_AFTER_MS : 0;
  const firestore: PortRequest = { host, field: 'firestore.port', port: config.firestore.port, waitMs };
  const pubsub: PortRequest = { host, field: 'pubsub.port', port: config.pubsub.port, waitMs };
  const [firestorePort, pubsubPort] = await Promise.all([requireFreePort(firestore), requireFreePort(pubsub)]);

  const runFile = openRunFile();
  const processes = [
    startProcess(FIRESTORE_EMULATOR, java, firestoreJar, { ...firestore, port: firestorePort }, runFile, config),
    startProcess(PUBSUB_EMULATOR, java, pubsubJar, { ...pubsub, port: pubsubPort }, runFile, config),
  ];
  const killAll = () => {
    for (const { child } of processes) child.kill('SIGKILL');
    runFile.remove();
  };
  process.once('exit', killAll);

  const ready = Promise.all(processes.map((started) => started.ready)).then(() => undefined);
  // Whoever stops before they are ready does not wait for them.
  ready.catch(() => undefined);
  let stopping = false;
  const died = Promise.race(processes.map(({ ended }) => ended)).then((reason) =>
    stopping ? new Promise<never>(() => undefined) : reason,
  );
  return {
    firestorePort,
    pubsubPort,
    ready,
    died,
    async stop() {
      stopping = true;
      await Promise.all(processes.map(stopProcess));
      process.off('exit', killAll);
      runFile.remove();
    },
  };
}

function startProcess(
  kind: EmulatorKind,
  java: string,
  jar: string,
  address: PortRequest,
  runFile: RunFile,
  { compileWell, haveMuchMemory, ignoreTerminal = false }: EmulatorsConfig,
): EmulatorProcess {
  const serverArguments = [`--host=${address.host}`, `--port=${address.port}`];
  const options = [...(compileWell ? [] : QUICK_COMPILER), ...(haveMuchMemory ? kind.largeHeap : kind.heap)];
  const child = spawn(java, [...options, ...kind.jvmArguments(jar), ...serverArguments], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: ignoreTerminal,
  });
  if (child.pid !== undefined) runFile.add(child.pid, jar);
  const output = new OutputTail(child.stdout, child.stderr);
  const ended = new Promise<StackError>((resolve) => {
    child.once('error', (error) => resolve(new StackError(`The ${kind.title} cannot be started: ${error.message}.`)));
    child.once('close', (code, signal) => {
      resolve(explainEnd(kind, address, output, signal ?? `code ${code ?? 'unknown'}: ${output.lastLine()}`));
    });
  });
  const ready = Promise.race([untilReady(kind, address, output), ended]).then((failure) => {
    if (failure) throw failure;
  });
  return { child, ended, ready };
}

/** Resolves with nothing when the emulator answers, else with the reason why it never will. */
async function untilReady(
  kind: EmulatorKind,
  address: PortRequest,
  output: OutputTail,
): Promise<StackError | undefined> {
  const readyBy = systemClock.nowMs() + READY_TIMEOUT_MS;
  while (systemClock.nowMs() < readyBy) {
    // The Pub/Sub emulator stays alive when its port is taken.
    if (output.includes('BindException')) return portTakenError(address);
    if (await answers(address)) return undefined;
    await systemClock.sleep(READY_POLL_MS);
  }
  return new StackError(
    `The ${kind.title} did not answer within ${READY_TIMEOUT_MS / 1_000} seconds: ${output.lastLine()}`,
  );
}

async function answers({ host, port }: PortRequest): Promise<boolean> {
  try {
    return (await fetch(`http://${host}:${port}/`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

function explainEnd(kind: EmulatorKind, address: PortRequest, output: OutputTail, cause: string): StackError {
  if (output.includes('BindException')) return portTakenError(address);
  if (output.includes('UnsupportedClassVersionError')) {
    return new StackError(`The ${kind.title} needs a newer Java: install it, or set JAVA_HOME to it.`);
  }
  return new StackError(`The ${kind.title} has ended unexpectedly (${cause}): start the stack again.`);
}

async function stopProcess({ child, ended }: EmulatorProcess): Promise<void> {
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(force);
}
