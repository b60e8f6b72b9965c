import type { Clock } from '../../shared/platform/clock';
import type { TransferOptionsDto } from '../../shared/domain/dto/transfer-options';
import { transferOptionsSchema } from '../../shared/domain/dto/transfer-options';
import type { RecurringTransferKind } from '../../shared/domain/transfer';
import { historicalJobId, recurringJobId, toSchedule, toTrigger } from '../../shared/domain/transfer';
import type { Tenant } from '../../shared/domain/tenant';
import type { EventPublisher } from '../../shared/events/event-publisher';
import type { Success } from '../../shared/http/answer';
import type { AnyRoute } from '../../shared/endpoint/route';
import type { Random } from '../../shared/platform/random';
import { timedId } from '../../shared/transfers/runs/run-id';
import type { TransferScheduler } from '../../shared/transfers/transfer-scheduler';
import { compileObjectValidator } from '../../shared/validation/object';
import type { BucketDependencies } from './transfer-options-route';
import { transferOptionsRoute } from './transfer-options-route';

export interface RegistrationDependencies extends BucketDependencies {
  readonly scheduler: TransferScheduler;
  readonly publisher: EventPublisher;
  /** The topic of `transfer-runner`. */
  readonly transfersTopic: string;
  readonly clock: Clock;
  readonly random: Random;
}

type RegisteredKind = 'historical' | RecurringTransferKind;

const validate = compileObjectValidator<TransferOptionsDto>(transferOptionsSchema);

/** The route of a registration (Spec §4.6). A repeat updates a recurring transfer; a historical one runs again. */
export function registrationRoute(kind: RegisteredKind, dependencies: RegistrationDependencies): AnyRoute {
  return transferOptionsRoute<TransferOptionsDto>(
    {
      kind,
      path: `/register/${kind}-transfer`,
      failureMessage: `Failed to register ${kind} transfer.`,
      validate,
      run: (options, tenant) => register(kind, options, tenant, dependencies),
    },
    dependencies,
  );
}

async function register(
  kind: RegisteredKind,
  options: TransferOptionsDto,
  { tenantId }: Tenant,
  { scheduler, publisher, transfersTopic, clock, random }: RegistrationDependencies,
): Promise<Success> {
  if (kind === 'historical') {
    const unique = timedId(new Date(clock.nowMs()), random.bytes(12).toString('hex'));
    const jobId = historicalJobId(tenantId, unique);
    await publisher.publish(transfersTopic, toTrigger(kind, tenantId, jobId, options));
    return { message: 'Historical transfer registered.', data: { JobId: jobId } };
  }
  const jobId = recurringJobId(kind, tenantId);
  await scheduler.schedule({ trigger: toTrigger(kind, tenantId, jobId, options), schedule: toSchedule(kind, options) });
  return { message: `${kind === 'daily' ? 'Daily' : 'Hourly'} transfer registered.`, data: { recurringJobId: jobId } };
}
