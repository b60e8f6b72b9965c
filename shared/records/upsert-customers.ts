/**
 * Writes customers without reading them. A change updates the fields that it sets, on the condition that the record is
 * there, or creates the record with its defaults, on the condition that it is still absent. Which one is tried first is
 * a guess; whichever condition fails tells that it must be the other, so that two requests at once neither duplicate a
 * customer nor lose a field nor put a default over a value.
 */
import { applyDeletionsOf } from '../deletions/apply-deletion';
import { applyWideDeletionsOf } from '../deletions/wide-deletions';
import type { Deadline } from '../platform/deadline';
import type { MayBePending } from '../deletions/pending-flag';
import type { DocumentChange } from '../documents/document-store';
import { recordPath } from '../documents/paths';
import type { CustomerChange } from '../domain/records/customer';
import { createCustomer, toCustomerChanges } from '../domain/records/customer';
import type { UpsertCustomerDto } from '../domain/dto/customer';
import { customerIdentities, keyIdentifier, keyIdentity } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import type { PlannedUpsert } from './planned-upsert';
import type { RecordPresence } from './presence-predictor';
import type { UpsertDependencies } from './upsert-dependencies';
import { newRevision, toCustomerDocument } from '../workspace/record-documents';
import { retryConflicts } from '../workspace/retry-conflicts';

interface Attempt extends RecordPresence {
  readonly change: CustomerChange;
  readonly write: DocumentChange;
}

/** Plans to upsert valid customers in array order (D-07). */
export function planCustomers(
  customers: readonly UpsertCustomerDto[],
  tenant: Tenant,
  dependencies: UpsertDependencies,
): PlannedUpsert {
  const { store, random, presencePredictor } = dependencies;
  const { tenantId } = tenant;
  const revision = newRevision(random);
  const toAttempt = (change: CustomerChange, path: string, presence: RecordPresence['presence']): Attempt => {
    const write =
      presence === 'absent' ? toCreation(path, change, tenant, revision) : toUpdate(path, change, tenant, revision);
    return { change, path, presence, write };
  };
  const attempts = toCustomerChanges(customers, tenant).map((change) => {
    const path = recordPath(tenantId, 'customers', change.id);
    return toAttempt(change, path, presencePredictor.predict(tenantId, path));
  });
  const applyPending = async (flag: MayBePending | undefined, deadline: Deadline) => {
    if (!flag) return;
    const written = attempts.flatMap(({ change: { patch }, path }) =>
      keyIdentity(patch, tenant.customerIdentifier).map((key) => ({
        path,
        key,
        identities: customerIdentities(patch),
      })),
    );
    const keys = written.map(({ key }) => key);
    await applyDeletionsOf(tenant, 'customers', keys, flag, deadline, dependencies);
    await applyWideDeletionsOf(tenant, written, flag, deadline, dependencies);
  };
  return async (flag, deadline) => {
    await applyPending(await flag, deadline);
    await retryConflicts(
      attempts,
      async (open) => {
        const writes = open.map(({ write }) => write);
        const outcomes = await store.writeEach(writes, deadline);
        const found = open.map(({ path, presence }, index) => {
          return { path, presence: outcomes[index] === 'conflict' ? OPPOSITE[presence] : presence };
        });
        presencePredictor.learn(tenantId, found);
        const inConflict = open.filter((_, index) => outcomes[index] === 'conflict');
        return inConflict.map(({ change, path, presence }) => toAttempt(change, path, OPPOSITE[presence]));
      },
      deadline,
      dependencies,
    );
  };
}

const OPPOSITE = { present: 'absent', absent: 'present' } as const;

function toCreation(path: string, { patch }: CustomerChange, tenant: Tenant, revision: string): DocumentChange {
  return { set: path, data: toCustomerDocument(createCustomer(patch, tenant), revision), when: 'absent' };
}

function toUpdate(path: string, { patch }: CustomerChange, tenant: Tenant, revision: string): DocumentChange {
  const data = toCustomerDocument(patch, revision, keyIdentifier(patch, tenant.customerIdentifier));
  return { set: path, data, fields: Object.keys(data), when: 'present' };
}
