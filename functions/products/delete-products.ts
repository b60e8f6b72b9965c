import type { DeleteProductDto } from '../../shared/domain/dto/deletion';
import { presentOrNull } from '../../shared/domain/values/text';
import type { BatchDeletionDefinition } from '../../shared/endpoint/batch-deletion-route';
import { compileBatchValidator } from '../../shared/validation/batch';
import { productDeletionBatch } from '../../shared/validation/deletion-batches';

/** `POST /products/<tenant_id>/deletions`: an element with a `VariantId` deletes that variant only. */
export const deleteProductsDefinition: BatchDeletionDefinition<DeleteProductDto> = {
  operationId: 'deleteProducts',
  kind: 'products',
  removedMessage: 'Products removed.',
  failureMessage: 'Failed to delete products.',
  validate: compileBatchValidator(productDeletionBatch),
  toTarget: ({ ProductId: productId, VariantId }) => {
    const variantId = presentOrNull(VariantId);
    return variantId === null ? { type: 'product', productId } : { type: 'variant', productId, variantId };
  },
};
