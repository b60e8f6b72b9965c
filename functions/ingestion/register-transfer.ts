import type { Clock } from '../../shared/platform/clock';
import type { DocumentStore } from '../../shared/documents/document-store';
import type { TransferOptionsDto } from '../../shared/domain/dto/transfer-options';
import { transferOptionsSchema } from '../../shared/domain/dto/transfer-options';
import { MAX_IGNORED_FIELDS } from '../../shared/domain/limits';
import type { TransferKind } from '../../shared/domain/transfer';
import { historicalJobId, recurringJobId, toSchedule, toTrigger, unusedOptions } from '../../shared/domain/transfer';
import type { Tenant, TenantId } from '../../shared/domain/tenant';
import { parseTenantId } from '../../shared/domain/tenant';
import type { EventPublisher } from '../../shared/events/event-publisher';
import type { Success } from '../../shared/http/answer';
import { foreignBucket } from '../../shared/http/problems';
import type { OperationId } from '../../shared/endpoint/operation-id';
import type { AnyRoute } from '../../shared/endpoint/route';
import { route } from '../../shared/endpoint/route';
import type { Random } from '../../shared/platform/random';
import { claimBucket } from '../../shared/transfers/runs/bucket-ownership';
import { timedId } from '../../shared/transfers/runs/run-id';
import type { TransferScheduler } from '../../shared/transfers/transfer-scheduler';
import type { ValidObject } from '../../shared/validation/object';
import { compileObjectValidator } from '../../shared/validation/object';
import { isObject } from '../../shared/validation/values';

export interface RegistrationDependencies {
  readonly store: DocumentStore;
  readonly scheduler: TransferScheduler;
  readonly publisher: EventPublisher;
  /** The topic of `transfer-runner`. */
  readonly transfersTopic: string;
  readonly clock: Clock;
  readonly random: Random;
  /** The service's own bucket, which no tenant can register. */
  readonly reportsBucket: string;
}

const validate = compileObjectValidator<TransferOptionsDto>(transferOptionsSchema);

const OPERATION: Readonly<Record<TransferKind, OperationId>> = {
  historical: 'registerHistoricalTransfer',
  daily: 'registerDailyTransfer',
  hourly: 'registerHourlyTransfer',
};

const MESSAGE: Readonly<Record<TransferKind, string>> = {
  historical: 'Historical transfer registered.',
  daily: 'Daily transfer registered.',
  hourly: 'Hourly transfer registered.',
};

/** The route of a registration (Spec §4.6). A repeat updates a recurring transfer; a historical one runs again. */
export function registrationRoute(kind: TransferKind, dependencies: RegistrationDependencies): AnyRoute {
  return route<ValidObject<TransferOptionsDto>>({
    operationId: OPERATION[kind],
    method: 'POST',
    path: `/google-cloud-storage/register/${kind}-transfer`,
    permission: 'transfers',
    body: { object: transferOptionsSchema },
    successMessage: MESSAGE[kind],
    failureMessage: `Failed to register ${kind} transfer.`,
    tenantFrom: 'body',
    tenantId: readTenantId,
    validate,
    run: async ({ dto: options, ignoredFields }, tenant, { deadline }) => {
      const { store } = dependencies;
      // The service's own bucket holds the reports of all tenants.
      const isReserved = options.BucketName === dependencies.reportsBucket;
      const isOurs = !isReserved && (await claimBucket(options.BucketName, tenant.organizationId, store, deadline));
      if (!isOurs) throw foreignBucket();
      const { data } = await register(kind, options, tenant, dependencies);
      // A misspelt `DataFolderPaths`, or one of the other kind, is ignored, and the whole bucket is read (D-38). The
      // caller has to see this.
      const ignored = [...unusedOptions(kind, options), ...ignoredFields].slice(0, MAX_IGNORED_FIELDS);
      return { data: { ...data, ...(ignored.length > 0 && { ignoredFields: ignored }) } };
    },
  });
}

function readTenantId(body: unknown): TenantId | undefined {
  return isObject(body) && typeof body.TenantId === 'string' ? parseTenantId(body.TenantId) : undefined;
}

async function register(
  kind: TransferKind,
  options: TransferOptionsDto,
  { tenantId }: Tenant,
  { scheduler, publisher, transfersTopic, clock, random }: RegistrationDependencies,
): Promise<Success> {
  if (kind === 'historical') {
    const unique = timedId(new Date(clock.nowMs()), random.bytes(12).toString('hex'));
    const jobId = historicalJobId(tenantId, unique);
    await publisher.publish(transfersTopic, toTrigger(kind, tenantId, jobId, options));
    return { data: { JobId: jobId } };
  }
  const jobId = recurringJobId(kind, tenantId);
  await scheduler.schedule({ trigger: toTrigger(kind, tenantId, jobId, options), schedule: toSchedule(kind, options) });
  return { data: { recurringJobId: jobId } };
}
