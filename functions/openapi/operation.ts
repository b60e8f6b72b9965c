/** One operation of the document: a route, and its description. */
import { bodyRules } from '../../shared/endpoint/description/body-rules';
import type { OperationDescription, ParameterDescription, Rule } from '../../shared/endpoint/description/operation';
import { EXAMPLE_TENANT } from '../../shared/endpoint/description/operation';
import type { Schema } from '../../shared/endpoint/description/schema';
import type { EndpointDefinition } from '../../shared/endpoint/endpoint';
import type { AnyRoute, BodyContract } from '../../shared/endpoint/route';
import { MAX_BODY_BYTES } from '../../shared/domain/limits';
import { answersOf } from './answers';

/** `/products/{tenantId}/{productId}` */
export function toPath({ name }: EndpointDefinition, { path }: AnyRoute): string {
  return `/${name}${path.replace(/:(\w+)/g, '{$1}')}`;
}

/** @throws Error where the description has other parameters than the route */
export function toOperation(
  { casing }: EndpointDefinition,
  route: AnyRoute,
  tag: string,
  description: OperationDescription,
): object {
  const { operationId, permission, body } = route;
  const parameters = parametersOf(route, description);
  const rules = [...(description.rules ?? []), ...(body ? bodyRules(schemaOf(body)) : [])];
  return {
    operationId,
    tags: [tag],
    summary: description.summary,
    description: [
      description.description,
      `Needs the permission \`${permission}\`.`,
      ...(rules.length > 0 ? [`Beside the schemas:\n\n${rulesText(rules)}`] : []),
    ].join('\n\n'),
    security: [{ ApiKey: [permission] }],
    ...((body ?? parameters.length > 0) && {
      parameters: body ? [...parameters, contentEncoding] : parameters,
    }),
    ...(body && { requestBody: requestBody(body, description) }),
    responses: answersOf(casing, route, description),
    ...(rules.length > 0 && { 'x-rules': rules }),
  };
}

/** The schema of the body, or of its elements. */
const schemaOf = (body: BodyContract): Schema => ({ ...('batch' in body ? body.batch.schema : body.object) });

function rulesText(rules: readonly Rule[]): string {
  return [...new Set(rules.map(({ rule }) => `- ${rule}`))].join('\n');
}

const tenantId: ParameterDescription = {
  schema: { type: 'string', format: 'uuid' },
  description: 'The id of the tenant, a GUID in any case.',
  required: true,
};

function parametersOf(route: AnyRoute, { parameters = {}, examples }: OperationDescription): object[] {
  const inPath = route.path.split('/').flatMap((segment) => (segment.startsWith(':') ? [segment.slice(1)] : []));
  const inQuery = route.query ?? [];
  const known: Readonly<Record<string, ParameterDescription>> = { ...parameters, tenantId };
  const names = [...inPath, ...inQuery];
  const unknown = [...names, ...Object.keys(parameters)].filter((name) => !names.includes(name) || !known[name]);
  if (unknown.length > 0) throw new Error(`${route.operationId} has not the parameter ${unknown.join(', ')}.`);
  return names.map((name) => {
    const values = Object.entries(examples).flatMap(([example, { parameters: sent = {} }]) => {
      const value = sent[name] ?? (name === 'tenantId' ? EXAMPLE_TENANT : undefined);
      return value === undefined ? [] : [[example, { value: typed(value, known[name]?.schema.type) }] as const];
    });
    return {
      name,
      in: inPath.includes(name) ? 'path' : 'query',
      ...known[name],
      ...(values.length > 0 && { examples: Object.fromEntries(values) }),
    };
  });
}

/** An example as its schema types it. */
function typed(value: string, type: unknown): string | number {
  return type === 'integer' ? Number(value) : value;
}

const contentEncoding = {
  name: 'Content-Encoding',
  in: 'header',
  description: 'Whether the body is compressed. Compressed bodies are about ten times smaller.',
  schema: { type: 'string', enum: ['gzip', 'identity'], default: 'identity' },
};

function requestBody(body: BodyContract, { examples }: OperationDescription): object {
  const schema =
    'batch' in body ? { type: 'array', maxItems: body.batch.maxRecords, items: body.batch.schema } : body.object;
  const shown: [string, object][] = Object.entries(examples).map(([name, { summary, body: value }]) => [
    name,
    { summary, value },
  ]);
  return {
    required: true,
    description: `JSON in UTF-8, at most ${MAX_BODY_BYTES} bytes before and after decompression.`,
    content: { 'application/json': { schema, examples: Object.fromEntries(shown) } },
  };
}
