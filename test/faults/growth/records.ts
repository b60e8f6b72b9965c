/** Records of the sizes that the tests of growth need. */

/** Calls `make` for 0 to `count` - 1. */
export function times<T>(count: number, make: (place: number) => T): T[] {
  return Array.from({ length: count }, (_, place) => make(place));
}

/** Items of an order, about 60 bytes of JSON each. */
export function items(count: number, from = 0): object[] {
  return times(count, (place) => ({ ProductId: `p${from + place}`, Sku: `s${from + place}`, Quantity: 1, Price: 1 }));
}

export function order(id: string, count?: number, from?: number): object {
  return { OrderId: id, Currency: 'EUR', ...(count !== undefined && { OrderItems: items(count, from) }) };
}

/** Variants of a product, about 40 bytes of JSON each. */
export function variants(count: number, name = 'v'): { VariantId: string; Sku: string }[] {
  return times(count, (place) => ({ VariantId: `${name}${place}`, Sku: `${name}${place}` }));
}

export function product(id: string, parts: readonly object[] = []): object {
  return { ProductId: id, ProductVariants: parts };
}

/** A product of about as many bytes, in a few large variants. */
export function wideProduct(id: string, bytes: number): object {
  const count = Math.ceil(bytes / 2_000);
  return product(
    id,
    times(count, (place) => ({ VariantId: `${place}`, Sku: `${id}-${place}`, Url: 'u'.repeat(1_950) })),
  );
}

/** An order of about as many bytes. */
export function wideOrder(id: string, bytes: number): object {
  const count = Math.ceil(bytes / 2_000);
  const large = (place: number) => ({
    ProductId: `p${place}`,
    Sku: `s${place}`,
    Quantity: 1,
    Price: 1,
    Brand: 'b'.repeat(1_900),
  });
  return { OrderId: id, Currency: 'EUR', OrderItems: times(count, large) };
}

/** Members of a JSON object that no record has, all of different names. */
export function unknownFields(count: number, name = ''): string {
  return times(count, (place) => `"k${name}${place}":0`).join(',');
}

export function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
