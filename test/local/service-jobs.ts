import { CloudSchedulerClient } from '@google-cloud/scheduler';
import { credentials, status } from '@grpc/grpc-js';
import type { Config } from '../../shared/config';

/** The jobs of the service itself: their names in Cloud Scheduler, what they publish and when. */
const JOBS = [
  { name: 'deletion-sweep', schedule: '*/5 * * * *', topic: 'deletions', event: { sweep: true } },
  { name: 'live-runs', schedule: '* * * * *', topic: 'uploads', event: { start: true } },
] as const;

/**
 * Registers the jobs that Terraform creates on Google Cloud: every five minutes `deletion-consumer` looks for accepted
 * deletions that were never published, and every minute `upload-consumer` begins the runs that are due and starts those
 * of uploads that wait. Safe to repeat.
 */
export async function registerServiceJobs(config: {
  /** Of the Cloud Scheduler stand-in. */
  readonly host: string;
  readonly port: number;
  readonly projectId: string;
  readonly location: string;
  readonly topics: Config['topics'];
}): Promise<void> {
  const { host, port, projectId, location, topics } = config;
  const client = new CloudSchedulerClient({
    apiEndpoint: host,
    port,
    projectId,
    sslCreds: credentials.createInsecure(),
  });
  const parent = client.locationPath(projectId, location);
  const register = async ({ name, schedule, topic, event }: (typeof JOBS)[number]) => {
    const pubsubTarget = {
      topicName: `projects/${projectId}/topics/${topics[topic]}`,
      data: Buffer.from(JSON.stringify(event)),
    };
    const job = { name: `${parent}/jobs/${name}`, schedule, timeZone: 'Etc/UTC', pubsubTarget };
    try {
      await client.createJob({ parent, job });
    } catch (error) {
      if ((error as { code?: number }).code !== status.ALREADY_EXISTS) throw error;
    }
  };
  try {
    await Promise.all(JOBS.map(register));
  } finally {
    await client.close();
  }
}
