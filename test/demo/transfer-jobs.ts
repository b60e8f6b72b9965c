/** What registrations of transfers leave behind: jobs in the scheduler, messages on the topic of transfers. */
import type { Message } from '@google-cloud/pubsub';
import { PubSub } from '@google-cloud/pubsub';
import { CloudSchedulerClient } from '@google-cloud/scheduler';
import { credentials } from '@grpc/grpc-js';
import type { EmulatorConfig } from '../../shared/emulator-config';
import { toLocalConfig } from '../../shared/emulator-config';

/** A recurring transfer as Cloud Scheduler (here its stand-in) has it. */
export interface TransferJob {
  /** Without the project and the location. */
  readonly name: string;
  readonly schedule: string;
  readonly timeZone: string;
  readonly trigger: unknown;
}

export interface TransferJobs {
  /** The jobs of transfers, by name. */
  list(): Promise<TransferJob[]>;
  /** The next message on the topic of transfers since this was opened; undefined when none comes within 5 seconds. */
  nextTrigger(): Promise<unknown>;
  close(): Promise<void>;
}

const LONGEST_WAIT_MS = 5_000;

/** Listens to the topic with a subscription of its own, so that it takes nothing from anybody. */
export async function openTransferJobs(config: EmulatorConfig): Promise<TransferJobs> {
  const { projectId, host } = config;
  const { schedulerLocation, topics, emulators } = toLocalConfig(config);
  const scheduler = new CloudSchedulerClient({
    projectId,
    apiEndpoint: host,
    port: config.scheduler.port,
    sslCreds: credentials.createInsecure(),
  });
  const pubsub = new PubSub({ projectId, ...(emulators.pubsub !== undefined && { apiEndpoint: emulators.pubsub }) });
  const [subscription] = await pubsub.createSubscription(topics.transfers, 'demo-listener');
  return {
    async list() {
      const [jobs] = await scheduler.listJobs({ parent: scheduler.locationPath(projectId, schedulerLocation) });
      return jobs
        .map(({ name, schedule, timeZone, pubsubTarget }) => ({
          name: name?.split('/').at(-1) ?? '',
          schedule: schedule ?? '',
          timeZone: timeZone ?? '',
          trigger: parse(pubsubTarget?.data),
        }))
        .filter(({ name }) => name.includes('-transfer_'))
        .sort((a, b) => a.name.localeCompare(b.name));
    },
    nextTrigger: () =>
      new Promise((resolve) => {
        const settle = (trigger?: unknown) => {
          clearTimeout(timer);
          subscription.removeAllListeners();
          void subscription.close().then(() => resolve(trigger));
        };
        const timer = setTimeout(settle, LONGEST_WAIT_MS);
        subscription.once('error', () => settle());
        subscription.once('message', (message: Message) => {
          message.ack();
          settle(parse(message.data));
        });
      }),
    async close() {
      await Promise.all([scheduler.close(), pubsub.close()]);
    },
  };
}

function parse(data: Uint8Array | string | null | undefined): unknown {
  return JSON.parse(Buffer.from(data ?? '').toString() || 'null');
}
