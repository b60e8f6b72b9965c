/** A record as JSON has it, under the specification's field names. */
export type Fields = Readonly<Record<string, unknown>>;

export type Kind = 'customers' | 'products' | 'orders';
export const KINDS: readonly Kind[] = ['customers', 'products', 'orders'];

/** The two tenants of the demo. */
export type TenantName = 'aurora' | 'borealis';

/** An array of records that is a member of another one: variants of a product, items of an order. */
export function partsOf(record: Fields, member: string): readonly Fields[] {
  return (record[member] ?? []) as readonly Fields[];
}

/** The text in a field; undefined when there is none or only white space. */
export function textOf(record: Fields, field: string): string | undefined {
  const value = record[field];
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
