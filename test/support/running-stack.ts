import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { configOf, connect } from '../../functions/admin/connection';
import { runCommand } from '../../functions/admin/run';
import { systemClock } from '../../shared/platform/clock';
import { requireFreePort } from '../local/ports';
import { documentedExchange } from './conformance/documented-exchange';

/** `npm start` as a user runs it: a process of its own on free ports. */
export interface RunningStack {
  readonly baseUrl: string;
  readonly configFile: string;
  /** Everything it printed until it was ready. */
  readonly output: string;
  /** Everything it has printed until now. */
  printed(): string;
  readonly process: ChildProcess;
  /** Ends it with SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
  /** Ends it with SIGKILL, so that it can do nothing about it. */
  kill(): Promise<void>;
}

/** What a command left behind. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const START_SECONDS = 30;
const WAIT_MS = 30_000;
const POLL_MS = 50;

/** Another process may take a free port before the stack does. */
const START_ATTEMPTS = 3;

/** How a stack is run. */
export interface RunOptions {
  /** As `writeStackConfig` gave it. Absent: one of its own, which goes with the stack. */
  readonly configFile?: string;
  /** Beside `--config`. */
  readonly args?: readonly string[];
  /** The folder of the project; absent: this one. */
  readonly project?: string;
}

/** Starts the stack and waits until it says that it is ready. */
export async function runStack(options: RunOptions = {}): Promise<RunningStack> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startStack(options);
    } catch (error) {
      if (attempt === START_ATTEMPTS || !/ is taken: /.test((error as Error).message)) throw error;
    }
  }
}

/** Writes a configuration with free ports into a folder. @returns the file */
export async function writeStackConfig(folder: string): Promise<string> {
  const configFile = join(folder, 'emulator.config.json');
  const port = async () => ({ port: await requireFreePort({ host: '127.0.0.1', port: 0, field: 'any' }) });
  writeFileSync(
    configFile,
    JSON.stringify({
      projectId: 'stack-test',
      host: '127.0.0.1',
      gateway: await port(),
      firestore: await port(),
      pubsub: await port(),
      storage: { ...(await port()), root: 'buckets' },
      scheduler: await port(),
    }),
  );
  return configFile;
}

async function startStack({ configFile, args = [], project }: RunOptions): Promise<RunningStack> {
  const ownFolder = configFile === undefined ? mkdtempSync(join(tmpdir(), 'stack-test-')) : undefined;
  const file = configFile ?? (await writeStackConfig(ownFolder ?? ''));
  const child = spawn('npm', ['start', '--silent', '--', '--config', file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(project !== undefined && { cwd: project }),
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const printed = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (printed.text += chunk.toString()));
  }
  const output = await untilReady(child, printed);
  return {
    baseUrl: /^Ready: (\S+)$/m.exec(output)?.[1] ?? '',
    configFile: file,
    output,
    printed: () => printed.text,
    process: child,
    stop: async () => {
      child.kill('SIGTERM');
      const code = await exited;
      if (ownFolder !== undefined) rmSync(ownFolder, { recursive: true, force: true });
      return code;
    },
    kill: async () => {
      process.kill(await pidOf(file), 'SIGKILL');
      await exited;
    },
  };
}

/** The process of the stack itself, below npm's. */
async function pidOf(configFile: string): Promise<number> {
  const [process = ''] = (await processesWith(configFile)).filter((line) => line.includes('start.ts'));
  return Number(process.trim().split(' ')[0]);
}

/**
 * Sends a request through the gateway, with a body as JSON.
 * @throws Error where it, or its answer, is not as in `openapi.json`
 */
export async function callStack<Body>(
  { baseUrl }: RunningStack,
  method: string,
  path: string,
  key: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly body: Body }> {
  const [, functionName = ''] = path.split('/');
  const headers = { 'x-service-auth-key': key, 'content-type': 'application/json' };
  const port = Number(new URL(baseUrl).port);
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const { status, json } = await documentedExchange(functionName, { port, method, path, headers, ...sent });
  return { status, body: json as Body };
}

/** Puts an object into a bucket of the stack, which is made when it is not there. */
export function putObject({ configFile }: RunningStack, bucket: string, name: string, content: string | Buffer): void {
  const path = join(dirname(configFile), 'buckets', bucket, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Runs a command of the operator in this process: a process each takes longer. */
export async function admin(stack: RunningStack, ...args: string[]): Promise<CommandResult> {
  const printed = { stdout: new PassThrough(), stderr: new PassThrough() };
  const texts = Promise.all([text(printed.stdout), text(printed.stderr)]);
  const code = await runCommand(['--config', stack.configFile, ...args], printed);
  printed.stdout.end();
  printed.stderr.end();
  const [stdout, stderr] = await texts;
  return { code, stdout, stderr };
}

/** As `admin`, in a process of its own, in the way that docs/operating.md tells operators. */
export function adminByNpm(stack: RunningStack, ...args: string[]): Promise<CommandResult> {
  return command('npm', ['run', '--silent', 'admin', '--', '--config', stack.configFile, ...args]);
}

/**
 * What the operator's commands work with, in this process: to wait for something costs less than a command each time.
 */
export function operatorOf({ configFile }: RunningStack): ReturnType<typeof connect> {
  return connect(configOf({ config: configFile }));
}

/** Waits until it holds. @throws Error when it does not within 30 seconds. */
export async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const byMs = systemClock.nowMs() + WAIT_MS;
  while (!(await holds())) {
    if (systemClock.nowMs() > byMs) throw new Error(`It did not happen within ${WAIT_MS / 1000} seconds.`);
    await systemClock.sleep(POLL_MS);
  }
}

export function command(program: string, args: readonly string[]): Promise<CommandResult> {
  return new Promise((resolve) => {
    execFile(program, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr });
    });
  });
}

/** Ids of living processes whose command line has this text. */
export async function processesWith(text: string): Promise<string[]> {
  const { stdout } = await command('ps', ['-A', '-o', 'pid=,args=']);
  return stdout.split('\n').filter((line) => line.includes(text) && !line.includes('ps -A'));
}

/** The port of a part of the stack. */
export function portOf(stack: Pick<RunningStack, 'configFile'>, part: 'firestore' | 'pubsub'): number {
  const config = JSON.parse(readFileSync(stack.configFile, 'utf8')) as Record<string, { port: number }>;
  return config[part]?.port ?? 0;
}

function untilReady(child: ChildProcess, printed: { readonly text: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail('in time'), START_SECONDS * 1000);
    const fail = (how: string) => {
      clearTimeout(timer);
      reject(new Error(`The stack was not ready ${how}: ${printed.text}`));
    };
    child.stdout?.on('data', () => {
      if (!/^Ready: .*\n.*\n/m.test(printed.text)) return;
      clearTimeout(timer);
      resolve(printed.text);
    });
    child.once('exit', () => fail('before it ended'));
  });
}
