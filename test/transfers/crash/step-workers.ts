import type { Message } from '../../support/transfer-lab';
import type { StepAnswer, StepRequest } from './step-worker';
import type { WorkerProcess, WorkerProcesses } from '../../support/worker-processes';

/** How the delivery of a message ended, after so many writes; a process that was killed cannot say how many. */
export type Delivery = { readonly outcome: 'handled'; readonly writes: number } | { readonly outcome: 'killed' };

/** One instance of the transfer-runner after the other: a new one takes the place of one that was killed. */
export class StepWorkers {
  private worker: WorkerProcess | undefined;

  /** @param processes of the script `step-worker.ts` */
  constructor(private readonly processes: WorkerProcesses) {}

  /**
   * Delivers a message.
   * @param publish takes what the step publishes, also that of a step that dies.
   * @throws Error when the step fails.
   */
  async deliver(request: StepRequest, publish: (event: Message['event']) => void): Promise<Delivery> {
    this.worker ??= await this.processes.take();
    const { child, ended } = this.worker;
    const answered = new Promise<Delivery>((resolve, reject) => {
      child.removeAllListeners('message').on('message', (answer: StepAnswer) => {
        if ('published' in answer) publish(answer.published);
        else if ('failure' in answer) reject(new Error(answer.failure));
        else resolve({ outcome: 'handled', writes: answer.writes });
      });
    });
    child.send(request);
    const delivery = await Promise.race([answered, ended.then((): Delivery => ({ outcome: 'killed' }))]);
    if (delivery.outcome === 'killed') this.worker = undefined;
    return delivery;
  }
}
