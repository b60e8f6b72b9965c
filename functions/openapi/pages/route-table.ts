import type { ApiDocument, Operation } from './document';
import { operationsOf, schemaNameOf } from './document';
import { code, grouped, table } from './markdown';

/** All routes: what each takes, asks for and says. */
export function routeTable(document: ApiDocument): string {
  const rows = operationsOf(document).map((operation) => [
    operation.method,
    code(operation.path + queryOf(operation)),
    bodyOf(operation),
    code(permissionOf(operation)),
    code(successOf(operation)),
    code(operation.operationId),
  ]);
  return table(['method', 'path and query', 'body', 'permission', 'success', 'operation'], rows);
}

function queryOf({ parameters = [] }: Operation): string {
  const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => `${name}=`);
  return names.length === 0 ? '' : `?${names.join('&')}`;
}

function bodyOf({ requestBody }: Operation): string {
  const schema = requestBody?.content['application/json']?.schema;
  if (!schema) return '';
  if (schema.$ref) return linkTo(schema.$ref);
  return `array of at most ${grouped(schema.maxItems ?? 0)} ${linkTo(schema.items?.$ref ?? '')}`;
}

function linkTo(ref: string): string {
  const name = schemaNameOf(ref);
  return `[${name}](#${name.toLowerCase()})`;
}

function permissionOf({ security }: Operation): string {
  return Object.values(security[0] ?? {})
    .flat()
    .join(', ');
}

/** What a success says: the first of its messages, where a check has another. */
function successOf({ responses }: Operation): string {
  const { properties = {} } = responses[200]?.content?.['application/json']?.schema ?? {};
  return String((properties.message ?? properties.Message)?.enum?.[0]);
}
