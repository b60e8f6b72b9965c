import { parseSize } from './size';

/** The size members of a stored variant or item: all three, or none. */
export interface Sized {
  readonly Size?: string;
  readonly SizeNumeric?: number | null;
  readonly SizeMetric?: string | null;
}

/**
 * Gives a new record its size: of a sent `Size`, parsed on the server and stored as sent; null clears all three
 * members, absence keeps those of the stored record (D-20).
 */
export function withSize<R extends object>(
  record: R,
  stored: Sized | undefined,
  size: string | null | undefined,
): R & Sized {
  const sized = size === undefined ? stored : size === null ? undefined : { Size: size, ...parseSize(size) };
  if (sized?.Size === undefined) return record;
  const { Size, SizeNumeric = null, SizeMetric = null } = sized;
  return Object.assign(record, { Size, SizeNumeric, SizeMetric });
}
