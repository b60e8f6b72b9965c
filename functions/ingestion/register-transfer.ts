import type { Clock } from '../../shared/platform/clock';
import type { TransferOptionsDto } from '../../shared/domain/dto/transfer-options';
import { transferOptionsSchema } from '../../shared/domain/dto/transfer-options';
import type { RecurringTransferKind } from '../../shared/domain/transfer';
import { folderPathsOf, recurringJobId, toSchedule, toTrigger } from '../../shared/domain/transfer';
import type { Tenant } from '../../shared/domain/tenant';
import type { EventPublisher } from '../../shared/events/event-publisher';
import { inTrace } from '../../shared/events/in-trace';
import type { Success } from '../../shared/http/answer';
import { noRoomForTransfers } from '../../shared/http/problems';
import type { OperationId } from '../../shared/endpoint/operation-id';
import type { AnyRoute, Call } from '../../shared/endpoint/route';
import type { Logger } from '../../shared/platform/logger';
import { errorDetails } from '../../shared/platform/logger';
import type { Random } from '../../shared/platform/random';
import { toTrace } from '../../shared/platform/trace';
import type { BucketAccess, BucketLook } from '../../shared/transfers/bucket-look';
import { registerLiveTransfer } from '../../shared/transfers/runs/live/live-transfers';
import { newHistorical } from '../../shared/transfers/runs/request-run';
import { toPrefixes } from '../../shared/transfers/runs/start-run';
import type { TransferScheduler } from '../../shared/transfers/transfer-scheduler';
import { AllRegionsFull } from '../../shared/transfers/transfer-scheduler';
import { startInTrace } from './run-route';
import type { BucketDependencies } from './transfer-options-route';
import { transferOptionsRoute } from './transfer-options-route';

export interface RegistrationDependencies extends BucketDependencies {
  readonly scheduler: TransferScheduler;
  readonly publisher: EventPublisher;
  /** The topic of `transfer-runner`. */
  readonly transfersTopic: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly bucketLook: BucketLook;
  /** The identity that reads tenants' buckets. */
  readonly transferServiceAccount: string;
  readonly projectId: string;
  /** The topic to which Cloud Storage tells of uploads, in that project. */
  readonly uploadsTopic: string;
  readonly logger: Logger;
}

type RegisteredKind = 'historical' | RecurringTransferKind;

const OPERATIONS: Readonly<Record<RegisteredKind, OperationId>> = {
  historical: 'registerHistoricalTransfer',
  daily: 'registerDailyTransfer',
  hourly: 'registerHourlyTransfer',
  live: 'registerLiveTransfer',
};

const SUCCESS_MESSAGES: Readonly<Record<RegisteredKind, string>> = {
  historical: 'Historical transfer registered.',
  daily: 'Daily transfer registered.',
  hourly: 'Hourly transfer registered.',
  live: 'Live transfer registered.',
};

/**
 * The route of a registration (Spec §4.6). A repeat updates a recurring transfer; a historical one runs again. When the
 * transfer is registered, the route looks at the bucket.
 */
export function registrationRoute(kind: RegisteredKind, dependencies: RegistrationDependencies): AnyRoute {
  return transferOptionsRoute<TransferOptionsDto>(
    {
      operationId: OPERATIONS[kind],
      kind,
      path: `/register/${kind}-transfer`,
      schema: transferOptionsSchema,
      successMessage: SUCCESS_MESSAGES[kind],
      failureMessage: `Failed to register ${kind} transfer.`,
      run: async (options, tenant, call) => {
        const { data } = await register(kind, options, tenant, call, dependencies);
        const [prefix = ''] = toPrefixes(folderPathsOf(kind, options));
        const access = await lookAtBucket(options.BucketName, prefix, inTrace(dependencies, toTrace(call)));
        const setup = toSetup(kind, options.BucketName, access, dependencies);
        return { data: { ...data, BucketAccess: access, ...(setup && { Setup: setup }) } };
      },
    },
    dependencies,
  );
}

async function register(
  kind: RegisteredKind,
  options: TransferOptionsDto,
  { tenantId }: Tenant,
  call: Call,
  dependencies: RegistrationDependencies,
): Promise<Success> {
  if (kind === 'historical') {
    const { runId, trigger } = newHistorical(tenantId, options, dependencies);
    await startInTrace(call, dependencies, async ({ publisher, transfersTopic }) => {
      await publisher.publish(transfersTopic, trigger);
      return runId;
    });
    return { data: { JobId: trigger.jobId } };
  }
  const { store, scheduler, clock, logger } = dependencies;
  const jobId = recurringJobId(kind, tenantId);
  try {
    const trigger = toTrigger(kind, tenantId, jobId, options);
    await scheduler.schedule({ trigger, schedule: toSchedule(kind, options) });
    if (kind === 'live') await registerLiveTransfer(trigger, call.deadline, { store, clock });
    return { data: { recurringJobId: jobId } };
  } catch (error) {
    if (!(error instanceof AllRegionsFull)) throw error;
    logger.log('ERROR', 'No region has room for a recurring transfer; its registration is refused.', {
      jobId,
      ...toTrace(call),
    });
    throw noRoomForTransfers();
  }
}

export interface BucketAccessDto {
  /** `unknown`: Cloud Storage did not say in time. */
  readonly BucketAccess: BucketAccess | 'unknown';
  /** What the bucket's owner has to do; absent where that is nothing. */
  readonly Setup?: BucketSetupDto;
}

export interface BucketSetupDto {
  /** What to grant, and to whom. */
  readonly Role: string;
  readonly ServiceAccount: string;
  /** Of a live transfer: that grant, and the notification of uploads, for a shell. */
  readonly Commands?: readonly string[];
}

/** Whether a run could read the bucket. It never fails, because the transfer is registered already. */
async function lookAtBucket(
  bucket: string,
  prefix: string,
  { bucketLook, logger }: RegistrationDependencies,
): Promise<BucketAccessDto['BucketAccess']> {
  try {
    return await bucketLook.accessTo(bucket, prefix);
  } catch (error) {
    logger.log('WARNING', 'A bucket could not be looked at.', errorDetails(error));
    return 'unknown';
  }
}

/** A live transfer always says it: whether the bucket has a notification, only its owner can see. */
function toSetup(
  kind: RegisteredKind,
  bucket: string,
  access: BucketAccessDto['BucketAccess'],
  { transferServiceAccount, projectId, uploadsTopic }: RegistrationDependencies,
): BucketSetupDto | undefined {
  const grant = { Role: 'roles/storage.objectViewer', ServiceAccount: transferServiceAccount };
  if (kind !== 'live') return access === 'denied' ? grant : undefined;
  return {
    ...grant,
    Commands: [
      `gcloud storage buckets add-iam-policy-binding gs://${bucket} ` +
        `--member=serviceAccount:${grant.ServiceAccount} --role=${grant.Role}`,
      `gcloud storage buckets notifications create gs://${bucket} ` +
        `--topic=projects/${projectId}/topics/${uploadsTopic} --event-types=OBJECT_FINALIZE --payload-format=json`,
    ],
  };
}
