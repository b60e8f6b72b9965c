/** A client of the API: sends requests through the gateway, and remembers which routes were called how. */
import { Agent, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { conformanceProblems } from '../support/conformance/conformance';
import { ANY_WHOLE_NUMBER, differences } from './compare';
import type { RouteName } from './routes';
import { ROUTES, toTarget } from './routes';

export interface ApiRequest {
  readonly route: RouteName;
  /** What stands for `<name>` in the route's path. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly gzip?: boolean;
  /** The API key; absent: none is sent. */
  readonly key?: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
  readonly milliseconds: number;
  /** What is not as in `openapi.json`, and what every answer must have and this one has not (Spec §8). */
  readonly problems: readonly string[];
}

/** What became of the requests of one route. */
export interface RouteUse {
  readonly milliseconds: number[];
  accepted: number;
  refused: number;
}

export class ApiClient {
  readonly uses = new Map<RouteName, RouteUse>();
  private readonly agent = new Agent({ keepAlive: true });

  constructor(private readonly baseUrl: string) {}

  async send({ route, params, query, body, gzip = false, key }: ApiRequest): Promise<ApiAnswer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const payload = body === undefined ? undefined : gzip ? gzipSync(text) : Buffer.from(text);
    const headers = {
      ...(key !== undefined && { 'x-service-auth-key': key }),
      ...(payload && { 'Content-Type': 'application/json', 'Content-Length': payload.length }),
      ...(payload && gzip && { 'Content-Encoding': 'gzip' }),
    };
    const startedMs = performance.now();
    const {
      status,
      headers: received,
      text: answer,
    } = await this.exchange(ROUTES[route].method, toTarget(route, params, query), headers, payload);
    const milliseconds = performance.now() - startedMs;
    this.remember(route, status, milliseconds);
    const { parsed, problems } = parseJson(answer);
    const path = toTarget(route, params, query);
    const described = conformanceProblems({
      functionName: /^\/([^/]+)/.exec(path)?.[1] ?? '',
      method: ROUTES[route].method,
      path,
      sentHeaders: headers,
      body: payload,
      status,
      headers: received,
      text: answer,
    });
    return {
      status,
      headers: received,
      body: parsed,
      milliseconds,
      problems: [...problems, ...described, ...headerProblems(received)],
    };
  }

  close(): void {
    this.agent.destroy();
  }

  /** `http.request` sends the path as it is; `fetch` would resolve an id such as `..`. */
  private exchange(
    method: string,
    path: string,
    headers: Readonly<Record<string, string | number>>,
    payload: Buffer | undefined,
  ): Promise<{ status: number; headers: ApiAnswer['headers']; text: string }> {
    const { hostname, port } = new URL(this.baseUrl);
    return new Promise((resolve, reject) => {
      const sent = request({ agent: this.agent, hostname, port, method, path, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      });
      sent.on('error', reject);
      sent.end(payload);
    });
  }

  private remember(route: RouteName, status: number, milliseconds: number): void {
    const use = this.uses.get(route) ?? { milliseconds: [], accepted: 0, refused: 0 };
    use.milliseconds.push(milliseconds);
    if (status === 200) use.accepted += 1;
    else use.refused += 1;
    this.uses.set(route, use);
  }
}

/** Where an answer differs from the status and body that are expected. */
export function answerProblems(answer: ApiAnswer, status: number, body: unknown): string[] {
  return [
    ...answer.problems,
    ...differences(status, answer.status, 'status'),
    ...differences(body, answer.body, 'body'),
  ];
}

function parseJson(text: string): { parsed: unknown; problems: string[] } {
  try {
    return { parsed: JSON.parse(text), problems: [] };
  } catch {
    return { parsed: text, problems: ['the answer is not JSON'] };
  }
}

function headerProblems(headers: ApiAnswer['headers']): string[] {
  const rate = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
  return [
    ...differences('application/json', headers['content-type'], 'Content-Type'),
    ...rate.flatMap((name) => differences(ANY_WHOLE_NUMBER, Number(headers[name] ?? NaN), name)),
  ];
}
