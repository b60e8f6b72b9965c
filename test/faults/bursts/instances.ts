/** Instances of the function `customers`, each a process of its own, and callers of them. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import type { Received } from '../../support/http-exchange';
import { exchange } from '../../support/http-exchange';
import { WorkerProcesses } from '../../support/worker-processes';

/** Connections of the callers to one instance. */
export const SOCKETS = 15;

interface Instance {
  readonly child: ChildProcess;
  readonly port: number;
  readonly agent: Agent;
}

export class Instances {
  private readonly instances: Instance[] = [];
  private letThroughByKilled = 0;

  private constructor(private readonly processes: WorkerProcesses) {}

  /** @param environment of the processes, beside this process's own. */
  static async start(count: number, environment: Readonly<Record<string, string>> = {}): Promise<Instances> {
    const started = new Instances(new WorkerProcesses('test/faults/bursts/instance.ts', environment));
    for (let index = 0; index < count; index += 1) started.instances.push(await started.begin());
    return started;
  }

  /** Sends a request that counts, to the instances in turn. What it asks for does not matter: the answer is 400. */
  send(number: number, key: string): Promise<Received> {
    const { port, agent } = this.instances[number % this.instances.length]!;
    return exchange({ port, method: 'DELETE', path: '/no-guid', headers: { 'x-service-auth-key': key }, agent });
  }

  /** Requests that were let through by now because the counter did not answer in time (D-36). */
  async letThrough(): Promise<number> {
    const counts = await Promise.all(this.instances.map(letThroughBy));
    return counts.reduce((sum, count) => sum + count, this.letThroughByKilled);
  }

  /** Starts another instance. The result puts it in the place of the first one, which it kills at its work. */
  async prepareReplacement(): Promise<() => Promise<void>> {
    const another = await this.begin();
    return async () => {
      const first = this.instances[0]!;
      this.instances[0] = another;
      this.letThroughByKilled += await letThroughBy(first);
      first.child.kill('SIGKILL');
      first.agent.destroy();
    };
  }

  async stop(): Promise<void> {
    for (const { agent } of this.instances) agent.destroy();
    await this.processes.stop();
  }

  private async begin(): Promise<Instance> {
    const { child, greeting } = await this.processes.take();
    return { child, port: greeting as number, agent: new Agent({ keepAlive: true, maxSockets: SOCKETS }) };
  }
}

async function letThroughBy({ child }: Instance): Promise<number> {
  child.send('how many');
  return ((await once(child, 'message')) as [number])[0];
}
