/**
 * Writes customers without reading them: each change first updates the fields that it sets, on the condition that the
 * record is there; where it is not, it creates the record with its defaults, on the condition that it is still absent.
 * Whichever condition fails tells what to try next, so that two requests at once neither duplicate a customer nor lose a
 * field nor put a default over a value.
 */
import type { Deadline } from '../deadline';
import { applyPendingDeletions } from '../deletions/apply-deletion';
import type { DocumentWrite } from '../documents/document-store';
import { recordPath } from '../documents/paths';
import type { CustomerChange } from '../domain/customer';
import { createCustomer, toCustomerChanges } from '../domain/customer';
import type { UpsertCustomerDto } from '../domain/dto/customer';
import type { Tenant } from '../domain/tenant';
import type { RecordDependencies } from './record-dependencies';
import { AS_OF, newStamp, toCustomerDocument } from './record-documents';
import { settle } from './settle';

interface Attempt {
  readonly change: CustomerChange;
  /** What the next write assumes of the record. */
  readonly assumed: 'present' | 'absent';
}

/** Upserts valid customers in array order (D-07). Repeating it is safe. @throws ContentionTimeout */
export async function upsertCustomers(
  customers: readonly UpsertCustomerDto[],
  tenant: Tenant,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  await applyPendingDeletions(tenant, 'customers', deadline, dependencies);
  const stamp = newStamp(dependencies.random);
  const attempts = toCustomerChanges(customers, tenant).map((change): Attempt => ({ change, assumed: 'present' }));
  await settle(
    attempts,
    async (open) => {
      const writes = open.map((attempt) => toWrite(attempt, tenant, stamp));
      const outcomes = await dependencies.store.writeEach(writes, deadline);
      return open.filter((_, place) => outcomes[place] === 'conflict').map(assumeOpposite);
    },
    deadline,
    dependencies,
  );
}

function toWrite({ change, assumed }: Attempt, tenant: Tenant, stamp: string): DocumentWrite {
  const path = recordPath(tenant.tenantId, 'customers', change.id);
  if (assumed === 'absent') {
    return { set: path, data: toCustomerDocument(createCustomer(change.patch, tenant), stamp), when: 'absent' };
  }
  const data = toCustomerDocument(change.patch, stamp);
  return { set: path, data, fields: [...Object.keys(data), AS_OF], when: 'present' };
}

function assumeOpposite({ change, assumed }: Attempt): Attempt {
  return { change, assumed: assumed === 'present' ? 'absent' : 'present' };
}
