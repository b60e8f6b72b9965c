/** What registrations of transfers leave behind: jobs in the scheduler. */
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
  close(): Promise<void>;
}

/** Connects to the scheduler of the demo's stack. */
export function openTransferJobs(config: EmulatorConfig): TransferJobs {
  const { projectId, host } = config;
  const { schedulerLocations } = toLocalConfig(config);
  const scheduler = new CloudSchedulerClient({
    projectId,
    apiEndpoint: host,
    port: config.scheduler.port,
    sslCreds: credentials.createInsecure(),
  });
  return {
    async list() {
      const parents = schedulerLocations.map((location) => scheduler.locationPath(projectId, location));
      const lists = await Promise.all(parents.map((parent) => scheduler.listJobs({ parent })));
      return lists
        .flatMap(([jobs]) => jobs)
        .map(({ name, schedule, timeZone, pubsubTarget }) => ({
          name: name?.split('/').at(-1) ?? '',
          schedule: schedule ?? '',
          timeZone: timeZone ?? '',
          trigger: parse(pubsubTarget?.data),
        }))
        .filter(({ name }) => name.includes('-transfer_'))
        .sort((a, b) => a.name.localeCompare(b.name));
    },
    close: () => scheduler.close(),
  };
}

function parse(data: Uint8Array | string | null | undefined): unknown {
  return JSON.parse(Buffer.from(data ?? '').toString() || 'null');
}
