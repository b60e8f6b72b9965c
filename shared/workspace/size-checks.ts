import { documentBytes, valueBytes } from '../domain/records/document';
import type { DocumentData } from '../domain/records/document';
import { MAX_RECORD_BYTES, MAX_VARIANTS_BY_SKU } from '../limits/records';
import type { ValidationErrors } from '../validation/validation-failed';
import { ValidationFailed } from '../validation/validation-failed';

/**
 * What is wrong with a record of so many bytes that the element `index` of a batch has made; undefined when Firestore's
 * document holds it.
 * @param largestField of the record
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
 * Refuses a record that would outgrow Firestore's document limit, at the path of its largest field.
 * @returns its stored bytes @throws ValidationFailed that says how large it would be
 */
export function requireFit(data: DocumentData, index: number): number {
  const bytes = documentBytes(data);
  const errors = tooLarge(bytes, index, () => largestField(data));
  if (errors) throw new ValidationFailed(errors);
  return bytes;
}

/** Refuses a product that is matched by Sku and has more variants than one commit indexes. @throws ValidationFailed */
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
