/** Customers: defaults, null and merge rules (Spec §2.2, D-12, D-13). */
import type { UpsertCustomerDto } from './dto/customer';
import { customerSchema } from './dto/customer';
import type { RecordId } from './identity';
import { customerRecordId } from './identity';
import { canonicalLanguage } from './language';
import type { Tenant } from './tenant';
import { isPresent } from './text';

/** A stored customer. The consents and `IsExcluded` are always there; other fields only with a value. */
export interface CustomerRecord {
  readonly CustomerId?: string;
  readonly Email?: string;
  readonly Name?: string;
  readonly Surname?: string;
  readonly Phone?: string;
  readonly Language?: string;
  readonly Username?: string;
  readonly EmailOptin: boolean;
  readonly SmsOptin: boolean;
  readonly WhatsappOptin: boolean;
  readonly AppPushOptin: boolean;
  readonly GdprOptin: boolean;
  readonly IsExcluded: boolean;
}

/**
 * The effect of an upsert: a field with a value is set, a field that is there but undefined is removed, others stay.
 */
export type CustomerPatch = { readonly [K in keyof CustomerRecord]?: CustomerRecord[K] | undefined };

/** One or more upserts of the same customer, folded in their order. */
export interface CustomerChange {
  readonly id: RecordId;
  readonly patch: CustomerPatch;
}

const FLAGS = {
  EmailOptin: false,
  SmsOptin: false,
  WhatsappOptin: false,
  AppPushOptin: false,
  GdprOptin: false,
  IsExcluded: false,
} as const;
const FIELDS = Object.keys(customerSchema.properties) as (keyof typeof customerSchema.properties)[];

/** Folds a batch into one change a customer; later elements win field by field (D-07). */
export function toCustomerChanges(customers: readonly UpsertCustomerDto[], tenant: Tenant): CustomerChange[] {
  const changes = new Map<RecordId, CustomerChange>();
  for (const customer of customers) {
    const id = customerRecordId(customer, tenant.customerIdentifier);
    const patch = toPatch(customer, tenant);
    const earlier = changes.get(id);
    changes.set(id, { id, patch: earlier ? { ...earlier.patch, ...patch } : patch });
  }
  return [...changes.values()];
}

/** The record that a change creates where none is stored: defaults, then what was sent (D-13). */
export function createCustomer(patch: CustomerPatch, tenant: Tenant): CustomerRecord {
  return applyPatch(customerDefaults(tenant), patch);
}

/** A stored record after a change. */
export function applyPatch(stored: CustomerRecord, patch: CustomerPatch): CustomerRecord {
  const after: Record<string, unknown> = {};
  for (const field of FIELDS) {
    const value = field in patch ? patch[field] : stored[field];
    if (value !== undefined) after[field] = value;
  }
  return after as unknown as CustomerRecord;
}

function customerDefaults(tenant: Tenant): CustomerRecord {
  return tenant.defaultLanguage === null ? FLAGS : { Language: tenant.defaultLanguage, ...FLAGS };
}

/** The effect of one upsert. */
export function toPatch(customer: UpsertCustomerDto, tenant: Tenant): CustomerPatch {
  const patch: Record<string, unknown> = {};
  for (const field of FIELDS) {
    const sent = customer[field];
    if (sent === undefined) continue;
    patch[field] = isCleared(field, sent) ? customerDefaults(tenant)[field] : toStored(field, sent);
  }
  return patch;
}

/** A blank identifier counts as missing, like null: no customer is stored with an e-mail of blanks. */
function isCleared(field: (typeof FIELDS)[number], sent: unknown): boolean {
  const identifies = field === 'CustomerId' || field === 'Email';
  return sent === null || (identifies && !isPresent(sent as string));
}

function toStored(field: (typeof FIELDS)[number], sent: unknown): unknown {
  return field === 'Language' ? canonicalLanguage(sent as string) : sent;
}
