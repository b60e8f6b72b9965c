/** What `openapi.json` says of the routes of products. */
import { MAX_VARIANTS_BY_SKU } from '../../../shared/limits/records';
import { describeDeletions, describeUpsert, refusalOf, sizeRule } from '../../../shared/endpoint/description/batches';
import type { FunctionDescription } from '../../../shared/endpoint/description/operation';
import { EXAMPLE_TIME } from '../../../shared/endpoint/description/operation';
import { pathId, SINGLE_DELETE_PROBLEMS, SINGLE_DELETE_RULES } from '../../../shared/endpoint/description/records';
import type { ProductsOperation } from '../../../shared/endpoint/operation-id';
import { idRequired, recordNotFound } from '../../../shared/http/problems';
import { requireVariantsFit } from '../../../shared/workspace/size-checks';
import { PRODUCT_NOT_FOUND } from '../read-product';
import { foundProduct, product, productDeleted, productDeletion, productVariant, variantDeleted } from './schemas';

const productId = pathId('The id of the product.');
const variantId = pathId('The id of the variant.');

export const productsDescription: FunctionDescription<ProductsOperation> = {
  tag: { name: 'Products', description: 'What a shop sells, with the variants of each product.' },
  bodies: [product, productVariant, productDeletion],
  operations: {
    upsertProducts: describeUpsert({
      summary: 'Create or update products',
      description:
        'Stores products and their variants: those that are there are updated field by field, the others are created.',
      rules: [
        sizeRule('A product', 'ProductVariants'),
        {
          rule: `A product that is found by \`Sku\` has at most ${MAX_VARIANTS_BY_SKU} variants, stored ones included.`,
          message: refusalOf(() => requireVariantsFit(MAX_VARIANTS_BY_SKU + 1, 0)),
        },
      ],
      examples: {
        create: {
          summary: 'A new product with a variant',
          body: [
            {
              ProductId: 'tea',
              ProductName: 'Green tea',
              Taxonomy: ['tea', 'green'],
              ProductVariants: [
                { VariantId: 'tea-500', Sku: 'T-500', Size: '2x250g', SalePrice: 21.25, Currency: 'EUR', Stock: 12 },
              ],
            },
          ],
          data: { count: 1, created: 1, updated: 0, processedAt: EXAMPLE_TIME },
        },
        update: {
          summary: 'Another name; the variants stay',
          body: [{ ProductId: 'P-1', ProductName: 'Black tea', ProductVariants: [] }],
          data: { count: 1, created: 0, updated: 1, processedAt: EXAMPLE_TIME },
        },
      },
    }),
    deleteProduct: {
      summary: 'Delete a product',
      description:
        'Deletes a product with all its variants. Success means that the deletion is durable, whether or not anything ' +
        'matches. A repeat is safe.',
      parameters: { productId },
      data: [productDeleted],
      problems: [idRequired('Product ID'), ...SINGLE_DELETE_PROBLEMS],
      rules: SINGLE_DELETE_RULES,
      examples: {
        one: {
          summary: 'A product',
          parameters: { productId: 'P-1' },
          data: { productId: 'P-1', deletedAt: EXAMPLE_TIME },
        },
      },
    },
    deleteProductVariant: {
      summary: 'Delete a variant of a product',
      description:
        'Deletes one variant. Success means that the deletion is durable, whether or not anything matches. A repeat is safe.',
      parameters: { productId, variantId },
      data: [variantDeleted],
      problems: [idRequired('Product ID'), idRequired('Variant ID'), ...SINGLE_DELETE_PROBLEMS],
      rules: SINGLE_DELETE_RULES,
      examples: {
        one: {
          summary: 'A variant',
          parameters: { productId: 'P-1', variantId: 'V-1' },
          data: { productId: 'P-1', variantId: 'V-1', deletedAt: EXAMPLE_TIME },
        },
      },
    },
    deleteProducts: describeDeletions({
      summary: 'Delete many products or variants',
      description: 'Deletes products and, where an element has a `VariantId`, variants.',
      rules: [],
      examples: {
        both: {
          summary: 'A product, and a variant of another one',
          body: [{ ProductId: 'P-2' }, { ProductId: 'P-1', VariantId: 'V-1' }],
          data: { count: 2, deletedAt: EXAMPLE_TIME },
        },
      },
    }),
    getProduct: {
      summary: 'Read a product back',
      description:
        'Shows a product with its variants. What an accepted deletion means is not shown, whether or not it is applied yet. ' +
        'It changes nothing.',
      parameters: { productId },
      data: [foundProduct],
      problems: [idRequired('Product ID'), recordNotFound(PRODUCT_NOT_FOUND, new Date(EXAMPLE_TIME))],
      examples: {
        found: {
          summary: 'A product',
          parameters: { productId: 'P-1' },
          data: {
            record: {
              ProductId: 'P-1',
              ProductName: 'Tea',
              ProductVariants: [{ VariantId: 'V-1', Sku: 'S-1', Size: '500g', SizeNumeric: 500, SizeMetric: 'g' }],
              updatedAt: EXAMPLE_TIME,
              asOf: EXAMPLE_TIME,
            },
          },
        },
      },
    },
  },
};
