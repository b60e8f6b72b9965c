import { buildSync } from 'esbuild';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

/** A process that a test kills. */
export interface WorkerProcess {
  readonly child: ChildProcess;
  /** What it said when it was ready. */
  readonly greeting: unknown;
  /** Resolves when it has ended and everything that it sent has arrived. */
  readonly ended: Promise<unknown>;
}

/**
 * Processes of one script that die often: it is bundled once, and while some are at work the next one starts already.
 * The script sends a first message when it is ready.
 */
export class WorkerProcesses {
  private readonly folder = mkdtempSync(join(tmpdir(), 'workers-'));
  private readonly running = new Set<ChildProcess>();
  private next: Promise<WorkerProcess> | undefined;

  /**
   * @param script its path in the project.
   * @param environment beside this process's own.
   */
  constructor(
    script: string,
    private readonly environment: Readonly<Record<string, string | undefined>> = {},
  ) {
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'));
    buildSync({
      absWorkingDir: ROOT,
      entryPoints: [script],
      outfile: join(this.folder, 'worker.js'),
      bundle: true,
      platform: 'node',
      format: 'cjs',
      packages: 'external',
      keepNames: true,
    });
  }

  /** A process that is ready and nobody else's. @throws Error when it ends instead. */
  async take(): Promise<WorkerProcess> {
    const taken = this.next ?? this.start();
    this.next = this.start();
    this.next.catch(() => undefined); // whoever takes it sees its failure
    return taken;
  }

  /** Kills all. */
  async stop(): Promise<void> {
    await Promise.all([...this.running].map((child) => (child.kill('SIGKILL'), once(child, 'exit'))));
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async start(): Promise<WorkerProcess> {
    const child = spawn(process.execPath, [join(this.folder, 'worker.js')], {
      env: { ...process.env, ...this.environment },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    this.running.add(child);
    child.once('exit', () => this.running.delete(child));
    let output = '';
    child.stderr?.on('data', (chunk) => (output += String(chunk)));
    const ended = Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
    const greeting = await Promise.race([once(child, 'message'), ended.then(() => undefined)]);
    if (!greeting) throw new Error(`A worker ended before it was ready: ${output}`);
    return { child, greeting: (greeting as unknown[])[0], ended };
  }
}
