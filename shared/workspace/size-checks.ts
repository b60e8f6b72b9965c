import { documentBytes, valueBytes } from '../domain/records/document';
import type { DocumentData } from '../domain/records/document';
import { MAX_RECORD_BYTES, MAX_VARIANTS_BY_SKU } from '../limits/records';
import type { ValidationErrors } from '../validation/validation-failed';
import { ValidationFailed } from '../validation/validation-failed';

/**
 * The validation errors for a record that is too large for Firestore's document; undefined: it fits.
 * @param bytes stored bytes of the record
 * @param index index of the batch element that made the record this large
 * @param largestField finds the record's largest field; called only if the record is too large
 */
export function tooLarge(bytes: number, index: number, largestField: () => string): ValidationErrors | undefined {
  if (bytes <= MAX_RECORD_BYTES) return undefined;
  const field = largestField();
  const message =
    `The field ${field} is too large to store: with what is already stored the record would take ${bytes} bytes, ` +
    `and a record holds at most ${MAX_RECORD_BYTES}.`;
  return { [`[${index}].${field}`]: [message] };
}

/**
 * Refuses a record that exceeds Firestore's document limit. The error names its largest field.
 * @returns the record's stored bytes
 * @throws ValidationFailed
 */
export function requireFit(data: DocumentData, index: number): number {
  const bytes = documentBytes(data);
  const errors = tooLarge(bytes, index, () => largestField(data));
  if (errors) throw new ValidationFailed(errors);
  return bytes;
}

/**
 * Refuses a product that is matched by Sku and has more variants than one commit can index. @throws ValidationFailed
 */
export function requireVariantsFit(count: number, index: number): void {
  if (count <= MAX_VARIANTS_BY_SKU) return;
  const message =
    `The field ProductVariants is too large to store: with what is already stored the product would have ${count} ` +
    `variants, and one that is matched by Sku holds at most ${MAX_VARIANTS_BY_SKU}.`;
  throw new ValidationFailed({ [`[${index}].ProductVariants`]: [message] });
}

function largestField(data: DocumentData): string {
  const sizes = Object.keys(data).map((name) => ({ name, bytes: valueBytes(data[name]) }));
  return sizes.reduce((largest, field) => (field.bytes > largest.bytes ? field : largest)).name;
}
