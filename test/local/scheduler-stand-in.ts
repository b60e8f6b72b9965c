/**
 * A Cloud Scheduler that really fires: the gRPC service that the real client calls, jobs in memory, and runs that
 * publish to the Pub/Sub emulator. Parts in scheduler/.
 */
import type { PubSub } from '@google-cloud/pubsub';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import type { Clock } from '../../shared/platform/clock';
import { systemClock } from '../../shared/platform/clock';
import { requireFreePort } from './ports';
import type { KeptJob } from './scheduler/kept-job';
import { fromKept, toKept } from './scheduler/kept-job';
import type { Job } from './scheduler/scheduled-jobs';
import { ScheduledJobs } from './scheduler/scheduled-jobs';
import { addSchedulerService } from './scheduler/scheduler-service';

/** How often due jobs are looked for; a run is late by at most this much. */
const TICK_MS = 200;

export interface SchedulerStandIn {
  readonly port: number;
  /** The jobs as they are now, also after `stop`. */
  keptJobs(): KeptJob[];
  stop(): Promise<void>;
}

/**
 * Starts the stand-in.
 * @param config port 0: any free port. `jobs`: those that an earlier one kept. `quota`: the most jobs of a location.
 * @param pubsub publishes the runs' messages; stays open after `stop`.
 * @param clock decides which jobs are due.
 * @throws StackError when the port is taken.
 */
export async function startSchedulerStandIn(
  config: {
    readonly host: string;
    readonly port: number;
    readonly jobs?: readonly KeptJob[];
    readonly quota?: number;
  },
  pubsub: PubSub,
  clock: Clock = systemClock,
): Promise<SchedulerStandIn> {
  const jobs = new ScheduledJobs(config.quota);
  for (const job of config.jobs ?? []) jobs.restore(fromKept(job), clock.nowMs());
  const run = (job: Job) => runJob(jobs, job, pubsub, clock);
  const server = new Server();
  addSchedulerService(server, jobs, clock, run);
  const port = await requireFreePort({ host: config.host, port: config.port, field: 'scheduler.port' });
  await bind(server, `${config.host}:${port}`);

  const stopping = new AbortController();
  const firing = fireDueJobs(jobs, clock, stopping.signal, run);
  return {
    port,
    keptJobs: () => jobs.all().map(toKept),
    async stop() {
      stopping.abort();
      server.forceShutdown();
      await firing;
    },
  };
}

/** Does not wait for the runs: one that hangs must not delay the others. */
async function fireDueJobs(
  jobs: ScheduledJobs,
  clock: Clock,
  stopping: AbortSignal,
  run: (job: Job) => Promise<void>,
): Promise<void> {
  while (!stopping.aborted) {
    for (const job of jobs.takeDue(clock.nowMs())) void run(job);
    await clock.sleep(TICK_MS);
  }
}

/** Publishes a job's message and remembers how that went; never rejects. */
async function runJob(jobs: ScheduledJobs, job: Job, pubsub: PubSub, clock: Clock): Promise<void> {
  const { topicName, data, attributes } = job.pubsubTarget ?? {};
  const attemptMs = clock.nowMs();
  const message = { data: Buffer.from(data ?? ''), attributes: attributes ?? {} };
  const outcome = await pubsub
    .topic(topicName ?? '', { batching: { maxMessages: 1 } })
    .publishMessage(message)
    .then(
      () => ({ code: 0, message: '' }),
      (error: unknown) => {
        const { code = status.UNKNOWN, message } = error as { code?: number; message: string };
        return { code, message };
      },
    );
  jobs.recordAttempt(job.name ?? '', attemptMs, outcome);
}

function bind(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}
