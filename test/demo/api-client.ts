/** A client of the API: sends requests through the gateway, and remembers which routes were called how. */
import * as http from 'node:http';
import * as https from 'node:https';
import { gzipSync } from 'node:zlib';
import { conformanceProblems } from '../support/conformance/conformance';
import { ANY_WHOLE_NUMBER, differences } from './compare';
import type { RouteName } from './routes';
import { ROUTES, toTarget } from './routes';
import type { Stage } from './stage';

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
  /** What was asked, for people: method, target and the beginning of the body. */
  readonly asked: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As it came. */
  readonly text: string;
  /** What the text is as JSON; the text itself when it is none. */
  readonly body: unknown;
  readonly milliseconds: number;
  /** What is not as in `openapi.json`, and what every answer must have and this one has not (Spec §8). */
  readonly problems: readonly string[];
}

/** Characters of a body that are shown. */
const SHOWN_BODY = 400;

/** How long an answer is waited for: the service works on a request for 20 s. */
const ANSWER_WAIT_MS = 30_000;

/** What became of the requests of one route. */
export interface RouteUse {
  readonly milliseconds: number[];
  accepted: number;
  refused: number;
}

export class ApiClient {
  readonly uses = new Map<RouteName, RouteUse>();
  private readonly request: typeof http.request;
  private readonly agent: http.Agent;
  private readonly inFlight = new Set<Promise<unknown>>();

  constructor(private readonly stage: Pick<Stage, 'baseUrl' | 'addedHeaders' | 'signal'>) {
    const isSecure = stage.baseUrl.startsWith('https:');
    this.request = isSecure ? https.request : http.request;
    this.agent = new (isSecure ? https : http).Agent({ keepAlive: true });
  }

  /** @throws Error when no answer comes, or what the stage's signal was aborted with */
  async send({ route, params, query, body, gzip = false, key }: ApiRequest): Promise<ApiAnswer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const payload = body === undefined ? undefined : gzip ? gzipSync(text) : Buffer.from(text);
    const headers = {
      ...(key !== undefined && { 'x-service-auth-key': key }),
      ...(payload && { 'Content-Type': 'application/json', 'Content-Length': payload.length }),
      ...(payload && gzip && { 'Content-Encoding': 'gzip' }),
    };
    const { method } = ROUTES[route];
    const path = toTarget(route, params, query);
    const asked = `${method} ${path}${payload ? ` ${cut(text)}` : ''}`;
    const { signal } = this.stage;
    signal.throwIfAborted();
    const startedMs = performance.now();
    const exchange = this.exchange(method, path, headers, payload);
    this.inFlight.add(exchange);
    const {
      status,
      headers: received,
      text: answer,
    } = await exchange
      .catch((error: unknown) => {
        signal.throwIfAborted();
        throw new Error(`No answer came: ${(error as Error).message}. Sent was ${asked}`, { cause: error });
      })
      .finally(() => this.inFlight.delete(exchange));
    signal.throwIfAborted();
    const milliseconds = performance.now() - startedMs;
    this.remember(route, status, milliseconds);
    const { parsed, problems } = parseJson(answer);
    const isJson = problems.length === 0;
    const described = !isJson
      ? []
      : conformanceProblems({
          functionName: /^\/([^/]+)/.exec(path)?.[1] ?? '',
          method,
          path,
          sentHeaders: headers,
          body: payload,
          status,
          headers: this.withoutAdded(received),
          text: answer,
        });
    return {
      asked,
      status,
      headers: received,
      text: answer,
      body: parsed,
      milliseconds,
      problems: [...problems, ...described, ...headerProblems(received)],
    };
  }

  /** Waits for the answers that are still to come, so that nothing is stored afterwards. */
  async close(): Promise<void> {
    await Promise.allSettled(this.inFlight);
    this.agent.destroy();
  }

  /** `http.request` sends the path as it is; `fetch` would resolve an id such as `..`. */
  private exchange(
    method: string,
    path: string,
    headers: Readonly<Record<string, string | number>>,
    payload: Buffer | undefined,
  ): Promise<{ status: number; headers: ApiAnswer['headers']; text: string }> {
    const { hostname, port } = new URL(this.stage.baseUrl);
    const { agent } = this;
    const signal = AbortSignal.timeout(ANSWER_WAIT_MS);
    return new Promise((resolve, reject) => {
      const sent = this.request({ agent, signal, hostname, port, method, path, headers }, (response) => {
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

  private withoutAdded(headers: ApiAnswer['headers']): ApiAnswer['headers'] {
    const { addedHeaders } = this.stage;
    return Object.fromEntries(Object.entries(headers).filter(([name]) => !addedHeaders.includes(name)));
  }

  private remember(route: RouteName, status: number, milliseconds: number): void {
    const use = this.uses.get(route) ?? { milliseconds: [], accepted: 0, refused: 0 };
    use.milliseconds.push(milliseconds);
    if (status === 200) use.accepted += 1;
    else use.refused += 1;
    this.uses.set(route, use);
  }
}

/** Where an answer differs from the status and body that are expected, and then what was sent and what came. */
export function answerProblems(answer: ApiAnswer, status: number, body: unknown): string[] {
  return withExchange(answer, [
    ...answer.problems,
    ...differences(status, answer.status, 'status'),
    ...differences(body, answer.body, 'body'),
  ]);
}

/** What is wrong with an answer, and then what was sent and what came; nothing where nothing is wrong. */
export function withExchange({ asked, status, text }: ApiAnswer, problems: readonly string[]): string[] {
  return problems.length === 0 ? [] : [...problems, `sent: ${asked}`, `came: ${status} ${cut(text)}`];
}

function cut(text: string): string {
  return text.length > SHOWN_BODY ? `${text.slice(0, SHOWN_BODY)}… (${text.length} characters)` : text;
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
