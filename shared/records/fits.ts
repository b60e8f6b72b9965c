import { documentBytes, valueBytes } from '../domain/document';
import type { DocumentData } from '../domain/document';
import { MAX_RECORD_BYTES } from '../domain/limits';
import { ValidationFailed } from '../validation/validation-failed';

/** A merged record and the element of the batch that made it what it is. */
export interface Placed {
  readonly data: DocumentData;
  readonly index: number;
}

/**
 * Refuses a batch of which a record would outgrow Firestore's document limit, at the path of its largest field.
 * @throws ValidationFailed that says how large it would be.
 */
export function requireFits(records: readonly Placed[]): void {
  const errors = records.flatMap(({ data, index }) => {
    const bytes = documentBytes(data);
    if (bytes <= MAX_RECORD_BYTES) return [];
    const field = largestField(data);
    return [[`[${index}].${field}`, [tooLargeMessage(field, bytes)]] as const];
  });
  if (errors.length > 0) throw new ValidationFailed(Object.fromEntries(errors));
}

function tooLargeMessage(field: string, bytes: number): string {
  return (
    `The field ${field} is too large to store: with what is already stored the record would take ${bytes} bytes, ` +
    `and a record holds at most ${MAX_RECORD_BYTES}.`
  );
}

function largestField(data: DocumentData): string {
  return Object.keys(data).reduce((largest, name) =>
    valueBytes(data[name]) > valueBytes(data[largest]) ? name : largest,
  );
}
