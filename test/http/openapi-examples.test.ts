/** Sends each example of `openapi.json` as it stands, and compares the answer with the documented one. */
import { EXAMPLE_TENANT } from '../../shared/endpoint/description/operation';
import { createExampleCaller } from '../support/example-tenant';
import { HTTP_FUNCTIONS, useTestService } from '../support/test-service';
import type { DescribedOperation } from '../support/conformance/contract';
import { CONTRACT } from '../support/conformance/contract';

const service = useTestService(...HTTP_FUNCTIONS);

/** The path and query of an example. */
function targetOf({ template, operation }: DescribedOperation, example: string): string {
  const parameters = operation.parameters ?? [];
  const valueOf = (name: string) => {
    const value = parameters.find((one) => one.name === name)?.examples?.[example]?.value ?? '';
    return encodeURIComponent(value as string | number);
  };
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => valueOf(name));
  const query = parameters.filter((one) => one.in === 'query' && one.examples?.[example]);
  const pairs = query.map(({ name }) => `${name}=${valueOf(name)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/** Records of the store in memory are written by the clock of the machine, and ids of runs end in drawn letters. */
function withoutChance(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replace(/"(updatedAt|asOf)":"[^"]*"/g, '"$1":"a time"')
    .replace(/(20260301120030\d{3}[-_]?(?:manual|replay|preview)?)[0-9a-f]+/g, '$1…');
  return JSON.parse(text);
}

const EXAMPLES = CONTRACT.operations.flatMap((described) => {
  const { operation } = described;
  const answers = operation.responses['200']?.content['application/json']?.examples ?? {};
  return Object.keys(answers).map((name) => [operation.operationId, name, described] as const);
});

it('has an example of each operation (R-117)', () => {
  expect(new Set(EXAMPLES.map(([id]) => id)).size).toBe(CONTRACT.operations.length);
});

it.each(EXAMPLES)('%s, %s, gets the documented answer (R-117)', async (_, example, described) => {
  const { key } = await createExampleCaller(service());
  const { operation, method } = described;
  const body = operation.requestBody?.content['application/json'].examples?.[example]?.value;
  const answer = await service().request(method, targetOf(described, example), {
    key,
    ...(body !== undefined && { json: body }),
  });
  const documented = operation.responses['200']?.content['application/json']?.examples?.[example]?.value;
  expect(withoutChance(answer.json)).toEqual(withoutChance(documented));
});

const WITH_BODY = CONTRACT.operations
  .filter(({ operation }) => operation.requestBody)
  .map((described) => [described.operation.operationId, described] as const);

it.each(WITH_BODY)('%s refuses an empty object as documented (R-117)', async (_, described) => {
  const { key } = await createExampleCaller(service());
  const isBatch = described.functionName !== 'ingestion';
  const path = described.template.replace('{tenantId}', EXAMPLE_TENANT);
  const answer = await service().request(described.method, path, { key, json: isBatch ? [{}] : {} });
  const { value } = described.operation.responses['400']!.content['application/json']!.examples!.invalidBody!;
  expect(answer.json).toEqual({ ...(value as object), traceId: answer.headers['x-trace-id'] });
});

it.each(['application/x-ndjson', 'text/csv'])('listRunErrors streams %s as documented (R-117)', async (type) => {
  const { key } = await createExampleCaller(service());
  const described = CONTRACT.operations.find(({ operation }) => operation.operationId === 'listRunErrors')!;
  const answer = await service().request('GET', targetOf(described, 'page'), { key, headers: { accept: type } });
  const { example } = described.operation.responses['200']!.content[type] as unknown as { readonly example: string };
  expect(answer.text).toBe(example);
});
