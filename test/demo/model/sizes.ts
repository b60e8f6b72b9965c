import type { Fields } from '../fields';
import { expectedSize } from './spellings';

/**
 * A variant or an item with the size that was sent: the text, the number and the metric, or none of the three (D-20).
 */
export function withSize(record: Fields, sent: unknown): Fields {
  if (sent === undefined) return record;
  const { Size: _, SizeNumeric: __, SizeMetric: ___, ...rest } = record;
  if (sent === null) return rest;
  const [SizeNumeric, SizeMetric] = expectedSize(sent as string);
  return { ...rest, Size: sent, SizeNumeric, SizeMetric };
}
