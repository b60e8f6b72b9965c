/** The examples of an operation as requests. */
import type { Endpoint, Json } from './document';
import { plainText } from './document';

/** An example: what is sent. */
export interface ExampleRequest {
  readonly name: string;
  readonly summary: string;
  readonly method: string;
  /** The values of the parameters by their names. */
  readonly parameters: Readonly<Record<string, string>>;
  /** With its query, encoded. */
  readonly target: string;
  readonly body: Json | undefined;
}

/** The examples in their order. */
export function requestsOf(endpoint: Endpoint): ExampleRequest[] {
  const answers = Object.entries(endpoint.responses['200']?.content['application/json']?.examples ?? {});
  return answers.map(([name, { summary = name }]) => {
    const parameters = Object.fromEntries(
      (endpoint.parameters ?? []).flatMap(({ name: parameter, examples }) => {
        const example = examples?.[name];
        return example ? [[parameter, plainText(example.value)] as const] : [];
      }),
    );
    const body = endpoint.requestBody?.content['application/json']?.examples?.[name]?.value;
    return { name, summary, method: endpoint.method, parameters, target: targetOf(endpoint, parameters), body };
  });
}

function targetOf({ path, parameters = [] }: Endpoint, values: Readonly<Record<string, string>>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const query = parameters.flatMap(({ name, in: place }) => {
    const value = values[name];
    return place === 'query' && value !== undefined ? [`${name}=${encodeURIComponent(value)}`] : [];
  });
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}
