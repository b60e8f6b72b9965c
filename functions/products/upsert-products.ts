import type { UpsertProductDto } from '../../shared/domain/dto/product';
import { productSchema } from '../../shared/domain/dto/product';
import { MAX_BATCH } from '../../shared/domain/limits';
import type { UpsertDefinition } from '../../shared/http/upsert-route';
import { upsertProducts } from '../../shared/records/upsert-products';
import { compileBatchValidator } from '../../shared/validation/batch';

/** `POST /products/<tenant_id>` (Spec §2.3, §4.2). */
export const upsertProductsDefinition: UpsertDefinition<UpsertProductDto> = {
  kind: 'products',
  savedMessage: 'Products saved.',
  validate: compileBatchValidator({
    schema: productSchema,
    maxRecords: MAX_BATCH.products,
    parts: 'ProductVariants',
  }),
  upsert: upsertProducts,
};
