/** Artifacts as the platform has them: unpacked into empty folders, installed, each started as a process of its own. */
import { unzipSync } from 'fflate';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '../../shared/platform/clock';
import { requireFreePort } from '../local/ports';
import { exchange } from '../support/http-exchange';
import { readJson } from './built-artifacts';

const HOST = '127.0.0.1';
const START_MS = 30_000;
const POLL_MS = 20;

/** Says over HTTP which files the function's process has loaded. npx, which gets it too, is none of them. */
const PROBE = `
if (process.argv[1]?.endsWith('functions-framework')) {
  require('node:http')
    .createServer((_, response) => response.end(JSON.stringify(Object.keys(require.cache))))
    .listen(Number(process.env.PROBE_PORT), '${HOST}');
}
`;

/** An artifact at work. */
export interface RunningArtifact {
  readonly port: number;
  /** The files that it has loaded from its packages and its folder, as absolute paths. */
  loadedFiles(): Promise<string[]>;
  /** The names of the packages that it has loaded, sorted. */
  loadedPackages(): Promise<string[]>;
  stop(): Promise<void>;
}

/**
 * Unpacks the zips into `root/<function>` and installs them. Those whose lock files have the same packages are
 * installed once and share the folder of packages: an installation takes seven seconds, and most functions have
 * the same.
 */
export async function installArtifacts(out: string, names: readonly string[], root: string): Promise<void> {
  const installed = new Map<string, string>();
  for (const name of names) {
    const folder = join(root, name);
    mkdirSync(folder);
    for (const [file, content] of Object.entries(unzipSync(readFileSync(join(out, `${name}.zip`))))) {
      writeFileSync(join(folder, file), content);
    }
    const { '': own, ...packages } = readJson<{ packages: Record<string, object> }>(
      folder,
      'package-lock.json',
    ).packages;
    const { dependencies } = own as { dependencies: object };
    const set = JSON.stringify([dependencies, packages]);
    const first = installed.get(set);
    if (first === undefined) installed.set(set, folder);
    else symlinkSync(join(first, 'node_modules'), join(folder, 'node_modules'));
  }
  await Promise.all([...installed.values()].map(install));
}

async function install(folder: string): Promise<void> {
  const options = ['--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)('npm', ['ci', ...options], { cwd: folder });
}

/**
 * Starts the function of an installed artifact with functions-framework and waits until it listens.
 * @param env all that the function gets, beside what a process needs to run at all.
 */
export async function startArtifact(root: string, name: string, env: NodeJS.ProcessEnv): Promise<RunningArtifact> {
  const probe = join(root, 'probe.js');
  writeFileSync(probe, PROBE);
  const port = await requireFreePort({ host: HOST, port: 0, field: name });
  const probePort = await requireFreePort({ host: HOST, port: 0, field: 'probe' });
  // `--no`: only what is installed, nothing of that name from the registry. A group of its own: npx starts further
  // processes.
  const child = spawn('npx', ['--no', '--', 'functions-framework', `--target=${name}`, `--port=${port}`], {
    cwd: join(root, name),
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'production',
      NODE_OPTIONS: `--require=${probe}`,
      PROBE_PORT: String(probePort),
      ...env,
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async () => {
    if (child.pid === undefined) return; // npx could not be started
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All of its processes have ended.
    }
    await closed;
  };

  const loadedFiles = async () => {
    const { json } = await exchange({ port: probePort, method: 'GET', path: '/', headers: {} });
    return json as string[];
  };
  const loadedPackages = async () => {
    const names = (await loadedFiles()).map((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
    return [...new Set(names.filter((found) => found !== undefined))].sort();
  };

  const byMs = systemClock.nowMs() + START_MS;
  while (!(await isListening(port))) {
    if (child.exitCode !== null || systemClock.nowMs() > byMs) {
      await stop();
      throw new Error(`${name} did not start: ${output}`);
    }
    await systemClock.sleep(POLL_MS);
  }
  return { port, loadedFiles, loadedPackages, stop };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST);
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
