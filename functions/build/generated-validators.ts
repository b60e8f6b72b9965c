import { _ } from 'ajv';
import standaloneCode from 'ajv/dist/standalone';
import type { Plugin } from 'esbuild';
import { customerSchema } from '../../shared/domain/dto/customer';
import { deletedItemsSchema, deletedVariantsSchema } from '../../shared/domain/dto/deleted-row';
import { customerDeletionSchema, orderDeletionSchema, productDeletionSchema } from '../../shared/domain/dto/deletion';
import { orderSchema } from '../../shared/domain/dto/order';
import { previewOptionsSchema } from '../../shared/domain/dto/preview-options';
import { productSchema } from '../../shared/domain/dto/product';
import { transferOptionsSchema } from '../../shared/domain/dto/transfer-options';
import { createAjv } from '../../shared/validation/ajv';

/** Every schema that a function validates with. A function whose schema is missing here fails at its start. */
const SCHEMAS = [
  customerSchema,
  productSchema,
  orderSchema,
  customerDeletionSchema,
  productDeletionSchema,
  orderDeletionSchema,
  transferOptionsSchema,
  previewOptionsSchema,
  deletedVariantsSchema,
  deletedItemsSchema,
];

const REPLACED = /[/\\]shared[/\\]validation[/\\]validators\.ts$/;

/** Replaces the validators by code that ajv generates during the build. So no function loads ajv at its start. */
export const generatedValidators: Plugin = {
  name: 'generated-validators',
  setup(build) {
    build.onLoad({ filter: REPLACED }, () => ({ contents: generate(), loader: 'js' }));
  },
};

/** The source of a module with the exports of `shared/validation/validators.ts`. */
function generate(): string {
  const ids = SCHEMAS.map(({ $id }) => $id);
  const ajv = createAjv({ source: true, esm: true, formats: _`FORMATS` });
  for (const schema of SCHEMAS) ajv.addSchema(schema);
  return `import { FORMATS } from './formats';
${standaloneCode(ajv, Object.fromEntries(ids.map((id) => [id, id])))}
const validators = { ${ids.join(', ')} };
export function validatorOf({ $id }) {
  if ($id in validators) return validators[$id];
  throw new Error(\`The build has generated nothing for the schema \${$id}.\`);
}
`;
}
