import { parseSize } from './size';

/** The size members of a stored variant or item: all three, or none. */
export interface Sized {
  readonly Size?: string;
  readonly SizeNumeric?: number | null;
  readonly SizeMetric?: string | null;
}

/** Applies a sent `Size`: parsed on the server, stored as sent; null clears all three, absence changes nothing (D-20). */
export function applySize<R extends Sized>(stored: R, size: string | null | undefined): R {
  if (size === undefined) return stored;
  if (size !== null) return { ...stored, Size: size, ...parseSize(size) };
  const rest = { ...stored };
  for (const field of ['Size', 'SizeNumeric', 'SizeMetric'] as const) Reflect.deleteProperty(rest, field);
  return rest;
}
