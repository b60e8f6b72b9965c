/** What a delete route accepts, and which stored records it means (Spec §4.3 to §4.5). */
import type { CustomerIdentifier } from './tenant';

/** An id that was not sent is null. */
export type DeletionTarget =
  | { readonly type: 'customer'; readonly customerId: string | null; readonly email: string | null }
  | { readonly type: 'product'; readonly productId: string }
  | { readonly type: 'variant'; readonly productId: string; readonly variantId: string }
  | { readonly type: 'order'; readonly orderId: string }
  | {
      readonly type: 'orderItem';
      readonly orderId: string;
      readonly productId: string | null;
      readonly sku: string | null;
    };

/** A deletion of a part of a record. */
export type PartTarget = Extract<DeletionTarget, { readonly type: 'variant' | 'orderItem' }>;

/** Which records an accepted deletion can touch. */
export const DELETION_KIND = {
  customer: 'customers',
  product: 'products',
  variant: 'products',
  order: 'orders',
  orderItem: 'orders',
} as const;

/** An accepted deletion that has not been applied yet. */
export interface PendingDeletion {
  readonly deletionId: string;
  readonly target: DeletionTarget;
}

/** The message that asks `deletion-consumer` to apply one accepted deletion; the target itself stays in Firestore. */
export interface DeletionRequested {
  readonly tenantId: string;
  readonly deletionId: string;
}

/**
 * The fields by which a customer deletion looks for its customers, in order: the tenant's priority identifier first,
 * the other one only if that finds nothing (D-43).
 */
export function customerLookups(
  target: { readonly customerId: string | null; readonly email: string | null },
  priority: CustomerIdentifier,
): CustomerLookup[] {
  const byEmail: CustomerLookup[] = target.email === null ? [] : [{ by: 'email', value: target.email }];
  const byId: CustomerLookup[] = target.customerId === null ? [] : [{ by: 'customerid', value: target.customerId }];
  return priority === 'email' ? [...byEmail, ...byId] : [...byId, ...byEmail];
}

/** All customers with this e-mail or customer id, matched by D-01. */
export interface CustomerLookup {
  readonly by: CustomerIdentifier;
  readonly value: string;
}
