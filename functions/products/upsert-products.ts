import type { UpsertProductDto } from '../../shared/domain/dto/product';
import type { UpsertDefinition } from '../../shared/endpoint/upsert-route';
import { planProducts } from '../../shared/records/upsert-products';
import { compileBatchValidator } from '../../shared/validation/batch';
import { productBatch } from '../../shared/validation/product-batch';

/** `POST /products/<tenant_id>` (Spec §2.3, §4.2). */
export const upsertProductsDefinition: UpsertDefinition<UpsertProductDto> = {
  operationId: 'upsertProducts',
  kind: 'products',
  savedMessage: 'Products saved.',
  validate: compileBatchValidator(productBatch),
  plan: planProducts,
};
