/** The deletions that routes accept, and the stored records that they match (Spec §4.3 to §4.5). */
import { customerSchema } from './dto/customer';
import { orderItemSchema, orderSchema } from './dto/order';
import { productSchema, productVariantSchema } from './dto/product';
import type { RecordId, RecordKind } from './identity';
import type { CustomerIdentifier } from './tenant';
import { hasAtMost, toMatchingEmail, toMatchingId } from './values/text';

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

/** The kind of the records that a deletion can change. */
export const DELETION_KIND = {
  customer: 'customers',
  product: 'products',
  variant: 'products',
  order: 'orders',
  orderItem: 'orders',
} as const;

/** The message that asks `deletion-consumer` to apply accepted deletions. What counts is what is in Firestore. */
export interface DeletionRequested {
  readonly tenantId: string;
  /** At most DELETIONS_IN_EVENT. */
  readonly deletionIds: readonly string[];
  /** What applying them removes if nothing has changed meanwhile (`UnreadRemoval`). Absent: that has to be read. */
  readonly removal?: object;
}

/** The message that asks `deletion-consumer` to apply all pending deletions of a kind. */
export interface DrainRequested {
  readonly tenantId: string;
  readonly drain: RecordKind;
}

/** The greatest length of the ids of stored records, in characters of their matching form. */
const LONGEST = {
  customerId: customerSchema.properties.CustomerId.maxLength,
  /** A character has at most two characters in lower case. */
  email: 2 * customerSchema.properties.Email.maxLength,
  productId: productSchema.properties.ProductId.maxLength,
  variantId: productVariantSchema.properties.VariantId.maxLength,
  orderId: orderSchema.properties.OrderId.maxLength,
  itemProductId: orderItemSchema.properties.ProductId.maxLength,
  itemSku: orderItemSchema.properties.Sku.maxLength,
} as const;

/**
 * The deletion with its ids in their matching form; undefined when it can match nothing. An id that is blank, or longer
 * than that of any stored record, matches nothing. If the deletion has another id, this one counts as not sent, which
 * means the same (D-43, D-44).
 */
export function toMatchable(target: DeletionTarget): DeletionTarget | undefined {
  switch (target.type) {
    case 'customer': {
      const customerId = toMatchableId(target.customerId, LONGEST.customerId);
      const email = toMatchableId(target.email && toMatchingEmail(target.email), LONGEST.email);
      return customerId === null && email === null ? undefined : { type: 'customer', customerId, email };
    }
    case 'product': {
      const productId = toMatchableId(target.productId, LONGEST.productId);
      return productId === null ? undefined : { type: 'product', productId };
    }
    case 'variant': {
      const productId = toMatchableId(target.productId, LONGEST.productId);
      const variantId = toMatchableId(target.variantId, LONGEST.variantId);
      return productId === null || variantId === null ? undefined : { type: 'variant', productId, variantId };
    }
    case 'order': {
      const orderId = toMatchableId(target.orderId, LONGEST.orderId);
      return orderId === null ? undefined : { type: 'order', orderId };
    }
    case 'orderItem': {
      const orderId = toMatchableId(target.orderId, LONGEST.orderId);
      const productId = toMatchableId(target.productId, LONGEST.itemProductId);
      const sku = toMatchableId(target.sku, LONGEST.itemSku);
      const matches = orderId !== null && (productId !== null || sku !== null);
      return matches ? { type: 'orderItem', orderId, productId, sku } : undefined;
    }
  }
}

function toMatchableId(id: string | null, longest: number): string | null {
  const matching = id === null ? '' : toMatchingId(id);
  return matching !== '' && hasAtMost(matching, longest) ? matching : null;
}

const DELETION_ID = /^(customers|products|orders)-([A-Za-z0-9_-]{43})$/;

/**
 * The id of a pending deletion.
 * @param id of the record for a product or an order; the identity that they share for customers
 */
export function toDeletionId(kind: RecordKind, id: RecordId): string {
  return `${kind}-${id}`;
}

/** Texts between which the ids of a kind's pending deletions are, and no others. */
export function deletionIdRange(kind: RecordKind): { readonly start: string; readonly end: string } {
  return { start: `${kind}-`, end: `${kind}.` }; // a dot comes right after a hyphen
}

/** The kind and id in the id of a pending deletion; undefined for any other text. */
export function parseDeletionId(deletionId: string): { readonly kind: RecordKind; readonly id: RecordId } | undefined {
  const [, kind, id] = DELETION_ID.exec(deletionId) ?? [];
  return kind === undefined ? undefined : { kind: kind as RecordKind, id: id as RecordId };
}

/**
 * The lookups of a customer deletion, in their order: by the tenant's priority identifier first, and by the other one
 * only if that finds nothing (D-43).
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
