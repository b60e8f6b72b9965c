/** The identity rules, which find the stored record of an incoming one (Spec §2.2 and §4.2, D-01 to D-05). */
import { hash } from 'node:crypto';
import type { CustomerIdentifier, ProductIdentifier } from './tenant';
import { isPresent, toMatchingEmail, toMatchingId } from './values/text';

export type RecordKind = 'customers' | 'products' | 'orders';
export const RECORD_KINDS: readonly RecordKind[] = ['customers', 'products', 'orders'];

/**
 * The id of a stored record: the base64url SHA-256 of a namespace and the identifier. So any text becomes a valid
 * document id (`a/b`, `..`, 100 emoji), no e-mail appears in a path or a log, and writes spread over the key range.
 */
export type RecordId = string & { readonly __brand: 'RecordId' };

const RECORD_ID = /^[A-Za-z0-9_-]{43}$/;

/** Whether a value has the form of a record's id. */
export function isRecordId(value: unknown): value is RecordId {
  return typeof value === 'string' && RECORD_ID.test(value);
}

interface CustomerIdentifiers {
  readonly Email?: string | null | undefined;
  readonly CustomerId?: string | null | undefined;
}

/**
 * The record of a customer. Without the priority identifier, a customer is keyed by the other one, in a separate
 * namespace. There it matches only records that lack the priority identifier too (D-02).
 * @throws Error when both are blank, which validation rules out.
 */
export function customerRecordId(customer: CustomerIdentifiers, priority: CustomerIdentifier): RecordId {
  const byEmail = isPresent(customer.Email) ? toMatchingEmail(customer.Email) : undefined;
  const byId = isPresent(customer.CustomerId) ? toMatchingId(customer.CustomerId) : undefined;
  const [first, second] =
    priority === 'email'
      ? ([
          ['email', byEmail],
          ['customerid-only', byId],
        ] as const)
      : ([
          ['customerid', byId],
          ['email-only', byEmail],
        ] as const);
  if (first[1] !== undefined) return hashId(`customers/${first[0]}`, first[1]);
  if (second[1] !== undefined) return hashId(`customers/${second[0]}`, second[1]);
  throw new Error('A customer needs an Email or a CustomerId.');
}

/** The identities by which deletions can address a customer: its e-mail and its customer id, if it has them. */
export function customerIdentities(customer: CustomerIdentifiers): RecordId[] {
  const { Email, CustomerId } = customer;
  return [
    ...(isPresent(Email) ? [emailIdentity(Email)] : []),
    ...(isPresent(CustomerId) ? [customerIdIdentity(CustomerId)] : []),
  ];
}

/** Whether a customer has all identifiers that another one has, in any spelling (D-01). */
export function hasIdentifiersOf(customer: CustomerIdentifiers, other: CustomerIdentifiers): boolean {
  return (
    isSameOrNone(customer.Email, other.Email, toMatchingEmail) &&
    isSameOrNone(customer.CustomerId, other.CustomerId, toMatchingId)
  );
}

function isSameOrNone(
  own: string | null | undefined,
  other: string | null | undefined,
  toMatching: (identifier: string) => string,
): boolean {
  if (!isPresent(other)) return true;
  return own === other || (isPresent(own) && toMatching(own) === toMatching(other));
}

/** The identity that customers with the same e-mail share (D-01). */
export function emailIdentity(email: string): RecordId {
  return hashId('identities/email', toMatchingEmail(email));
}

/** The identity that customers with the same customer id share (D-01). */
export function customerIdIdentity(customerId: string): RecordId {
  return hashId('identities/customerid', toMatchingId(customerId));
}

/** The identifier by which a customer is keyed: the one with priority, or the other one if it lacks that (D-02). */
export function keyIdentifier({ Email, CustomerId }: CustomerIdentifiers, priority: CustomerIdentifier) {
  if (priority === 'email') return isPresent(Email) ? 'email' : 'customerid';
  return isPresent(CustomerId) ? 'customerid' : 'email';
}

/** The identity by which a stored customer is keyed; empty when it has no identifier. */
export function keyIdentity(customer: CustomerIdentifiers, priority: CustomerIdentifier): RecordId[] {
  return identitiesBy(keyIdentifier(customer, priority), customer);
}

/** The identity of a customer by one identifier; empty when it lacks that. */
export function identitiesBy(identifier: CustomerIdentifier, { Email, CustomerId }: CustomerIdentifiers): RecordId[] {
  return customerIdentities(identifier === 'email' ? { Email } : { CustomerId });
}

/** The record of a product: there is one for each `ProductId` of a tenant (D-03). */
export function productRecordId(productId: string): RecordId {
  return hashId('products', toMatchingId(productId));
}

/** The record of an order. */
export function orderRecordId(orderId: string): RecordId {
  return hashId('orders', toMatchingId(orderId));
}

/** The index entry that lists the products with a variant of this `Sku` (D-03). */
export function skuEntryId(sku: string): RecordId {
  return hashId('skus', toMatchingId(sku));
}

/** The claim on a bucket (D-57). */
export function bucketId(name: string): RecordId {
  return hashId('buckets', name);
}

/** The key of a variant within its product (D-04). */
export function variantKey(variant: { VariantId: string; Sku: string }, identifier: ProductIdentifier): string {
  return toMatchingId(identifier === 'sku' ? variant.Sku : variant.VariantId);
}

/** The key of an item within its order (D-05). */
export function itemKey(item: { ProductId: string; Sku: string }): string {
  return JSON.stringify([toMatchingId(item.ProductId), toMatchingId(item.Sku)]);
}

function hashId(namespace: string, value: string): RecordId {
  return hash('sha256', `${namespace}\0${value}`, 'base64url') as RecordId;
}
