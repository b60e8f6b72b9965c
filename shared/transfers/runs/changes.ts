/**
 * What the rows of a run have changed. Each row that is stored or deletes counts once, as if it came alone: so it does
 * not matter how rows are cut into slices. The counts of a file are stored with its progress, like `RowCounts`.
 */
import type { RecordKind } from '../../domain/identity';
import type { Consent } from '../../domain/records/customer';
import { CONSENTS } from '../../domain/records/customer';

const RECORD_CHANGES = ['Created', 'Updated', 'Unchanged', 'Deleted'] as const;
const CONSENT_CHANGES = ['Granted', 'Withdrawn', 'KeptWithdrawn', 'Erased'] as const;

/** What a row that is stored, or deletes, does to its record. */
export type RecordChange = (typeof RECORD_CHANGES)[number];

/**
 * What a row does, or would have done, to one consent of its customer. `KeptWithdrawn` and `Erased` are rows that said
 * true and were stale: against a newer record that has not the consent, or against a deletion.
 */
export type ConsentChange = `${Consent}${(typeof CONSENT_CHANGES)[number]}`;

/** The rows of one kind by what they have changed; absent: none. */
export type ChangeCounts = Readonly<Partial<Record<RecordChange | ConsentChange, number>>>;

/** Those of a run; absent: it has read no row of that kind. */
export type RunChanges = Readonly<Partial<Record<RecordKind, ChangeCounts>>>;

/** The counts with these changes of one more row. */
export function countChanges(counts: ChangeCounts, changes: readonly (RecordChange | ConsentChange)[]): ChangeCounts {
  const sum = { ...counts };
  for (const change of changes) sum[change] = (sum[change] ?? 0) + 1;
  return sum;
}

export function addChanges(a: ChangeCounts, b: ChangeCounts): ChangeCounts {
  const names = Object.keys(b) as (keyof ChangeCounts)[];
  return { ...a, ...Object.fromEntries(names.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)])) };
}

/** Whether the changes are those of all rows. They are not where a release that did not count them has read some. */
export function areOfAllRows(
  changes: RunChanges,
  { stored, deleted }: { readonly stored: number; readonly deleted: number },
): boolean {
  const sum = (change: RecordChange) =>
    Object.values(changes).reduce((total, counts) => total + (counts[change] ?? 0), 0);
  return sum('Created') + sum('Updated') + sum('Unchanged') === stored && sum('Deleted') === deleted;
}

export type ShownRecords = Readonly<Record<RecordChange, number>>;
export type ShownConsent = Readonly<Record<(typeof CONSENT_CHANGES)[number], number>>;
export type ShownConsents = Readonly<Record<Consent, ShownConsent>>;

/** The changes of a run as they are shown: all counts are there. */
export interface ShownChanges {
  readonly Customers: ShownRecords & { readonly Consents: ShownConsents };
  readonly Products: ShownRecords;
  readonly Orders: ShownRecords;
}

export function toShownChanges({ customers = {}, products = {}, orders = {} }: RunChanges): ShownChanges {
  const consentOf = (consent: Consent) => toRecord(CONSENT_CHANGES, (change) => customers[`${consent}${change}`] ?? 0);
  return {
    Customers: { ...toShownRecords(customers), Consents: toRecord(CONSENTS, consentOf) },
    Products: toShownRecords(products),
    Orders: toShownRecords(orders),
  };
}

function toShownRecords(counts: ChangeCounts): ShownRecords {
  return toRecord(RECORD_CHANGES, (change) => counts[change] ?? 0);
}

function toRecord<Name extends string, Value>(names: readonly Name[], valueOf: (name: Name) => Value) {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;
}
