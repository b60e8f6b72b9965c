/**
 * Schema → what ajv generates from it. In an artifact this file is replaced by what was generated when it was built
 * (functions/build/generated-validators.ts): loading ajv and generating is a good part of a cold start.
 */
import type { ValidateFunction } from 'ajv';
import { createAjv } from './ajv';

const ajv = createAjv();

export function validatorOf(schema: object): ValidateFunction {
  return ajv.compile(schema);
}
