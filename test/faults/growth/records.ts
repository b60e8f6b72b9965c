/** Records of the sizes that the tests of growth need. */

/** Calls `make` for 0 to `count` - 1. */
export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Items of an order, about 60 bytes of JSON each. */
export function items(count: number, from = 0): object[] {
  return times(count, (index) => ({ ProductId: `p${from + index}`, Sku: `s${from + index}`, Quantity: 1, Price: 1 }));
}

export function order(id: string, count?: number, from?: number): object {
  return { OrderId: id, Currency: 'EUR', ...(count !== undefined && { OrderItems: items(count, from) }) };
}

/** Variants of a product, about 40 bytes of JSON each. */
export function variants(count: number, name = 'v'): { VariantId: string; Sku: string }[] {
  return times(count, (index) => ({ VariantId: `${name}${index}`, Sku: `${name}${index}` }));
}

export function product(id: string, parts: readonly object[] = []): object {
  return { ProductId: id, ProductVariants: parts };
}

/** A product of about as many bytes, in a few large variants. */
export function wideProduct(id: string, bytes: number): object {
  const count = Math.ceil(bytes / 2_000);
  return product(
    id,
    times(count, (index) => ({ VariantId: `${index}`, Sku: `${id}-${index}`, Url: 'u'.repeat(1_950) })),
  );
}

/** An order of about as many bytes. */
export function wideOrder(id: string, bytes: number): object {
  const count = Math.ceil(bytes / 2_000);
  const large = (index: number) => ({
    ProductId: `p${index}`,
    Sku: `s${index}`,
    Quantity: 1,
    Price: 1,
    Brand: 'b'.repeat(1_900),
  });
  return { OrderId: id, Currency: 'EUR', OrderItems: times(count, large) };
}

/** Members of a JSON object that no record has, all of different names. */
export function unknownFields(count: number, name = ''): string {
  return times(count, (index) => `"k${name}${index}":0`).join(',');
}

export function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
