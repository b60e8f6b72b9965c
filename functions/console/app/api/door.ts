/**
 * The way from the pages to the service: the session, and the client of the API that uses it. The session's cookie is
 * the browser's; the token that writes need is in memory alone.
 */
import { IngestionClient } from '../../../../client/src/index';
import { systemPlatform } from '../../../../client/src/http/platform';
import type { Call } from '../../../../client/src/http/transport';
import { Transport } from '../../../../client/src/http/transport';
import { ROOT } from '../state/address';

export interface Session {
  readonly operator: boolean;
  /** Null: all organizations. */
  readonly organizationId: string | null;
  readonly keyId: string | null;
  readonly permissions: readonly string[];
  readonly endsAt: string;
  readonly csrfToken: string;
  /** Whom a tenant grants its bucket to. */
  readonly transferServiceAccount: string;
  /** What an operator looks at; null: the viewer is none. */
  readonly projectId: string | null;
}

export interface TenantSummary {
  readonly tenantId: string;
  readonly organizationId: string;
  /** Absent: it has none. */
  readonly displayName?: string | null;
  readonly state: 'active' | 'suspended' | 'beingErased';
}

interface TenantPage {
  readonly tenants: readonly TenantSummary[];
  readonly nextPageToken: string | null;
}

/** There is no session, or no longer. */
export interface SessionEnd {
  /** How one signs in: with a key in the page, or with the operator's command. */
  readonly by: 'key' | 'command';
  /** Whether the browser has several cookies for the console, which are refused until they are deleted. */
  readonly hasSeveralCookies: boolean;
}

const TIMEOUT_MS = 60_000;
const MAX_RETRIES = 2;
const TENANTS_PER_PAGE = 100;

/** The client wants a key for its header, which is taken off before a request is sent. */
const NO_KEY = 'the-cookie-has-it';
const KEY_HEADER = 'x-service-auth-key';

export class Door {
  readonly client: IngestionClient;
  readonly #session: Transport;
  readonly #management: Transport;
  /** The session that the pages show. */
  #shown: Session | undefined;
  readonly #onEnd: (end: SessionEnd) => void;
  readonly #onOther: (session: Session) => void;

  /**
   * @param onEnd called when an answer says that there is no session, or no longer
   * @param onOther called when the browser has the session of another key by now
   */
  constructor(onEnd: (end: SessionEnd) => void, onOther: (session: Session) => void) {
    this.#onEnd = onEnd;
    this.#onOther = onOther;
    const options = { key: NO_KEY, concurrency: 2, timeoutMs: TIMEOUT_MS };
    const root = `${location.origin}${ROOT}`;
    this.client = new IngestionClient({
      ...options,
      baseUrl: `${root}/api`,
      maxRetries: MAX_RETRIES,
      fetch: this.#fetch,
    });
    const platform = systemPlatform(this.#fetch);
    this.#session = new Transport({ ...options, baseUrl: `${root}/session`, maxRetries: 0 }, platform);
    this.#management = new Transport({ ...options, baseUrl: `${root}/management`, maxRetries: 0 }, platform);
  }

  /** @throws UnauthorizedError when there is no session */
  async current(signal?: AbortSignal): Promise<Session> {
    return this.#keep(await this.#session.send<Session>({ method: 'GET', path: '', signal }));
  }

  /** @throws UnauthorizedError when the key is wrong */
  async signIn(key: string): Promise<Session> {
    return this.#keep(await this.#session.send<Session>({ method: 'POST', path: '', body: JSON.stringify({ key }) }));
  }

  async signOut(): Promise<void> {
    await this.#session.send({ method: 'DELETE', path: '' });
    this.#shown = undefined;
  }

  /** Asks a route below `/console/management`. A write is not repeated. @throws IngestionError */
  manage<Result>(call: Call): Promise<Result> {
    return this.#management.send<Result>(call);
  }

  /** The tenants that one may choose from, page by page. */
  async *tenants(signal: AbortSignal): AsyncGenerator<TenantSummary, void, undefined> {
    let pageToken: string | undefined;
    do {
      const query = { limit: TENANTS_PER_PAGE, pageToken };
      const page = await this.#session.send<TenantPage>({ method: 'GET', path: '/tenants', query, signal });
      yield* page.tenants;
      pageToken = page.nextPageToken ?? undefined;
    } while (pageToken !== undefined);
  }

  #keep(session: Session): Session {
    this.#shown = session;
    return session;
  }

  readonly #fetch: typeof globalThis.fetch = async (input, init) => {
    const answer = await this.#send(input, init);
    if (answer.status === 401) {
      const { signIn, reason } = await dataOf(answer);
      this.#onEnd({ by: signIn === 'command' ? 'command' : 'key', hasSeveralCookies: reason === 'severalCookies' });
    }
    const shown = this.#shown;
    if (!shown || answer.status !== 403 || (await dataOf(answer))['reason'] !== 'notOwnPage') return answer;
    const session = await this.current(); // another tab has begun one
    if (session.keyId === shown.keyId && session.organizationId === shown.organizationId)
      return this.#send(input, init);
    this.#onOther(session); // what was meant under the one key is not done under another
    return answer;
  };

  #send(input: Parameters<typeof globalThis.fetch>[0], init: RequestInit | undefined): Promise<Response> {
    const headers = new Headers(init?.headers);
    headers.delete(KEY_HEADER);
    if (this.#shown) headers.set('X-CSRF-Token', this.#shown.csrfToken);
    return fetch(input, { ...init, headers });
  }
}

/** The data of an envelope, in either case of its names. The answer can still be read. */
async function dataOf(answer: Response): Promise<Readonly<Record<string, unknown>>> {
  const body = (await answer
    .clone()
    .json()
    .catch(() => ({}))) as Readonly<Record<string, unknown>>;
  return (body['data'] ?? body['Data'] ?? {}) as Readonly<Record<string, unknown>>;
}
