import type { DocumentStore } from '../../shared/documents/document-store';
import type { TransferOptionsDto } from '../../shared/domain/dto/transfer-options';
import { MAX_IGNORED_FIELDS } from '../../shared/domain/limits';
import type { TransferKind } from '../../shared/domain/transfer';
import { unusedOptions } from '../../shared/domain/transfer';
import type { Tenant, TenantId } from '../../shared/domain/tenant';
import { parseTenantId } from '../../shared/domain/tenant';
import type { Success } from '../../shared/http/answer';
import { foreignBucket } from '../../shared/http/problems';
import type { OperationId } from '../../shared/endpoint/operation-id';
import type { AnyRoute, Call } from '../../shared/endpoint/route';
import { route } from '../../shared/endpoint/route';
import { registerBucket } from '../../shared/transfers/runs/bucket-ownership';
import type { ValidObject } from '../../shared/validation/object';
import { compileObjectValidator } from '../../shared/validation/object';
import type { ObjectSchema } from '../../shared/validation/schema-check';
import { isObject } from '../../shared/validation/values';

export interface BucketDependencies {
  readonly store: DocumentStore;
  /** The service's own bucket, which no tenant can register. */
  readonly reportsBucket: string;
}

export interface TransferOptionsRouteDefinition<Options extends TransferOptionsDto> {
  readonly operationId: OperationId;
  readonly kind: TransferKind;
  /** Behind `/google-cloud-storage`. */
  readonly path: string;
  readonly schema: ObjectSchema;
  /** `Daily transfer registered.` */
  readonly successMessage: string;
  /** `Failed to register daily transfer.` */
  readonly failureMessage: string;
  /** Runs once the bucket is the organization's. */
  readonly run: (options: Options, tenant: Tenant, call: Call) => Promise<Success>;
}

/** The row of a route whose body says what a transfer reads. It registers the bucket for the organization (D-57). */
export function transferOptionsRoute<Options extends TransferOptionsDto>(
  definition: TransferOptionsRouteDefinition<Options>,
  dependencies: BucketDependencies,
): AnyRoute {
  const { operationId, kind, path, schema, successMessage, failureMessage, run } = definition;
  return route<ValidObject<Options>>({
    operationId,
    method: 'POST',
    path: `/google-cloud-storage${path}`,
    permission: 'transfers',
    body: { object: schema },
    successMessage,
    failureMessage,
    tenantFrom: 'body',
    tenantId: readTenantId,
    validate: compileObjectValidator<Options>(schema),
    run: async ({ dto: options, ignoredFields }, tenant, call) => {
      const { organizationId } = tenant;
      const isOurs = await registerBucket(options.BucketName, organizationId, dependencies, call.deadline);
      if (!isOurs) throw foreignBucket();
      const { data } = await run(options, tenant, call);
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
