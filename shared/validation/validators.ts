/**
 * Compiles schemas with ajv when the process starts. In a deployed artifact, validators generated at build time replace
 * this file (functions/build/generated-validators.ts): loading ajv and compiling is a good part of a cold start.
 */
import type { ValidateFunction } from 'ajv';
import { createAjv } from './ajv';

const ajv = createAjv();

export function validatorOf(schema: object): ValidateFunction {
  return ajv.compile(schema);
}
