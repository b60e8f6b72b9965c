/**
 * `npm start -- --watch`: the functions in a process of their own, which a change of a source replaces. The new version
 * is built and loaded while the one before answers. Both share the ports, so no request is refused in between.
 */
import type { Worker } from 'node:cluster';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { join, relative } from 'node:path';
import { systemClock } from '../../../shared/platform/clock';
import { StackError } from '../stack-error';
import { openFunctionsBundle } from './functions-bundle';
import type { FunctionPorts, Functions } from './served-functions';
import { FileChanges, NO_SOURCE } from './file-changes';
import type { FromWorker, ToWorker } from './worker-messages';

/** Where the sources of functions are, in the project's folder. */
const SOURCES = ['functions', 'shared'];

/** What a version may take to load, on a slow machine. */
const LOAD_TIMEOUT_MS = 30_000;

/**
 * The time that a replaced version has for what it has begun. A step of a transfer may take minutes: it is ended, and
 * its message comes again.
 */
const END_TIMEOUT_MS = 5_000;

/**
 * Builds and loads the functions, and watches their sources once they are served. The environment must be set before.
 * @param root the project's folder
 * @param say says a sentence to whoever started the stack
 * @throws StackError when the sources cannot be built or loaded now
 */
export async function watchFunctions(root: string, say: (sentence: string) => void): Promise<Functions> {
  const changes = new FileChanges(
    SOURCES.map((folder) => join(root, folder)),
    NO_SOURCE,
  );
  const bundle = await openFunctionsBundle(root);
  let current: Worker | undefined;
  let watching: Promise<void> = Promise.resolve();
  let isStopping = false;

  const load = async (): Promise<Worker> => {
    const problems = await bundle.build();
    if (problems !== undefined) throw new StackError(`${problems}\nThe functions cannot be built.`);
    return loadWorker(bundle.file);
  };

  const replace = async (ports: FunctionPorts, changed: readonly string[]): Promise<void> => {
    const beganMs = systemClock.nowMs();
    const files = describe(changed.map((file) => relative(root, file)));
    if (current) tell(current, 'closeConnections');
    try {
      const next = await load();
      await serveWith(next, ports);
      const before = current;
      current = next;
      announceEnd(next);
      if (before) void endWorker(before);
      say(`Restarted in ${((systemClock.nowMs() - beganMs) / 1_000).toFixed(1)} s after a change of ${files}.`);
    } catch (error) {
      if (!(error instanceof StackError)) throw error;
      const goesOn = current ? `The version before the change of ${files} goes on` : 'None runs now';
      say(`${error.message} ${goesOn}; the next change is tried.`);
    }
  };

  /** Says so when the served version ends by itself. */
  const announceEnd = (worker: Worker): void => {
    worker.once('exit', (code: number | null, signal: string | null) => {
      if (isStopping || current !== worker) return;
      current = undefined;
      say(`The functions have ended (${signal ?? `code ${code ?? 'unknown'}`}). The next change starts them again.`);
    });
  };

  const stop = async (): Promise<void> => {
    isStopping = true;
    changes.close();
    await watching;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
    await bundle.close();
  };

  try {
    current = await load();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    serve: async (ports) => {
      if (current) await serveWith(current, ports);
      if (current) announceEnd(current);
      watching = (async () => {
        for (let changed = await changes.next(); changed; changed = await changes.next()) await replace(ports, changed);
      })();
    },
    storeLast: async () => {
      isStopping = true;
      if (current) await endWorker(current);
    },
    stop,
  };
}

/** Starts the process of a version, which tells of its errors itself. @throws StackError when it ends or hangs */
async function loadWorker(file: string): Promise<Worker> {
  cluster.setupPrimary({ exec: file, args: [], execArgv: ['--enable-source-maps'] });
  const worker = cluster.fork();
  const answer = await answerOf(worker);
  if (answer === 'loaded') return worker;
  worker.process.kill('SIGKILL');
  throw new StackError('The functions cannot be loaded.');
}

/** @throws StackError when a port is taken, or the process ends */
async function serveWith(worker: Worker, ports: FunctionPorts): Promise<void> {
  tell(worker, { serve: ports });
  const answer = await answerOf(worker);
  if (answer === 'serving') return;
  worker.process.kill('SIGKILL');
  if (typeof answer === 'object') throw new StackError(answer.failed);
  throw new StackError('The functions cannot be served.');
}

/** The next message; undefined: the process has ended, or says nothing in time. */
async function answerOf(worker: Worker): Promise<FromWorker | undefined> {
  const done = new AbortController();
  if (worker.isDead()) return undefined;
  try {
    return await Promise.race([
      once(worker, 'message', { signal: done.signal }).then(([message]) => message as FromWorker),
      once(worker, 'exit', { signal: done.signal }).then(() => undefined),
      systemClock.sleep(LOAD_TIMEOUT_MS, done.signal).then(() => undefined),
    ]);
  } finally {
    done.abort();
  }
}

/** Lets a version answer what it has begun, store what it has counted, and then end. */
async function endWorker(worker: Worker): Promise<void> {
  const ended = new AbortController();
  worker.once('exit', () => ended.abort());
  tell(worker, 'end');
  await systemClock.sleep(END_TIMEOUT_MS, ended.signal);
  if (!ended.signal.aborted) worker.process.kill('SIGKILL');
}

function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}

function describe([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
