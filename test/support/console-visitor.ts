import type { OutgoingHttpHeaders } from 'node:http';
import type { ApiRoute } from '../http/api';
import type { Received } from './http-exchange';
import type { RequestOptions, TestService } from './test-service';

/** What an answer says of a session. */
export interface ShownSession {
  readonly operator: boolean;
  readonly organizationId: string | null;
  readonly keyId: string | null;
  readonly permissions: readonly string[];
  readonly endsAt: string;
  readonly csrfToken: string;
}

/** The name and value of the cookie that an answer sets. */
export function cookieOf({ headers }: Received): string | undefined {
  return headers['set-cookie']?.[0]?.split(';')[0];
}

/** A browser with the console open: it keeps the cookie, and its page shows the token of its session. */
export class ConsoleVisitor {
  /** `name=value` */
  cookie: string | undefined;
  csrfToken: string | undefined;

  constructor(private readonly service: TestService) {}

  /** Signs in. @throws Error when that is refused */
  static async signedIn(service: TestService, key: string): Promise<ConsoleVisitor> {
    const visitor = new ConsoleVisitor(service);
    const { status, text } = await visitor.signIn(key);
    if (status !== 200) throw new Error(text);
    return visitor;
  }

  async signIn(key: unknown, options: RequestOptions = {}): Promise<Received> {
    const answer = await this.request('POST', '/console/session', { json: { key }, ...options });
    if (answer.status === 200) {
      this.cookie = cookieOf(answer);
      this.csrfToken = (answer.json as { data: ShownSession }).data.csrfToken;
    }
    return answer;
  }

  /** Sends what the page would send. Undefined headers are left out. */
  request(method: string, path: string, { headers, ...options }: RequestOptions = {}): Promise<Received> {
    const own: OutgoingHttpHeaders = {
      'sec-fetch-site': 'same-origin',
      ...(this.cookie !== undefined && { cookie: this.cookie }),
      ...(method !== 'GET' && this.csrfToken !== undefined && { 'x-csrf-token': this.csrfToken }),
    };
    return this.service.request(method, path, {
      to: 'console',
      ...options,
      headers: { ...(own as Record<string, string>), ...headers },
    });
  }

  /** Sends the valid request of a route of the API, changed by the options. */
  call(route: ApiRoute, tenantId: string, options: RequestOptions = {}): Promise<Received> {
    const hasBody = route.body && options.raw === undefined && options.json === undefined;
    const body = hasBody ? { json: route.body(tenantId) } : {};
    return this.request(route.method, `/console/api/${route.to}${route.path(tenantId)}`, { ...body, ...options });
  }
}
