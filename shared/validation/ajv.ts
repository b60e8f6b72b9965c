import type { CodeOptions } from 'ajv';
import Ajv from 'ajv';
import { FORMATS } from './formats';

/** ajv, set up for the DTO schemas. @param code how it writes what it generates; by default for use at once. */
export function createAjv(code: CodeOptions = {}): Ajv {
  return new Ajv({ allErrors: true, verbose: true, strict: true, allowUnionTypes: true, formats: FORMATS, code });
}
