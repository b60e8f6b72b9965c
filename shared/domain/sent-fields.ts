/**
 * Applies the fields of a DTO that were sent: an omitted one is left as it is, null clears it (D-12). Returns a new
 * object; `stored` is not changed.
 */
export function applySent<R extends object, F extends keyof R>(
  stored: R,
  sent: { readonly [K in F]?: R[K] | null | undefined },
  fields: readonly F[],
): R {
  const result = { ...stored };
  for (const field of fields) {
    const value = sent[field];
    if (value === undefined) continue;
    if (value === null) Reflect.deleteProperty(result, field);
    else result[field] = value;
  }
  return result;
}
