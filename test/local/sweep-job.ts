import { CloudSchedulerClient } from '@google-cloud/scheduler';
import { credentials, status } from '@grpc/grpc-js';

/**
 * Registers the job that Terraform creates on Google Cloud: every five minutes `deletion-consumer` looks for accepted
 * deletions that were never published. Safe to repeat.
 */
export async function registerSweepJob(config: {
  /** Of the Cloud Scheduler stand-in. */
  readonly host: string;
  readonly port: number;
  readonly projectId: string;
  readonly location: string;
  /** The topic of deletions. */
  readonly topic: string;
}): Promise<void> {
  const { host, port, projectId, location, topic } = config;
  const client = new CloudSchedulerClient({
    apiEndpoint: host,
    port,
    projectId,
    sslCreds: credentials.createInsecure(),
  });
  const parent = client.locationPath(projectId, location);
  try {
    await client.createJob({
      parent,
      job: {
        name: `${parent}/jobs/deletion-sweep`,
        schedule: '*/5 * * * *',
        timeZone: 'Etc/UTC',
        pubsubTarget: {
          topicName: `projects/${projectId}/topics/${topic}`,
          data: Buffer.from(JSON.stringify({ sweep: true })),
        },
      },
    });
  } catch (error) {
    if ((error as { code?: number }).code !== status.ALREADY_EXISTS) throw error;
  } finally {
    await client.close();
  }
}
