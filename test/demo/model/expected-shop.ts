/**
 * The end state that the demo expects of one tenant: a plain model in memory, written from the specification and its
 * decisions, which uses nothing of the service's own code.
 */
import { differences } from '../compare';
import type { Fields, Kind } from '../fields';
import { ExpectedCustomers } from './customers';
import { ExpectedOrders } from './orders';
import { ExpectedProducts } from './products';
import type { Settings } from './settings';

export class ExpectedShop {
  readonly customers: ExpectedCustomers;
  readonly products: ExpectedProducts;
  readonly orders: ExpectedOrders;

  constructor(settings: Settings) {
    this.customers = new ExpectedCustomers(settings);
    this.products = new ExpectedProducts(settings);
    this.orders = new ExpectedOrders(settings);
  }

  /** One after the other, in their order (D-07). */
  upsert(kind: Kind, batch: readonly Fields[]): void {
    for (const element of batch) this[kind].upsert(element);
  }

  count(kind: Kind): number {
    return this[kind].records().size;
  }

  /** Where the stored records differ, record by record: missing ones, ones too many, and every field. */
  differences(kind: Kind, stored: readonly Fields[]): string[] {
    const expected = this[kind].records();
    const found = new Map<string, Fields>();
    const problems: string[] = [];
    for (const record of stored) {
      const key = this[kind].keyOf(record);
      if (found.has(key)) problems.push(`${key}: stored twice`);
      found.set(key, record);
      if (!expected.has(key)) problems.push(`${key}: stored, but not expected`);
    }
    for (const [key, record] of expected) {
      const actual = found.get(key);
      if (!actual) problems.push(`${key}: expected, but not stored`);
      else problems.push(...differences(record, actual).map((difference) => `${key}: ${difference}`));
    }
    return problems;
  }
}
