/** Batches of deletions. */
import { MAX_DELETION_BATCH } from '../../../shared/domain/limits';
import type { BatchDefinition } from '../../../shared/validation/batch';
import { compileBatchValidator } from '../../../shared/validation/batch';
import {
  customerDeletionBatch, orderDeletionBatch, productDeletionBatch,
} from '../../../shared/validation/deletion-batches'; // prettier-ignore
import { errorsOf } from '../support/errors-of';
import { aTenant } from '../support/tenant';

const validate = (definition: BatchDefinition, batch: unknown, tenant = aTenant()) =>
  compileBatchValidator(definition)(batch, tenant);
const errors = (definition: BatchDefinition, element: unknown) => errorsOf(() => validate(definition, [element]));

it.each<[BatchDefinition, object]>([
  [customerDeletionBatch, { Email: 'a@x.io' }],
  [customerDeletionBatch, { CustomerId: '1', Email: null }],
  [productDeletionBatch, { ProductId: 'p' }],
  [productDeletionBatch, { ProductId: 'p', VariantId: 'v' }],
  [productDeletionBatch, { ProductId: 'p', VariantId: null }],
  [orderDeletionBatch, { OrderId: 'o' }],
  [orderDeletionBatch, { OrderId: 'o', ProductId: null, Sku: null }],
  [orderDeletionBatch, { OrderId: 'o', ProductId: 'p' }],
  [orderDeletionBatch, { OrderId: 'o', ProductId: ' ', Sku: 's' }],
])('may name a record, or a part of one (R-50): %#', (definition, element) => {
  expect(validate(definition, [element]).records).toStrictEqual([element]);
});

it('of a customer needs an identifier that is not blank, and no field that the tenant requires of customers (R-50)', () => {
  const message = 'Element [0]: at least one of CustomerId, Email must have a value.';
  for (const element of [{}, { Email: ' ' }, { Email: null, CustomerId: '' }]) {
    expect(errors(customerDeletionBatch, element)).toStrictEqual({ '': [message] });
  }
  const strict = aTenant({ requiredFields: ['Phone'] });
  expect(validate(customerDeletionBatch, [{ Email: 'a@x.io' }], strict).records).toHaveLength(1);
});

it('of a part needs an id that is not blank: else a whole product or order would be deleted (R-52)', () => {
  expect(errors(productDeletionBatch, { ProductId: 'p', VariantId: ' ' })).toStrictEqual({
    '[0].VariantId': ['The VariantId field is required.'],
  });
  const message = 'Element [0]: at least one of ProductId, Sku must have a value; leave both out to delete the order.';
  for (const ids of [{ Sku: '' }, { ProductId: ' ' }, { ProductId: ' ', Sku: null }, { ProductId: '', Sku: ' ' }]) {
    expect(errors(orderDeletionBatch, { OrderId: 'o', ...ids })).toStrictEqual({ '': [message] });
  }
});

it('needs the id of the record (R-50)', () => {
  expect(errors(productDeletionBatch, { VariantId: 'v' })).toStrictEqual({ '[0].ProductId': ['The ProductId field is required.'] });
  expect(errors(orderDeletionBatch, { Sku: 's' })).toStrictEqual({ '[0].OrderId': ['The OrderId field is required.'] });
}); // prettier-ignore

it.each([
  [customerDeletionBatch, { Email: 'a@x.io' }],
  [productDeletionBatch, { ProductId: 'p' }],
  [orderDeletionBatch, { OrderId: 'o' }],
])('may have the maximum of deletions, and not one more (R-50): %#', (definition, element) => {
  const of = (length: number) => Array.from({ length }, () => element);
  expect(validate(definition, of(MAX_DELETION_BATCH)).records).toHaveLength(MAX_DELETION_BATCH);
  expect(errorsOf(() => validate(definition, of(MAX_DELETION_BATCH + 1)))).toStrictEqual({
    '': [`The batch must contain at most ${MAX_DELETION_BATCH} records.`],
  });
});
