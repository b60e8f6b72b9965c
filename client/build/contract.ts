/** What the client knows of the service, as the text of `client/src/contract.ts`. */
import openapiTS, { astToString } from 'openapi-typescript';
import type { OpenAPI3 } from 'openapi-typescript';
import { format } from 'prettier';
import { MAX_BODY_BYTES } from '../../shared/domain/limits';

const HEADER = '// Made from openapi.json by `npm run client:types`.\n\n';

/** The text depends on the document alone. */
export async function clientContract(document: OpenAPI3): Promise<string> {
  const schemas = { ...document, paths: {}, components: { schemas: document.components?.schemas ?? {} } };
  const nodes = await openapiTS(schemas, { rootTypes: true, rootTypesNoSchemaPrefix: true });
  const text = `${HEADER}${astToString(nodes)}\n${batchBounds(document)}`;
  return format(text, { parser: 'typescript', printWidth: 120, singleQuote: true, trailingComma: 'all' });
}

/** The most elements of each batch by its operation, and the most bytes of a body. */
function batchBounds({ paths = {} }: OpenAPI3): string {
  const bounds = Object.values(paths)
    .map((path) => (path as { readonly post?: Operation }).post)
    .flatMap((operation) => {
      const maxItems = operation?.requestBody?.content['application/json']?.schema.maxItems;
      return operation && maxItems !== undefined ? [`  ${operation.operationId}: ${maxItems},`] : [];
    });
  return `/** The most elements of each batch. */
export const BATCHES = {\n${bounds.join('\n')}\n} as const;

/** The most bytes of a body, before and after compression. */
export const MAX_BODY_BYTES = ${MAX_BODY_BYTES};
`;
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: { readonly maxItems?: number } } | undefined>>;
  };
}
