/** What registrations of transfers leave behind: jobs in the scheduler. */
import { CloudSchedulerClient } from '@google-cloud/scheduler';
import { status } from '@grpc/grpc-js';
import { emulatorOptions } from '../../shared/adapters/emulator-options';
import type { Config } from '../../shared/config';
import { RECURRING_KINDS } from '../../shared/domain/transfer';

/** A recurring transfer as Cloud Scheduler has it. */
export interface TransferJob {
  /** Without the project and the location. */
  readonly name: string;
  readonly schedule: string;
  readonly timeZone: string;
  readonly trigger: unknown;
}

export interface TransferJobs {
  /** The jobs of the tenants' transfers, by name. */
  list(): Promise<TransferJob[]>;
  close(): Promise<void>;
}

/** Connects to the scheduler or its stand-in. A region may have the jobs of thousands: each is asked for by name. */
export async function openTransferJobs(
  { projectId, schedulerLocations, emulators }: Config,
  tenantIds: readonly string[],
): Promise<TransferJobs> {
  const scheduler = new CloudSchedulerClient({ projectId, ...(await emulatorOptions(emulators.scheduler)) });
  const names = schedulerLocations.flatMap((location) =>
    tenantIds.flatMap((tenantId) =>
      RECURRING_KINDS.map((kind) => scheduler.jobPath(projectId, location, `${kind}-transfer_${tenantId}`)),
    ),
  );
  const find = async (name: string): Promise<TransferJob[]> => {
    try {
      const [{ schedule, timeZone, pubsubTarget }] = await scheduler.getJob({ name });
      const trigger = parse(pubsubTarget?.data);
      return [{ name: name.split('/').at(-1) ?? '', schedule: schedule ?? '', timeZone: timeZone ?? '', trigger }];
    } catch (error) {
      if ((error as { code?: number }).code === status.NOT_FOUND) return [];
      throw error;
    }
  };
  return {
    list: async () => (await Promise.all(names.map(find))).flat().sort((a, b) => a.name.localeCompare(b.name)),
    close: () => scheduler.close(),
  };
}

function parse(data: Uint8Array | string | null | undefined): unknown {
  return JSON.parse(Buffer.from(data ?? '').toString() || 'null');
}
