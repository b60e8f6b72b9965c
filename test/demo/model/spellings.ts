/**
 * How the service is expected to store what it stores in another form than it was sent: one table, written by hand
 * (`shop/spellings.json`), so that the expectation owes nothing to the service's own parsers. What is neither in the
 * table nor written as it is stored must not be in the shop.
 */
import spellings from '../shop/spellings.json';

/** `[SizeNumeric, SizeMetric]` of a size (Spec §2.4, D-20). */
export function expectedSize(sent: string): readonly unknown[] {
  return requireSpelling<readonly unknown[]>('sizes', sent);
}

const CANONICAL_TAG = /^[a-z]{2}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$/;

/** Canonical case of a language tag (D-16). */
export function expectedLanguage(sent: string): string {
  return CANONICAL_TAG.test(sent) ? sent : requireSpelling('languages', sent);
}

const ISO_CODE = /^[A-Z]{3}$/;

/** Upper case of a currency code (D-14). */
export function expectedCurrency(sent: string): string {
  return ISO_CODE.test(sent) ? sent : requireSpelling('currencies', sent);
}

const UTC_TO_THE_MILLISECOND = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The instant of an order's date, in UTC (D-18). */
export function expectedDate(sent: string): string {
  return UTC_TO_THE_MILLISECOND.test(sent) ? sent : requireSpelling('dates', sent);
}

function requireSpelling<T = string>(table: keyof typeof spellings, sent: string): T {
  const stored = (spellings[table] as Readonly<Record<string, unknown>>)[sent];
  if (stored === undefined) throw new Error(`shop/spellings.json does not say how "${sent}" is stored (${table}).`);
  return stored as T;
}
