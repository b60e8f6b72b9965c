/**
 * Writes customers without reading them. A change either updates the fields that it sets, with the precondition that
 * the record is present, or creates the record with its defaults, with the precondition that it is absent. Which of the
 * two is tried first is predicted. If the precondition fails, the other one is tried. So two concurrent requests
 * neither duplicate a customer, nor lose a field, nor overwrite a value by a default.
 */
import { applyDeletionsBeforeWrite } from '../deletions/apply-deletion';
import { applyWideDeletionsBeforeWrite } from '../deletions/wide-deletions';
import type { Deadline } from '../platform/deadline';
import type { PendingHint } from '../deletions/pending-flag';
import type { DocumentChange } from '../documents/document-store';
import { recordPath } from '../documents/paths';
import type { CustomerChange } from '../domain/records/customer';
import { createCustomer, toCustomerChanges } from '../domain/records/customer';
import type { UpsertCustomerDto } from '../domain/dto/customer';
import { customerIdentities, keyIdentity } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import type { PlannedUpsert } from './planned-upsert';
import type { RecordPresence } from './presence-predictor';
import type { UpsertDependencies } from './upsert-dependencies';
import { newRevision, toCustomerDocument } from '../workspace/record-documents';
import { retryConflicts } from '../workspace/retry-conflicts';

/** A change, and the write that is tried next. */
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
    const write = presence === 'absent' ? toCreation(path, change, tenant, revision) : toUpdate(path, change, revision);
    return { change, path, presence, write };
  };
  const attempts = toCustomerChanges(customers, tenant).map((change) => {
    const path = recordPath(tenantId, 'customers', change.id);
    return toAttempt(change, path, presencePredictor.predict(tenantId, path));
  });
  const applyPending = async (flag: PendingHint | undefined, deadline: Deadline) => {
    if (!flag) return;
    const written = attempts.flatMap(({ change: { patch }, path }) =>
      keyIdentity(patch, tenant.customerIdentifier).map((key) => ({
        path,
        key,
        identities: customerIdentities(patch),
      })),
    );
    const keys = written.map(({ key }) => key);
    await applyDeletionsBeforeWrite(tenant, 'customers', keys, flag, deadline, dependencies);
    await applyWideDeletionsBeforeWrite(tenant, written, flag, deadline, dependencies);
  };
  return async (flag, deadline) => {
    await applyPending(await flag, deadline);
    const counts = { created: 0, updated: 0 };
    await retryConflicts(
      attempts,
      async (open) => {
        const writes = open.map(({ write }) => write);
        const outcomes = await store.writeEach(writes, deadline);
        const found = open.map(({ path, presence }, index) => {
          return { path, presence: outcomes[index] === 'conflict' ? OPPOSITE[presence] : presence };
        });
        presencePredictor.learn(tenantId, found);
        open.forEach(({ presence }, index) => {
          if (outcomes[index] === 'written') counts[presence === 'absent' ? 'created' : 'updated'] += 1;
        });
        const inConflict = open.filter((_, index) => outcomes[index] === 'conflict');
        return inConflict.map(({ change, path, presence }) => toAttempt(change, path, OPPOSITE[presence]));
      },
      deadline,
      dependencies,
    );
    return counts;
  };
}

const OPPOSITE = { present: 'absent', absent: 'present' } as const;

function toCreation(path: string, { patch }: CustomerChange, tenant: Tenant, revision: string): DocumentChange {
  return { set: path, data: toCustomerDocument(createCustomer(patch, tenant), revision), when: 'absent' };
}

function toUpdate(path: string, { patch }: CustomerChange, revision: string): DocumentChange {
  const data = toCustomerDocument(patch, revision);
  return { set: path, data, fields: Object.keys(data), when: 'present' };
}
