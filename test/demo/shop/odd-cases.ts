/**
 * Odd but valid records, each with the stored values that are expected of it, written by hand beside it in
 * `odd-cases.json` (the model must agree with them).
 */
import type { Fields, Kind, TenantName } from '../fields';
import { KINDS } from '../fields';
import type { Delivery } from './delivery';
import oddCases from './odd-cases.json';

export interface OddCase {
  /** What is odd. */
  readonly note: string;
  readonly kind: Kind;
  /** Sent in this order. */
  readonly send: readonly Fields[];
  /** How to look for the record: `{"email"}`, `{"customerId"}` or `{"id"}`. */
  readonly find: { readonly email?: string; readonly customerId?: string; readonly id?: string };
  /** Fields of the record that is found, null for an absent one; null instead of all: no record is found. */
  readonly stored: Readonly<Record<TenantName, Fields | null>>;
  readonly ignoredFields?: readonly string[];
}

export const ODD_CASES = oddCases as unknown as readonly OddCase[];

export const ODD_DELIVERIES: readonly Delivery[] = KINDS.map((kind) => {
  const cases = ODD_CASES.filter((odd) => odd.kind === kind);
  const ignoredFields = cases.flatMap((odd) => odd.ignoredFields ?? []);
  return {
    kind,
    title: `odd but valid ${kind}`,
    batch: cases.flatMap(({ send }) => send),
    ...(ignoredFields.length > 0 && { ignoredFields }),
  };
});
