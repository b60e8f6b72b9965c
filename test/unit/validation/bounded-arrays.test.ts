/** Arrays and violations are bounded before they are looked into: each of them takes memory. */
import { orderSchema } from '../../../shared/domain/dto/order';
import { productSchema } from '../../../shared/domain/dto/product';
import { transferOptionsSchema } from '../../../shared/domain/dto/transfer-options';
import {
  MAX_BATCH,
  MAX_FOLDER_PATHS,
  MAX_IGNORED_FIELDS,
  MAX_PARTS,
  MAX_TEXTS,
  MAX_VALIDATION_MESSAGES,
} from '../../../shared/domain/limits';
import type { BatchDefinition } from '../../../shared/validation/batch';
import { compileBatchValidator } from '../../../shared/validation/batch';
import { customerBatch } from '../../../shared/validation/customer-batch';
import { productBatch } from '../../../shared/validation/product-batch';
import { orderBatch } from '../../../shared/validation/order-batch';
import { compileSchemaCheck } from '../../../shared/validation/schema-check';
import { ValidationFailed } from '../../../shared/validation/validation-failed';
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
  expect(compileSchemaCheck(schema)(value, '')).toEqual([{ path: field, message }]);
});

it('looks at a bounded number of violations of one value, more than are answered', () => {
  const order = { OrderId: 'o', Currency: 'USD', OrderItems: Array.from({ length: 500 }, () => null) };
  expect(compileSchemaCheck(orderSchema)(order, '')).toHaveLength(2 * MAX_VALIDATION_MESSAGES);
});

/** What a batch is refused with. */
function refusalOf(definition: BatchDefinition, batch: unknown[], tenant = aTenant()): ValidationFailed {
  try {
    compileBatchValidator(definition)(batch, tenant);
  } catch (error) {
    if (error instanceof ValidationFailed) return error;
    throw error;
  }
  throw new Error('The batch was expected to be refused.');
}

const times = <T>(count: number, item: T) => Array.from({ length: count }, () => item);

it.each<[string, BatchDefinition, unknown[], number]>([
  ['elements without an identifier', customerBatch, times(150, {}), 150],
  ['exactly as many as are listed', customerBatch, times(100, {}), 100],
  ['parts without anything', orderBatch, [{ OrderId: 'o', Currency: 'EUR', OrderItems: times(5_000, {}) }], 20_000],
  ['parts of no object', orderBatch, times(3, { OrderId: 'o', Currency: 'EUR', OrderItems: times(301, 7) }), 903],
  [
    'blank and too long at once, which is one',
    orderBatch,
    times(300, { OrderId: ' '.repeat(200), Currency: ' '.repeat(9) }),
    600,
  ],
  [
    'too long and of no form, which are two',
    customerBatch,
    times(300, { Email: 'x'.repeat(300), Language: 'no language' }),
    1_200,
  ],
  ['arrays that are too long', orderBatch, times(200, { OrderItems: times(MAX_PARTS + 1, 1) }), 200],
])('says exactly how many violations it does not list: %s (D-22)', (_, definition, batch, all) => {
  const { errors, details } = refusalOf(definition, batch);
  const listed = Object.values(errors).flat().length;
  expect(listed).toBe(Math.min(all, MAX_VALIDATION_MESSAGES));
  expect(details).toEqual(all > listed ? { omittedErrors: all - listed } : {});
});

it('counts a field that the tenant makes mandatory once, listed or not (Spec §2.1, D-22)', () => {
  const tenant = aTenant({ requiredFields: ['Phone', 'Language'] });
  const { details } = refusalOf(customerBatch, times(200, { Email: 'a@x.io', Language: ' ' }), tenant);
  expect(details).toEqual({ omittedErrors: 300 });
});

it('counts such a field once too where its schema requires it, and one of that name in a part by itself (D-22)', () => {
  const Phone = { type: 'string' };
  const items = { type: 'object', properties: { Phone }, required: ['Phone'] };
  const schema = { type: 'object', properties: { Phone, Parts: { type: 'array', items } }, required: ['Phone'] };
  const definition = { schema, maxRecords: 1_000, enforcesRequiredFields: true };
  const { details } = refusalOf(definition, times(200, { Parts: [{}, {}] }), aTenant({ requiredFields: ['Phone'] }));
  expect(details).toEqual({ omittedErrors: 500 });
});

it('says of a value all that is wrong with it, or that it is missing, also where it is the last one that is looked at', () => {
  const blank = { ProductId: ' '.repeat(200), Sku: 's', Quantity: 1, Price: 1 };
  const OrderItems = [...times(2 * MAX_VALIDATION_MESSAGES - 1, null), blank];
  let omitted = 0;
  const violations = compileSchemaCheck(orderSchema)({ OrderId: 'o', Currency: 'USD', OrderItems }, '', (count) => (omitted += count));
  expect(violations.slice(-1)).toEqual([{ path: 'OrderItems[199].ProductId', message: 'The ProductId field is required.' }]);
  expect([violations.length, omitted]).toEqual([OrderItems.length, 0]);
}); // prettier-ignore

it('names no field of what is no object (D-21)', () => {
  const { details } = refusalOf(customerBatch, ['email', ['email'], null, 7, { email: 'a@x.io' }]);
  expect(details).toEqual({ ignoredFields: ['email'] });
});

it('names the fields that are not known of a batch that it refuses: one is misspelt (D-21)', () => {
  const { errors, details } = refusalOf(customerBatch, [{ email: 'a@x.io' }]);
  expect(errors).toEqual({ '': ['Element [0]: at least one of CustomerId, Email must have a value.'] });
  expect(details).toEqual({ ignoredFields: ['email'] });
});

it('looks for no more unknown fields than it names (D-21)', () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `x${index}`);
  let looked = 0;
  const element = new Proxy(Object.fromEntries(names.map((name) => [name, 1])), {
    get: (target, name) => ((looked += Number(String(name).startsWith('x'))), Reflect.get(target, name) as unknown),
  });
  refusalOf(customerBatch, [element, element]);
  expect(looked).toBeLessThanOrEqual(MAX_IGNORED_FIELDS);
});

describe('a batch that takes long to check', () => {
  const variant = { VariantId: 'v', Sku: 's', Name: 'a name', Language: 'en-GB', Currency: 'EUR', Stock: 1 };
  const product = { ProductId: 'p', ProductVariants: times(800, variant) };

  it('is checked with turns of others in between, and to the same end', async () => {
    const validator = compileBatchValidator(productBatch);
    let turns = 0;
    const other = setInterval(() => (turns += 1), 0);
    const batch = times(MAX_BATCH.products, product);
    expect((await validator.inShares(batch, aTenant())).records).toBe(batch);
    await expect(validator.inShares([{}], aTenant())).rejects.toThrow(ValidationFailed);
    clearInterval(other);
    expect(turns).toBeGreaterThanOrEqual(2);
  });
});
