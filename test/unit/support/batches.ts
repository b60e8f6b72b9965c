/** The kinds of records with their validators, and batches that are valid but for what a test puts into them. */
import type { Tenant } from '../../../shared/domain/tenant';
import { compileBatchValidator } from '../../../shared/validation/batch';
import { customerBatch } from '../../../shared/validation/customer-batch';
import { orderBatch } from '../../../shared/validation/order-batch';
import { productBatch } from '../../../shared/validation/product-batch';
import { errorsOf } from './errors-of';
import { aTenant } from './tenant';

export const tenant = aTenant();
export const KINDS = {
  customers: { validate: compileBatchValidator(customerBatch), minimal: { Email: 'a@x.io' }, max: 1000 },
  products: {
    validate: compileBatchValidator(productBatch),
    minimal: { ProductId: 'p', ProductVariants: [] },
    max: 200,
  },
  orders: { validate: compileBatchValidator(orderBatch), minimal: { OrderId: 'o', Currency: 'USD' }, max: 500 },
} as const;
export type Kind = keyof typeof KINDS;
export const NAMES = Object.keys(KINDS) as Kind[];

export const VARIANT = { VariantId: 'v', Sku: 's' };
export const ITEM = { ProductId: 'p', Sku: 's', Quantity: 1, Price: 1 };
export const variantBatch = (variant: object) => [{ ProductId: 'p', ProductVariants: [{ ...VARIANT, ...variant }] }];
export const itemBatch = (item: object) => [{ OrderId: 'o', Currency: 'USD', OrderItems: [{ ...ITEM, ...item }] }];
export const elementBatch = (kind: Kind, element: object) => [{ ...KINDS[kind].minimal, ...element }];

export const errors = (kind: Kind, body: unknown, of: Tenant = tenant) =>
  errorsOf(() => KINDS[kind].validate(body, of));
export const accepts = (kind: Kind, body: unknown[], of: Tenant = tenant) => {
  expect(KINDS[kind].validate(body, of).records).toStrictEqual(body);
};
