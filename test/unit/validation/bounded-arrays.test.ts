/** Arrays and violations are bounded before they are looked into: each of them takes memory. */
import { orderSchema } from '../../../shared/domain/dto/order';
import { productSchema } from '../../../shared/domain/dto/product';
import { transferOptionsSchema } from '../../../shared/domain/dto/transfer-options';
import { MAX_FOLDER_PATHS, MAX_TEXTS, MAX_VALIDATION_MESSAGES } from '../../../shared/domain/limits';
import { compileBatchValidator } from '../../../shared/validation/batch';
import { customerBatch } from '../../../shared/validation/customer-batch';
import { compileSchema } from '../../../shared/validation/schema-check';
import { errorsOf } from '../support/errors-of';
import { aTenant } from '../support/tenant';

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
])('looks into no array that is too long (R-04)', (schema, value, field, most) => {
  const message = `The field ${field} must be an array with a maximum length of ${most}.`;
  expect(compileSchema(schema)(value, '')).toEqual([{ path: field, message }]);
});

it('looks at a bounded number of violations of one value, more than are answered', () => {
  const order = { OrderId: 'o', Currency: 'USD', OrderItems: Array.from({ length: 500 }, () => null) };
  expect(compileSchema(orderSchema)(order, '')).toHaveLength(2 * MAX_VALIDATION_MESSAGES);
});

it('looks at no element of a batch once all messages of an answer are found (D-22)', () => {
  const wrong = Array.from({ length: MAX_VALIDATION_MESSAGES }, () => ({ Email: 'a@x.io', Name: 1 }));
  const untouched = jest.fn(() => 'a@x.io');
  const last = Object.defineProperty({}, 'Email', { get: untouched, enumerable: true });
  const errors = errorsOf(() => compileBatchValidator(customerBatch)([...wrong, last], aTenant()));
  expect(Object.keys(errors)).toHaveLength(MAX_VALIDATION_MESSAGES);
  expect(untouched).not.toHaveBeenCalled();
});
