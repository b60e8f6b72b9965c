/**
 * Writes customers without reading them. A change updates the fields that it sets, on the condition that the record is
 * there, or creates the record with its defaults, on the condition that it is still absent. Which one is tried first is
 * a guess; whichever condition fails tells that it must be the other, so that two requests at once neither duplicate a
 * customer nor lose a field nor put a default over a value.
 */
import type { Deadline } from '../deadline';
import { applyPendingDeletions } from '../deletions/apply-deletion';
import type { RaisedMark } from '../deletions/deletion-log';
import type { DocumentWrite } from '../documents/document-store';
import { recordPath } from '../documents/paths';
import type { CustomerChange } from '../domain/customer';
import { createCustomer, toCustomerChanges } from '../domain/customer';
import type { UpsertCustomerDto } from '../domain/dto/customer';
import { keyIdentifier } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import type { AssumedRecord } from './presence-guess';
import type { UpsertDependencies } from './record-dependencies';
import { AS_OF, newStamp, toCustomerDocument } from './record-documents';
import { settle } from './settle';

interface Attempt extends AssumedRecord {
  readonly change: CustomerChange;
}

/**
 * Upserts valid customers in array order (D-07), after the deletions that were accepted before. Repeating it is safe.
 * @param mark the deletion mark of this kind, if the caller has begun to read it; omitted: it is read here
 * @throws ContentionTimeout
 */
export async function upsertCustomers(
  customers: readonly UpsertCustomerDto[],
  tenant: Tenant,
  deadline: Deadline,
  dependencies: UpsertDependencies,
  mark?: Promise<RaisedMark | undefined>,
): Promise<void> {
  const { store, random, presence } = dependencies;
  await applyPendingDeletions(tenant, 'customers', deadline, dependencies, mark);
  const stamp = newStamp(random);
  const attempts = toCustomerChanges(customers, tenant).map((change): Attempt => {
    const path = recordPath(tenant.tenantId, 'customers', change.id);
    return { change, path, assumed: presence.of(tenant.tenantId, path) };
  });
  await settle(
    attempts,
    async (open) => {
      const writes = open.map((attempt) => toWrite(attempt, tenant, stamp));
      const outcomes = await store.writeEach(writes, deadline);
      const found = open.map((attempt, place) => (outcomes[place] === 'conflict' ? assumeOpposite(attempt) : attempt));
      presence.learn(tenant.tenantId, found);
      return found.filter((_, place) => outcomes[place] === 'conflict');
    },
    deadline,
    dependencies,
  );
}

function toWrite({ change, path, assumed }: Attempt, tenant: Tenant, stamp: string): DocumentWrite {
  if (assumed === 'absent') {
    return { set: path, data: toCustomerDocument(createCustomer(change.patch, tenant), stamp), when: 'absent' };
  }
  const data = toCustomerDocument(change.patch, stamp, keyIdentifier(change.patch, tenant.customerIdentifier));
  return { set: path, data, fields: [...Object.keys(data), AS_OF], when: 'present' };
}

function assumeOpposite(attempt: Attempt): Attempt {
  return { ...attempt, assumed: attempt.assumed === 'present' ? 'absent' : 'present' };
}
