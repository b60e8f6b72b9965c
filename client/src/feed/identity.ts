/**
 * Which records an element may be about, by the rules by which the service finds them. Elements that share a key are
 * sent in their order. Where the rules depend on what is stored, the element may be about any record.
 */

/** Keys of records; undefined: the element may be about any record. An element without identifiers has no keys. */
export type Keys = readonly string[] | undefined;

type Element = Readonly<Record<string, unknown>>;

/** A customer is found by `Email` or by `CustomerId`, whichever the tenant has chosen. */
export function keysOfCustomer({ Email, CustomerId }: Element): Keys {
  const email = matching(Email);
  const id = matching(CustomerId);
  if (email === undefined || id === undefined) return undefined;
  return [...(email === '' ? [] : [`email ${email.toLowerCase()}`]), ...(id === '' ? [] : [`id ${id}`])];
}

/**
 * With both identifiers the second one counts only where the first one finds nobody, and any other deletion may be
 * the reason for that.
 */
export function keysOfCustomerDeletion(element: Element): Keys {
  const keys = keysOfCustomer(element);
  return keys?.length === 2 ? undefined : keys;
}

/** A product by its `ProductId`, for tenants that have chosen it. Deletions always go by it. */
export function keysOfProduct({ ProductId }: Element): Keys {
  return keyOf(ProductId);
}

export function keysOfOrder({ OrderId }: Element): Keys {
  return keyOf(OrderId);
}

export function keysOfAny(): Keys {
  return undefined;
}

function keyOf(value: unknown): Keys {
  const id = matching(value);
  return id === undefined ? undefined : id === '' ? [] : [id];
}

/**
 * The form in which identifiers are compared; empty: there is none. Undefined: it cannot be told, because an object may
 * become any text in JSON.
 */
function matching(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'object' && value !== null ? undefined : '';
}
