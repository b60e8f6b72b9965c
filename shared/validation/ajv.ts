import type { CodeOptions } from 'ajv';
import Ajv from 'ajv';
import { FORMATS } from './formats';

/** Creates ajv with the options of the DTO schemas. @param code how ajv writes its code. Default: for use at once. */
export function createAjv(code: CodeOptions = {}): Ajv {
  return new Ajv({ allErrors: true, verbose: true, strict: true, allowUnionTypes: true, formats: FORMATS, code });
}
