import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { OutputTail } from '../local/output-tail';
import { StackError } from '../local/stack-error';
import type { Usage } from './usage-probe';

const READY_TIMEOUT_MS = 30_000;
/** Between two tries to connect to a server that is starting: short against a start of some hundred milliseconds. */
const READY_POLL_MS = 2;

export interface ProcessOptions {
  /** Of `node`. */
  readonly arguments: readonly string[];
  /** Beside this process's own environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** The only processor that it runs on, as `taskset` names it. Omitted: any. */
  readonly processor?: string;
  /** The server's port; the process counts as started when it accepts connections. */
  readonly port: number;
}

/** A server in a process of its own, as the platform runs it. */
export class MeasuredProcess {
  private readonly output: OutputTail;
  private readonly kill = () => this.child.kill('SIGKILL');

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {
    this.output = new OutputTail(...[child.stdout, child.stderr].filter((stream) => stream !== null));
    process.once('exit', this.kill);
  }

  /** Resolves as soon as it accepts connections. @throws StackError when it ends instead, or takes 30 seconds. */
  static async start({ arguments: args, environment, processor, port }: ProcessOptions): Promise<MeasuredProcess> {
    const program = [process.execPath, ...args];
    const [command = '', ...rest] = processor === undefined ? program : ['taskset', '-c', processor, ...program];
    const child = spawn(command, rest, {
      env: { ...process.env, ...environment, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const started = new MeasuredProcess(child, port);
    await started.untilReady();
    return started;
  }

  /** Only of a process with the usage probe. */
  async usage(): Promise<Usage> {
    const answer = once(this.child, 'message');
    this.child.send('usage');
    return ((await answer) as [Usage])[0];
  }

  async stop(): Promise<void> {
    process.off('exit', this.kill);
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.kill();
    await exited;
  }

  private async untilReady(): Promise<void> {
    const endMs = performance.now() + READY_TIMEOUT_MS;
    while (!(await accepts(this.port))) {
      if (this.child.exitCode !== null || performance.now() > endMs) {
        await this.stop();
        throw new StackError(`A measured process did not start: ${this.output.lastLine()}`);
      }
      await sleep(READY_POLL_MS);
    }
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
