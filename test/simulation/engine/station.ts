import type { SimulatedClock } from './simulated-clock';
import { Histogram } from './histogram';

interface Job {
  readonly arrivedMs: number;
  readonly serviceMs: () => number;
  readonly done: () => void;
}

/** Servers that take jobs from one queue, first come, first served: the slots of all instances of a function. */
export class Station {
  /** Milliseconds that jobs have waited for a server. */
  readonly waits = new Histogram();
  /** Server-milliseconds of the jobs that have begun. */
  busyMs = 0;
  mostWaiting = 0;
  /** Servers at work. */
  busy = 0;
  private queue: Job[] = [];
  /** Where the queue begins: what is before has been taken. */
  private head = 0;

  constructor(
    private readonly servers: number,
    private readonly clock: SimulatedClock,
  ) {}

  /** @param serviceMs asked when the job begins @param done called when it ends */
  arrive(serviceMs: () => number, done: () => void = () => undefined): void {
    const job = { arrivedMs: this.clock.nowMs(), serviceMs, done };
    if (this.busy < this.servers) {
      this.begin(job);
    } else {
      this.queue.push(job);
      this.mostWaiting = Math.max(this.mostWaiting, this.queue.length - this.head);
    }
  }

  private begin(job: Job): void {
    this.busy += 1;
    this.waits.add(this.clock.nowMs() - job.arrivedMs);
    const serviceMs = job.serviceMs();
    this.busyMs += serviceMs;
    this.clock.after(serviceMs, () => {
      this.busy -= 1;
      const next = this.take();
      if (next) this.begin(next);
      job.done(); // what it brings comes behind those that wait
    });
  }

  private take(): Job | undefined {
    const job = this.queue[this.head];
    if (!job) return undefined;
    this.head += 1;
    if (this.head > 1_000 && 2 * this.head > this.queue.length) {
      this.queue = this.queue.slice(this.head);
      this.head = 0;
    }
    return job;
  }
}
