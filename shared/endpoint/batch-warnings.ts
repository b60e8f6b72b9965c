/** What the answer of a batch warns of: each element by its index in the batch as it was sent. */
import type { Tenant } from '../domain/tenant';
import type { MisnamedFieldFinder } from '../domain/warnings/misnamed-fields';
import { warnOfMisnamed } from '../domain/warnings/misnamed-fields';
import type { SentCustomer } from '../domain/warnings/missing-identifier';
import { missingIdentifier } from '../domain/warnings/missing-identifier';
import type { Warnings } from '../domain/warnings/warning';
import { NO_WARNINGS, warn } from '../domain/warnings/warning';
import { EventLoopShare, runInShares } from '../platform/async/event-loop-share';
import type { Deadline } from '../platform/deadline';
import { findReachable } from '../deletions/reachable-customers';
import type { RecordDependencies } from '../workspace/record-dependencies';

/** The warnings of fields that are ignored and were meant as known ones; also those of invalid elements. */
export async function warnOfFields(body: unknown, findMisnamed: MisnamedFieldFinder): Promise<Warnings> {
  const share = new EventLoopShare();
  let warnings = NO_WARNINGS;
  for (const [index, element] of Array.isArray(body) ? body.entries() : []) {
    warnings = warnOfMisnamed(warnings, await runInShares(findMisnamed(element), share), { index });
  }
  return warnings;
}

/**
 * The warnings of customers without the tenant's priority identifier. Never rejects.
 * @param indexes of the customers in the batch as it was sent; undefined: all of it are left
 */
export async function warnOfIdentifiers(
  customers: readonly SentCustomer[],
  indexes: readonly number[] | undefined,
  tenant: Tenant,
  deadline: Deadline,
  dependencies: Pick<RecordDependencies, 'store' | 'clock'>,
): Promise<Warnings> {
  const reachable = await findReachable(customers, tenant, deadline, dependencies);
  let warnings = NO_WARNINGS;
  for (const [place, customer] of customers.entries()) {
    const missing = missingIdentifier(customer, tenant.customerIdentifier, reachable);
    const index = indexes?.[place] ?? place;
    if (missing) warnings = warn(warnings, missing.code, [{ index }], missing.isReachable);
  }
  return warnings;
}
