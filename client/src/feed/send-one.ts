import type { UpsertResult } from '../contract';
import { ValidationError } from '../errors';
import type { Transport } from '../http/transport';
import { errorsByElement } from './refusal';

/** Upserts one record. @throws ValidationError whose paths begin at the record */
export async function sendOne(
  transport: Transport,
  path: string,
  record: object,
  signal: AbortSignal | undefined,
): Promise<UpsertResult> {
  try {
    return await transport.send({ method: 'POST', path, body: JSON.stringify([record]), signal });
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const { message, omittedErrors, ignoredFields } = error;
    const errors = errorsByElement(error.errors).get(0) ?? error.errors;
    throw new ValidationError(message, error, errors, omittedErrors, ignoredFields);
  }
}
