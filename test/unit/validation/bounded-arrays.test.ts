/** Arrays are bounded before they are looked into: each element could be a violation that takes memory. */
import { transferOptionsSchema } from '../../../shared/domain/dto/transfer-options';
import { MAX_FOLDER_PATHS, MAX_TEXTS } from '../../../shared/domain/limits';
import { compileSchema } from '../../../shared/validation/schema-check';
import { productSchema } from '../../../shared/domain/dto/product';

/** An array that fails the test when anybody looks at an element. */
function untouchable(length: number): unknown[] {
  return new Proxy(new Array<unknown>(length), {
    get: (target, name) => {
      if (typeof name === 'string' && /^\d+$/.test(name)) throw new Error('An element was looked at.');
      return Reflect.get(target, name) as unknown;
    },
  });
}

it.each([
  [productSchema, { ProductId: 'p', ProductVariants: [], Taxonomy: untouchable(MAX_TEXTS + 1) }, 'Taxonomy', MAX_TEXTS],
  [transferOptionsSchema, { DataFolderPaths: untouchable(MAX_FOLDER_PATHS + 1) }, 'DataFolderPaths', MAX_FOLDER_PATHS],
])('looks into no array that is too long', (schema, value, field, most) => {
  const message = `The field ${field} must be an array with a maximum length of ${most}.`;
  expect(compileSchema(schema)(value, '')).toEqual([{ path: field, message }]);
});
