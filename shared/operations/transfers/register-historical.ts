/** The operators' use case that registers a historical transfer. */
import { performAct } from '../../audit/audit-log';
import type { TransferOptionsDto } from '../../domain/dto/transfer-options';
import { transferOptionsSchema } from '../../domain/dto/transfer-options';
import type { JobId } from '../../domain/transfer';
import { registerBucket } from '../../transfers/runs/bucket-ownership';
import { requestHistorical } from '../../transfers/runs/request-run';
import { compileObjectValidator } from '../../validation/object';
import { ValidationFailed } from '../../validation/validation-failed';
import type { Operator } from '../operator';
import { OperatorError } from '../operator-error';
import { requireTenant } from '../tenants';

/** What a historical transfer reads. */
export interface HistoricalSource {
  readonly bucketName: string;
  /** Empty: the whole bucket (D-38). */
  readonly folderPaths: readonly string[];
}

/**
 * Registers a historical transfer for a tenant, as the API does, and starts its run. A repeat starts another
 * one. @throws OperatorError also when the bucket belongs to another organization
 */
export async function registerHistorical(
  tenantGuid: string,
  { bucketName, folderPaths }: HistoricalSource,
  operator: Operator,
): Promise<{ readonly jobId: JobId; readonly runId: string }> {
  const { tenantId, organizationId } = await requireTenant(tenantGuid, operator);
  const options = requireOptions({
    TenantId: tenantId,
    BucketName: bucketName,
    HistoricalDataFolderPaths: [...folderPaths],
  });
  const { reportsBucket, topics } = operator.config;
  return performAct(
    operator,
    { action: 'transfers.register-historical', tenantId, organizationId, after: { bucketName } },
    async (means) => {
      const isOurs = await registerBucket(bucketName, organizationId, { ...means, reportsBucket }, means.deadline());
      if (!isOurs) throw new OperatorError(`The bucket ${bucketName} is registered by another organization.`);
      return requestHistorical(tenantId, options, means.deadline(), { ...means, transfersTopic: topics.transfers });
    },
    ({ jobId, runId }) => ({ jobId, runId }),
  );
}

/** @throws OperatorError with the messages that a caller of the API gets */
function requireOptions(options: TransferOptionsDto): TransferOptionsDto {
  try {
    return compileObjectValidator<TransferOptionsDto>(transferOptionsSchema)(options).dto;
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    throw new OperatorError(Object.values(error.errors).flat().join(' '), { cause: error });
  }
}
