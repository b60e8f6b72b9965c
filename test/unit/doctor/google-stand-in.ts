/** Google's REST APIs as far as they read: answers by address, in the documented forms, and refusals. */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GoogleAccess, Json } from '../../../shared/adapters/google-apis';
import { rawUrl } from '../../../shared/http/raw-request';

const TOKEN = 'Bearer of-a-stand-in';

export class GoogleStandIn {
  /** By host and path, and the filter behind a `?` where there is one. */
  answers = new Map<string, Json>();
  /** Addresses that begin so are refused. */
  readonly denied = new Set<string>();
  /** Addresses that begin so are answered with another status. */
  readonly failing = new Map<string, number>();
  /** Addresses that begin so are answered by a page of a proxy. */
  readonly proxied = new Set<string>();
  /** What asked for anything but to read. */
  readonly writes: string[] = [];
  requests = 0;
  nowMs = 0;
  private server: Server | undefined;

  async start(): Promise<void> {
    this.server = createServer((request, response) => this.answer(request, response));
    await new Promise<void>((resolve) => this.server!.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }

  access(): GoogleAccess {
    const { port } = this.server?.address() as AddressInfo;
    return {
      addressOf: (host) => `http://127.0.0.1:${port}/${host}`,
      headers: () => Promise.resolve({ authorization: TOKEN }),
    };
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    this.requests += 1;
    const { pathname, searchParams } = new URL(rawUrl(request), 'http://stand-in');
    const filter = searchParams.get('filter');
    const address = `${decodeURIComponent(pathname).slice(1)}${filter === null ? '' : `?${filter}`}`;
    request.resume();
    const isReading = request.method === 'GET' || (request.method === 'POST' && pathname.endsWith(':getIamPolicy'));
    if (!isReading) this.writes.push(`${request.method ?? ''} ${address}`);
    const [status, body] = this.answerTo(address, searchParams, request.headers.authorization);
    response.writeHead(status, { 'content-type': 'application/json', date: new Date(this.nowMs).toUTCString() });
    const isProxied = [...this.proxied].some((start) => address.startsWith(start));
    response.end(isProxied ? '<html>' : JSON.stringify(body));
  }

  private answerTo(address: string, query: URLSearchParams, token: string | undefined): readonly [number, Json] {
    if (address.endsWith('/docs/')) return [this.failing.get('/docs/') ?? 200, {}];
    if (token !== TOKEN) return [401, toError(401, 'UNAUTHENTICATED')];
    if ([...this.denied].some((start) => address.startsWith(start)))
      return [403, toError(403, 'IAM_PERMISSION_DENIED')];
    const [, failure] = [...this.failing].find(([start]) => address.startsWith(start)) ?? [];
    if (failure !== undefined)
      return [failure, toError(failure, failure === 403 ? 'SERVICE_DISABLED' : 'BACKEND_ERROR')];
    const answer = this.answers.get(address);
    return answer ? [200, toPage(answer, query)] : [404, toError(404, 'NOT_FOUND')];
  }
}

/** A page of the only list of an answer, where the request asks for pages. */
function toPage(answer: Json, query: URLSearchParams): Json {
  const size = Number(query.get('pageSize') ?? Infinity);
  const [field, list] = Object.entries(answer).find(([, value]) => Array.isArray(value)) ?? [];
  if (field === undefined || !Array.isArray(list) || list.length <= size) return answer;
  const start = Number(query.get('pageToken') ?? 0);
  const end = start + size;
  return { [field]: list.slice(start, end), ...(end < list.length && { nextPageToken: String(end) }) };
}

/** https://cloud.google.com/apis/design/errors */
function toError(code: number, reason: string): Json {
  const details = [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason,
      domain: 'googleapis.com',
      metadata: { consumer: 'projects/415104041262' },
    },
  ];
  return { error: { code, message: `It is ${reason}.`, status: reason, details } };
}
