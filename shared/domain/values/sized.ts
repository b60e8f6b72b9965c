import { parseSize } from './size';

/** The size members of a stored variant or item: all three, or none. */
export interface Sized {
  readonly Size?: string | undefined;
  readonly SizeNumeric?: number | null | undefined;
  readonly SizeMetric?: string | null | undefined;
}

const NONE: Sized = {};

/**
 * The size members after an upsert (D-20). A sent `Size` is stored as sent and parsed here. Null clears all three. If
 * it was not sent, the stored members stay.
 */
export function sizeAfter(stored: Sized | undefined, sent: string | null | undefined): Sized {
  if (sent === undefined) return stored ?? NONE;
  if (sent === null) return NONE;
  const { SizeNumeric, SizeMetric } = parseSize(sent);
  return { Size: sent, SizeNumeric, SizeMetric };
}
