import { buildSync } from 'esbuild';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleFunction } from '../../../functions/build/bundle';
import { peakBytesOf } from '../../bench/peak-memory';
import { requireFreePort } from '../../local/ports';
import { exchange } from '../../support/http-exchange';
import type { HeldState } from './state-probe';

const ROOT = resolve(__dirname, '../../..');
const FRAMEWORK = join(ROOT, 'node_modules/@google-cloud/functions-framework/build/src/main.js');
const START_MS = 30_000;
const POLL_MS = 20;

/** A function as it is deployed: its bundle in a process of its own, run by functions-framework. */
export class DeployedFunction {
  private output = '';
  private readonly ended: Promise<number | null>;
  private readonly kill = () => this.child.kill('SIGKILL');

  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly port: number,
  ) {
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (this.output += String(chunk)));
    process.once('exit', this.kill);
    this.ended = once(child, 'exit').then(([code]) => {
      process.off('exit', this.kill);
      return code as number | null;
    });
  }

  /**
   * Bundles and starts a function on a free port; resolves when it answers.
   * @param environment beside this process's own.
   * @throws Error when it ends instead, or takes 30 seconds.
   */
  static async start(name: string, environment: Readonly<Record<string, string>> = {}): Promise<DeployedFunction> {
    const port = await requireFreePort({ host: '127.0.0.1', port: 0, field: name });
    const folder = await bundle(name);
    const probe = ['--expose-gc', '--require', join(folder, 'state-probe.js')];
    const child = spawn(process.execPath, [...probe, FRAMEWORK, '--source', folder], {
      env: {
        ...process.env,
        NODE_ENV: 'production',
        ...environment,
        FUNCTION_TARGET: name,
        PORT: String(port),
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const started = new DeployedFunction(child, folder, port);
    await started.untilReady();
    return started;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The lines of its log that tell of an error. */
  get errors(): string[] {
    return this.output.split('\n').filter((line) => /"severity":"ERROR"|^\w*Error|^Uncaught|^Unhandled/.test(line));
  }

  async state(): Promise<HeldState> {
    const answer = once(this.child, 'message');
    this.child.send('state');
    return ((await answer) as [HeldState])[0];
  }

  /** The most memory that it ever had at once; Linux only. */
  peakBytes(): number {
    if (this.child.pid === undefined) throw new Error('The function does not run.');
    return peakBytesOf(this.child.pid);
  }

  /** Ends it as the platform does. @returns the exit code, null when it had to be killed after `longestMs`. */
  async terminate(longestMs: number): Promise<number | null> {
    this.child.kill('SIGTERM');
    const timer = setTimeout(this.kill, longestMs);
    const code = await this.ended;
    clearTimeout(timer);
    return code;
  }

  async stop(): Promise<void> {
    this.kill();
    await this.ended;
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async untilReady(): Promise<void> {
    const byMs = performance.now() + START_MS;
    while (!(await this.answers())) {
      if (this.isRunning && performance.now() < byMs) {
        await sleep(POLL_MS);
        continue;
      }
      await this.stop();
      throw new Error(`The function did not start: ${this.output}`);
    }
  }

  private answers(): Promise<boolean> {
    const { port } = this;
    return exchange({ port, method: 'GET', path: '/', headers: {} }).then(
      () => true,
      () => false,
    );
  }
}

/** Writes the function's bundle and the probe into a folder that finds the project's packages. @returns the folder. */
async function bundle(name: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const { files } = await bundleFunction(ROOT, name);
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
  const probe = { entryPoints: [join(__dirname, 'state-probe.ts')], outfile: join(folder, 'state-probe.js') };
  buildSync({ ...probe, bundle: true, platform: 'node', format: 'cjs' });
  return folder;
}
