import { ErrorCollector } from './error-collector';
import type { ObjectSchema } from './schema-check';
import { compileSchemaCheck } from './schema-check';
import { compileUnknownFieldCollector } from './unknown-fields';
import { ValidationFailed } from './validation-failed';
import { isObject } from './values';

export interface ValidObject<Dto> {
  readonly dto: Dto;
  /** Names of unknown fields, at most 20 (D-21). */
  readonly ignoredFields: readonly string[];
}

/** Compiles the validator of a body that is one object, with paths `<Field>` (D-37). It throws ValidationFailed. */
export function compileObjectValidator<Dto>(schema: ObjectSchema): (body: unknown) => ValidObject<Dto> {
  const check = compileSchemaCheck(schema);
  const collectUnknown = compileUnknownFieldCollector(schema);
  return (body) => {
    if (!isObject(body)) {
      throw new ValidationFailed({ '': ['The request body must be a JSON object.'] });
    }
    const errors = new ErrorCollector();
    for (const { path, message } of check(body, '', (count) => errors.omit(count))) errors.add(path, message);
    const ignored = new Set<string>();
    collectUnknown(body, ignored);
    if (!errors.isEmpty) throw errors.toFailure(ignored);
    return { dto: body as Dto, ignoredFields: [...ignored] };
  };
}
