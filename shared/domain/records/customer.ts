/** Customers: defaults, null and merge rules (Spec §2.2, D-12, D-13). */
import type { UpsertCustomerDto } from '../dto/customer';
import { customerSchema } from '../dto/customer';
import type { RecordId } from '../identity';
import { customerRecordId } from '../identity';
import { canonicalLanguage } from '../values/language';
import type { Tenant } from '../tenant';
import { isPresent } from '../values/text';

/**
 * A stored customer. The consents and `IsExcluded` always have a value. Any other field is absent when it was never
 * sent, and present but undefined when it was cleared (D-12).
 */
export interface CustomerRecord {
  readonly CustomerId?: string | undefined;
  readonly Email?: string | undefined;
  readonly Name?: string | undefined;
  readonly Surname?: string | undefined;
  readonly Phone?: string | undefined;
  readonly Language?: string | undefined;
  readonly Username?: string | undefined;
  readonly EmailOptin: boolean;
  readonly SmsOptin: boolean;
  readonly WhatsappOptin: boolean;
  readonly AppPushOptin: boolean;
  readonly GdprOptin: boolean;
  readonly IsExcluded: boolean;
}

/**
 * The effect of an upsert: a field with a value is set, a field that is undefined is cleared, an absent field stays.
 */
export type CustomerPatch = { readonly [K in keyof CustomerRecord]?: CustomerRecord[K] | undefined };

/** One or more upserts of the same customer, folded in their order. */
export interface CustomerChange {
  readonly id: RecordId;
  readonly patch: CustomerPatch;
}

export const CONSENTS = ['EmailOptin', 'SmsOptin', 'WhatsappOptin', 'AppPushOptin', 'GdprOptin'] as const;
export type Consent = (typeof CONSENTS)[number];
const BOOLEAN_DEFAULTS = {
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

/** The record that a change creates when none is stored: the defaults, then the sent fields (D-13). */
export function createCustomer(patch: CustomerPatch, tenant: Tenant): CustomerRecord {
  return applyPatch(customerDefaults(tenant), patch);
}

/** A stored record after a change. */
export function applyPatch(stored: CustomerRecord, patch: CustomerPatch): CustomerRecord {
  const after: Record<string, unknown> = {};
  for (const field of FIELDS) {
    if (field in patch) after[field] = patch[field];
    else if (field in stored) after[field] = stored[field];
  }
  return after as unknown as CustomerRecord;
}

/** The result of merging two records of one customer. */
export interface MergedCustomer {
  readonly customer: CustomerRecord;
  /** Consents that only one record had, and that the younger one did not refuse. They are withdrawn. */
  readonly consentsWithdrawn: number;
}

/**
 * Merges two records that turn out to be one customer (D-09). The younger record wins field by field, and the fields
 * that it cleared stay cleared. A consent is given only if both records have it, and an exclusion counts if either has
 * it: nobody knows which of two flags the person changed last, and a withdrawal must never be lost.
 */
export function mergeCustomers(older: CustomerRecord, younger: CustomerRecord): MergedCustomer {
  // A record that was stored before a consent was introduced lacks it, and so has not given it.
  const both: readonly Partial<CustomerRecord>[] = [older, younger];
  const isGiven = (consent: Consent) => both.every((record) => record[consent] === true);
  const latest = { ...older, ...younger };
  const customer = {
    ...latest,
    ...Object.fromEntries(CONSENTS.map((consent) => [consent, isGiven(consent)])),
    IsExcluded: older.IsExcluded || younger.IsExcluded,
  };
  const withdrawn = CONSENTS.filter((consent) => latest[consent] && !isGiven(consent));
  return { customer, consentsWithdrawn: withdrawn.length };
}

/** A stored record without consents. An exclusion stays. */
export function withoutConsents(stored: CustomerRecord): CustomerRecord {
  return { ...stored, ...Object.fromEntries(CONSENTS.map((consent) => [consent, false])) };
}

/** Whether a stored record has any consent. */
export function hasConsent(stored: CustomerRecord): boolean {
  return CONSENTS.some((consent) => stored[consent]);
}

function customerDefaults(tenant: Tenant): CustomerRecord {
  return tenant.defaultLanguage === null ? BOOLEAN_DEFAULTS : { Language: tenant.defaultLanguage, ...BOOLEAN_DEFAULTS };
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
