import type { DocumentStore } from '../documents/document-store';
import type { RecordId, RecordKind } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import { recordNotFound, toPendingDto } from '../http/problems';
import { RECORD_READS_AT_ONCE } from '../limits/records';
import { ConcurrencyLimit } from '../platform/async/concurrency-limit';
import type { Deadline } from '../platform/deadline';
import { findRecord } from '../records/read-records';
import type { OperationId } from './operation-id';
import type { AnyRoute, RouteRequest } from './route';
import { route, UNEXPECTED_ERROR } from './route';

export interface ReadDefinition<Address> {
  readonly operationId: OperationId;
  readonly path: string;
  /** The names of the query parameters that `readAddress` reads; absent: none. */
  readonly query?: readonly string[];
  /** `Product found.` */
  readonly foundMessage: string;
  /** Reads what is asked for. @throws HttpProblem 400 that names a missing id. */
  readonly readAddress: (request: RouteRequest) => Address;
  /** Reads the `data` of the answer. Must write nothing. @throws HttpProblem 404 */
  readonly find: (
    address: Address,
    tenant: Tenant,
    store: DocumentStore,
    deadline: Deadline,
  ) => Promise<Readonly<Record<string, unknown>>>;
}

/** The dependencies of the routes that read. */
export interface ReadDependencies {
  readonly store: DocumentStore;
}

/** Limits what the records of all answers take in the memory of this process. */
const reads = new ConcurrencyLimit(RECORD_READS_AT_ONCE);

/** The route that reads records back. It writes nothing, and applies no deletion. */
export function readRoute<Address>(definition: ReadDefinition<Address>, { store }: ReadDependencies): AnyRoute {
  const { operationId, path, query = [], foundMessage } = definition;
  return route<Address>({
    operationId,
    method: 'GET',
    path,
    permission: 'records',
    query,
    successMessage: foundMessage,
    failureMessage: UNEXPECTED_ERROR,
    tenantFrom: 'path',
    read: (request) => definition.readAddress(request),
    run: async (address, tenant, { deadline }) => ({
      data: await reads.run(() => definition.find(address, tenant, store, deadline)),
    }),
  });
}

/** A `find` of one record by its id. @param notFoundMessage `Product not found.` */
export function findOne(kind: RecordKind, notFoundMessage: string): ReadDefinition<RecordId>['find'] {
  return async (id, tenant, store, deadline) => {
    const { record, deletionAcceptedAt } = await findRecord(tenant, kind, id, store, deadline);
    if (!record) throw recordNotFound(notFoundMessage, deletionAcceptedAt);
    return { record, ...toPendingDto(deletionAcceptedAt) };
  };
}
