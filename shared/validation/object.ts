import { ErrorCollector } from './error-collector';
import type { ObjectSchema } from './schema-check';
import { compileSchema } from './schema-check';
import { ValidationFailed } from './validation-failed';

/** Compiles the validator of a body that is one object; paths are `<Field>` (D-37). @throws ValidationFailed */
export function compileObjectValidator<Dto>(schema: ObjectSchema): (body: unknown) => Dto {
  const check = compileSchema(schema);
  return (body) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new ValidationFailed({ '': ['The request body must be a JSON object.'] });
    }
    const errors = new ErrorCollector();
    for (const { path, message } of check(body, '')) errors.add(path, message);
    if (!errors.isEmpty) throw new ValidationFailed(errors.toErrors());
    return body as Dto;
  };
}
