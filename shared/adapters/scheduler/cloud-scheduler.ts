import type { CloudSchedulerClient, protos } from '@google-cloud/scheduler';
import type { Config } from '../../config';
import { CALL_TIMEOUT_MS } from '../../limits/platform';
import type { JobId, RecurringTransfer, TransferTrigger } from '../../domain/transfer';
import { fromSchedulerName, toSchedulerName } from '../../domain/transfer';
import type { Clock } from '../../platform/clock';
import { RegionalScheduler } from '../../transfers/regional-scheduler';
import type { JobRegion, ScheduledJob } from '../../transfers/transfer-scheduler';
import { emulatorOptions } from '../emulator-options';
import { lazyClient } from '../lazy-client';
import { Status, statusOf } from '../../platform/retry';

/** The most jobs that Cloud Scheduler lists in one answer. */
const JOBS_OF_A_PAGE = 500;

/** The recurring transfers of the project: Cloud Scheduler jobs, in all regions of the configuration. */
export function connectTransferScheduler(config: Config, clock: Clock): RegionalScheduler {
  const connected = lazyClient(() => connect(config));
  const regions = config.schedulerLocations.map((location) => new CloudSchedulerRegion(location, config, connected));
  return new RegionalScheduler(regions, clock);
}

/** Jobs that publish their trigger to the transfers topic. One client reaches all regions. */
class CloudSchedulerRegion implements JobRegion {
  constructor(
    readonly location: string,
    private readonly config: Config,
    private readonly connected: () => Promise<CloudSchedulerClient>,
  ) {}

  /** A job that is there already needs no room; a full region may refuse it nevertheless. */
  async put(transfer: RecurringTransfer): Promise<boolean> {
    const client = await this.connected();
    try {
      await client.createJob({ parent: this.parent(), job: this.toJob(transfer) }, { timeout: CALL_TIMEOUT_MS });
      return true;
    } catch (error) {
      const isFull = statusOf(error) === Status.RESOURCE_EXHAUSTED;
      if (!isFull && statusOf(error) !== Status.ALREADY_EXISTS) throw error;
      if (await this.update(transfer)) return true;
      if (isFull) return false;
      throw error;
    }
  }

  async update(transfer: RecurringTransfer): Promise<boolean> {
    const client = await this.connected();
    try {
      await client.updateJob({ job: this.toJob(transfer) }, { timeout: CALL_TIMEOUT_MS });
      return true;
    } catch (error) {
      if (statusOf(error) === Status.NOT_FOUND) return false;
      throw error;
    }
  }

  async remove(jobId: JobId): Promise<void> {
    const client = await this.connected();
    try {
      await client.deleteJob({ name: this.toName(jobId) }, { timeout: CALL_TIMEOUT_MS });
    } catch (error) {
      if (statusOf(error) !== Status.NOT_FOUND) throw error;
    }
  }

  async find(jobId: JobId): Promise<ScheduledJob | undefined> {
    const client = await this.connected();
    try {
      const [job] = await client.getJob({ name: this.toName(jobId) }, { timeout: CALL_TIMEOUT_MS });
      return toScheduledJob(jobId, job);
    } catch (error) {
      if (statusOf(error) === Status.NOT_FOUND) return undefined;
      throw error;
    }
  }

  async *all(): AsyncGenerator<ScheduledJob> {
    const client = await this.connected();
    const options = { timeout: CALL_TIMEOUT_MS, autoPaginate: false };
    for (let pageToken = ''; ;) {
      const request = { parent: this.parent(), pageSize: JOBS_OF_A_PAGE, pageToken };
      const [jobs, , answer] = await client.listJobs(request, options);
      for (const job of jobs) {
        const jobId = fromSchedulerName((job.name ?? '').split('/jobs/')[1] ?? '');
        if (jobId) yield toScheduledJob(jobId, job);
      }
      pageToken = answer.nextPageToken ?? '';
      if (pageToken === '') return;
    }
  }

  private toJob({ trigger, schedule }: RecurringTransfer): protos.google.cloud.scheduler.v1.IJob {
    return {
      name: this.toName(trigger.jobId),
      description: `Transfer ${trigger.jobId}`,
      schedule,
      timeZone: 'Etc/UTC',
      pubsubTarget: {
        topicName: `projects/${this.config.projectId}/topics/${this.config.topics.transfers}`,
        data: Buffer.from(JSON.stringify(trigger)),
      },
    };
  }

  private parent(): string {
    return `projects/${this.config.projectId}/locations/${this.location}`;
  }

  private toName(jobId: JobId): string {
    return `${this.parent()}/jobs/${toSchedulerName(jobId)}`;
  }
}

function toScheduledJob(jobId: JobId, job: protos.google.cloud.scheduler.v1.IJob): ScheduledJob {
  const next = job.scheduleTime?.seconds;
  return {
    jobId,
    schedule: job.schedule ?? '',
    timeZone: job.timeZone ?? '',
    nextRun: next === undefined || next === null ? null : new Date(Number(next) * 1000).toISOString(),
    ...parseSource(job.pubsubTarget?.data),
  };
}

/** The bucket and folders that a job's runs read; null for both when its data is no trigger. */
function parseSource(data: Uint8Array | string | null | undefined): Pick<ScheduledJob, 'bucketName' | 'folderPaths'> {
  try {
    const trigger = JSON.parse(Buffer.from(data ?? '').toString()) as Partial<TransferTrigger>;
    return { bucketName: trigger.bucketName ?? null, folderPaths: trigger.folderPaths ?? null };
  } catch {
    return { bucketName: null, folderPaths: null };
  }
}

/**
 * Loads the SDK and connects. A client caches its first failure to find credentials for good, so it is used only once
 * it has found them.
 */
async function connect({ projectId, emulators }: Config): Promise<CloudSchedulerClient> {
  const { CloudSchedulerClient } = await import('@google-cloud/scheduler');
  const client = new CloudSchedulerClient({ projectId, ...(await emulatorOptions(emulators.scheduler)) });
  await client.initialize();
  return client;
}
