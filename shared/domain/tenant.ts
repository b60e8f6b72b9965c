/** The tenant configuration (Spec §2.1) and the identifiers of tenants and organizations. */
import { customerSchema } from './dto/customer';

/** A GUID in lower case (D-46). Only `parseTenantId` makes one. */
export type TenantId = string & { readonly __brand: 'TenantId' };

export type CustomerIdentifier = 'email' | 'customerid';
export type ProductIdentifier = 'productid' | 'sku';

export const CUSTOMER_IDENTIFIERS: readonly CustomerIdentifier[] = ['email', 'customerid'];
export const PRODUCT_IDENTIFIERS: readonly ProductIdentifier[] = ['productid', 'sku'];

/** What the operator sets for a tenant (Spec §2.1). */
export interface TenantSettings {
  /** Which field matches an incoming customer to a stored one. */
  readonly customerIdentifier: CustomerIdentifier;
  /** Which field identifies a product. */
  readonly productIdentifier: ProductIdentifier;
  /** Which field of an order names its customer. */
  readonly orderCustomer: CustomerIdentifier;
  /** The language of customers that are created without one, a canonical IETF BCP 47 tag; null: none. */
  readonly defaultLanguage: string | null;
  /** Customer fields that this tenant makes mandatory. */
  readonly requiredFields: readonly string[];
  /** The tenant's own Pub/Sub topic, `projects/P/topics/T`, that is notified when a run ends; null: none. */
  readonly notifyTopic: string | null;
  /** What operators call the tenant; null: nothing. */
  readonly displayName: string | null;
}

export interface Tenant extends TenantSettings {
  readonly tenantId: TenantId;
  readonly organizationId: string;
  /** Whether it may hold products or orders of more than `LARGE_RECORD_BYTES` (workspace/large-records). */
  readonly hasLargeRecords?: boolean;
  /** Since when its requests are refused and its transfers rest. Absent: it is not suspended. */
  readonly suspendedSince?: Date;
  /** When its erasure began; from then on it does not exist for callers. Absent: it is not being erased. */
  readonly erasingSince?: Date;
}

export const DEFAULT_SETTINGS: TenantSettings = {
  customerIdentifier: 'email',
  productIdentifier: 'productid',
  orderCustomer: 'email',
  defaultLanguage: null,
  requiredFields: [],
  notifyTopic: null,
  displayName: null,
};

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Reads a GUID in any case; undefined when the text is none (D-46). */
export function parseTenantId(text: string): TenantId | undefined {
  return GUID.test(text) ? (text.toLowerCase() as TenantId) : undefined;
}

/** The customer fields that a tenant may make mandatory (Spec §2.1). */
export const REQUIRABLE_FIELDS: readonly string[] = Object.keys(customerSchema.properties);
