/**
 * The OpenAPI document of the service: what the routes of all functions enforce, with their descriptions. The routes
 * are made to be looked at and never run.
 */
import { customersDescription } from '../customers/description/operations';
import { customersEndpoint } from '../customers/endpoint';
import { ingestionDescription } from '../ingestion/description/operations';
import { ingestionEndpoint } from '../ingestion/endpoint';
import { ordersDescription } from '../orders/description/operations';
import { ordersEndpoint } from '../orders/endpoint';
import { productsDescription } from '../products/description/operations';
import { productsEndpoint } from '../products/endpoint';
import { usageDescription } from '../usage/description/operations';
import { usageEndpoint } from '../usage/endpoint';
import { KEY_HEADER } from '../../shared/domain/api-key';
import type { FunctionDescription } from '../../shared/endpoint/description/operation';
import type { EndpointDefinition } from '../../shared/endpoint/endpoint';
import type { OperationId } from '../../shared/endpoint/operation-id';
import type { Json } from './components';
import { Components } from './components';
import { HEADERS } from './headers';
import { INTRODUCTION } from './introduction';
import { toOperation, toPath } from './operation';

/** What the routes would run with. */
const NOTHING = {} as never;

const FUNCTIONS: readonly (readonly [EndpointDefinition, FunctionDescription<string>])[] = [
  [customersEndpoint(NOTHING), customersDescription],
  [productsEndpoint(NOTHING), productsDescription],
  [ordersEndpoint(NOTHING), ordersDescription],
  [ingestionEndpoint(NOTHING), ingestionDescription],
  [usageEndpoint(NOTHING), usageDescription],
];

/**
 * The document as JSON text. The same sources give the same bytes.
 * @param version of the service
 * @throws Error that names what a route and its description do not agree on
 */
export function openApiDocument(version: string): string {
  const components = new Components(FUNCTIONS.flatMap(([, { bodies }]) => bodies));
  const paths: Record<string, Record<string, Json>> = {};
  const described = new Set<string>();
  for (const [endpoint, description] of FUNCTIONS) {
    for (const route of endpoint.routes) {
      const { operationId, method } = route;
      if (described.has(operationId)) throw new Error(`Two routes are named ${operationId}.`);
      described.add(operationId);
      const operation = description.operations[operationId];
      if (!operation) throw new Error(`The description of ${endpoint.name} has no ${operationId}.`);
      const path = toPath(endpoint, route);
      paths[path] = {
        ...paths[path],
        [method.toLowerCase()]: components.resolve(toOperation(endpoint, route, description.tag.name, operation)),
      };
    }
  }
  requireRoutes(described);
  const document = {
    openapi: '3.1.0',
    info: { title: 'Data ingestion', version, description: INTRODUCTION },
    servers: [
      {
        url: '{baseUrl}',
        description: 'Where the service runs.',
        variables: { baseUrl: { default: 'http://127.0.0.1:8080', description: 'By default the local stack.' } },
      },
    ],
    tags: FUNCTIONS.map(([, { tag }]) => tag),
    paths,
    components: {
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: KEY_HEADER,
          description:
            'The API key of an organization. What each operation asks for is the permission that the key needs.',
        },
      },
      headers: HEADERS,
      schemas: components.schemas(),
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** @throws Error for a description without a route */
function requireRoutes(described: ReadonlySet<string>): void {
  const names = FUNCTIONS.flatMap(([, { operations }]) => Object.keys(operations) as OperationId[]);
  const missing = names.filter((name) => !described.has(name));
  if (missing.length > 0) throw new Error(`No route is named ${missing.join(', ')}.`);
}
