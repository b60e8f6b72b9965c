/** Customers who come without the tenant's priority identifier: others than those who have it (D-02, R-101). */
import type { RecordId } from '../identity';
import { customerIdentities } from '../identity';
import type { CustomerRecord } from '../records/customer';
import { CONSENTS } from '../records/customer';
import type { CustomerIdentifier } from '../tenant';
import { isPresent } from '../values/text';
import type { WarningCode } from './warning';

/** A customer as it was sent, valid. */
export type SentCustomer = { readonly [Field in keyof CustomerRecord]?: CustomerRecord[Field] | null | undefined };

/** Whether a customer lacks the tenant's priority identifier. */
export function lacksPriority({ Email, CustomerId }: SentCustomer, priority: CustomerIdentifier): boolean {
  return !isPresent(priority === 'email' ? Email : CustomerId);
}

/** Whether a consent is among the fields, be it given, withdrawn or cleared. */
export function sendsConsent(customer: SentCustomer): boolean {
  return CONSENTS.some((consent) => customer[consent] !== undefined);
}

/**
 * What a customer that was stored has to be warned of; undefined: nothing.
 * @param reachable the other identifiers that stored customers have beside the priority identifier
 */
export function missingIdentifier(
  customer: SentCustomer,
  priority: CustomerIdentifier,
  reachable: ReadonlySet<RecordId>,
): { readonly code: WarningCode; readonly isReachable: boolean } | undefined {
  if (!lacksPriority(customer, priority)) return undefined;
  const code = priority === 'email' ? 'emailMissing' : 'customerIdMissing';
  const isReachable = customerIdentities(customer).some((identity) => reachable.has(identity));
  if (isReachable && sendsConsent(customer)) return { code: 'consentNotApplied', isReachable: false };
  return { code, isReachable };
}
