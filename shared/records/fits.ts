import { documentBytes, valueBytes } from '../domain/document';
import type { DocumentData } from '../domain/document';
import { MAX_RECORD_BYTES, MAX_VARIANTS_BY_SKU } from '../domain/limits';
import type { ValidationErrors } from '../validation/validation-failed';
import { ValidationFailed } from '../validation/validation-failed';

/** A merged record and the element of the batch that made it what it is. */
export interface Placed {
  readonly data: DocumentData;
  /** Stored bytes of `data`. */
  readonly bytes: number;
  readonly index: number;
}

/**
 * Refuses a batch of which a record would outgrow Firestore's document limit, at the path of its largest field.
 * @throws ValidationFailed that says how large it would be.
 */
export function requireFits(records: readonly Placed[]): void {
  const errors: ValidationErrors = {};
  for (const { data, bytes, index } of records) Object.assign(errors, tooLarge(data, index, bytes));
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

/** The same for one record. @returns its stored bytes */
export function requireFit(data: DocumentData, index: number): number {
  const bytes = documentBytes(data);
  const errors = tooLarge(data, index, bytes);
  if (errors) throw new ValidationFailed(errors);
  return bytes;
}

/** Refuses a product that is matched by Sku and has more variants than one commit indexes. @throws ValidationFailed */
export function requireVariantsFit(product: { readonly ProductVariants: readonly unknown[] }, index: number): void {
  const count = product.ProductVariants.length;
  if (count <= MAX_VARIANTS_BY_SKU) return;
  const message =
    `The field ProductVariants is too large to store: with what is already stored the product would have ${count} ` +
    `variants, and one that is matched by Sku holds at most ${MAX_VARIANTS_BY_SKU}.`;
  throw new ValidationFailed({ [`[${index}].ProductVariants`]: [message] });
}

function tooLarge(data: DocumentData, index: number, bytes: number): ValidationErrors | undefined {
  if (bytes <= MAX_RECORD_BYTES) return undefined;
  const field = largestField(data);
  const message =
    `The field ${field} is too large to store: with what is already stored the record would take ${bytes} bytes, ` +
    `and a record holds at most ${MAX_RECORD_BYTES}.`;
  return { [`[${index}].${field}`]: [message] };
}

function largestField(data: DocumentData): string {
  return Object.keys(data).reduce((largest, name) =>
    valueBytes(data[name]) > valueBytes(data[largest]) ? name : largest,
  );
}
