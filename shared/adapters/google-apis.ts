import { ANSWER_TIMEOUT_MS, LOOK_WAIT_MS, MAX_LIST_PAGES, MAX_LOOKS } from '../limits/doctor';
import type { Clock } from '../platform/clock';

/** An answer of a Google API. */
export interface Json {
  readonly [name: string]: unknown;
}

/** A request that only reads, and what it takes. */
export interface Look {
  /** Such as `pubsub.googleapis.com`. */
  readonly host: string;
  /** With its version, such as `v1/projects/p/topics`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The permission that it takes, as `CannotLook` names it. */
  readonly permission: string;
  /** The body of a POST: some policies are read by one. */
  readonly policyRequest?: string;
}

/** Something could not be looked at; the message says why, and goes on after `: `. */
export class CannotLook extends Error {
  override readonly name: string = 'CannotLook';
}

/** Whoever asks may not look at it. */
export class PermissionMissing extends CannotLook {
  override readonly name = 'PermissionMissing';
}

/** Where requests go, and as whom. Tests have stand-ins. */
export interface GoogleAccess {
  /** The address of a host, without a slash at its end. */
  readonly addressOf: (host: string) => string;
  /** Headers that show who asks. @throws Error when there are no credentials */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
}

/** Google's own addresses, with application default credentials. */
export function googleAccess(): GoogleAccess {
  let auth: Promise<{ getRequestHeaders(): Promise<Headers> }> | undefined;
  return {
    addressOf: (host) => `https://${host}`,
    headers: async () => {
      auth ??= import('google-auth-library').then(
        ({ GoogleAuth }) => new GoogleAuth({ scopes: ['https://www.googleapis.com/auth/cloud-platform'] }),
      );
      return Object.fromEntries(await (await auth).getRequestHeaders());
    },
  };
}

/** Looks at a project through Google's REST APIs. It changes nothing: it has no other methods than these. */
export class GoogleApis {
  constructor(
    private readonly access: GoogleAccess,
    private readonly clock: Clock,
  ) {}

  /**
   * An answer; undefined: there is no such thing (404).
   * @throws CannotLook
   */
  async find(look: Look): Promise<Json | undefined> {
    for (let left = MAX_LOOKS; ; left -= 1) {
      const answer = await this.ask(look);
      if (answer.ok) return readJson(answer, look);
      if (answer.status === 404) return undefined;
      const isPassing = answer.status === 429 || answer.status >= 500;
      if (!isPassing || left === 1) throw await toCannotLook(answer, look);
      await answer.body?.cancel();
      await this.clock.sleep(LOOK_WAIT_MS);
    }
  }

  /**
   * All elements of a list, page after page.
   * @param field the field of an answer that has them
   * @throws CannotLook
   */
  async list(look: Look, field: string): Promise<readonly Json[]> {
    const found: Json[] = [];
    let pageToken: unknown;
    for (let page = 0; page < MAX_LIST_PAGES; page += 1) {
      const query = { ...look.query, ...(typeof pageToken === 'string' && { pageToken }) };
      const answer = await this.find({ ...look, query });
      if (!answer) throw new CannotLook(`there is no ${look.path}`);
      const unreachable = (answer.unreachable ?? []) as readonly string[]; // regions, in a list of all of them
      if (unreachable.length > 0) throw new CannotLook(`${look.host} does not reach ${unreachable.join(', ')}`);
      found.push(...((answer[field] ?? []) as readonly Json[]));
      pageToken = answer.nextPageToken;
      if (!pageToken) return found;
    }
    throw new CannotLook(`there are more than ${MAX_LIST_PAGES} pages`);
  }

  /**
   * The status and the time of the answer of a public address, as its header `Date` has it.
   * @throws CannotLook when nothing answers
   */
  async ping(url: string): Promise<{ readonly status: number; readonly date: Date | undefined }> {
    const { host, pathname, search } = new URL(url);
    const answer = await request(`${this.access.addressOf(host)}${pathname}${search}`, { redirect: 'manual' });
    await answer.body?.cancel();
    const date = new Date(answer.headers.get('date') ?? NaN);
    return { status: answer.status, date: Number.isNaN(date.getTime()) ? undefined : date };
  }

  private async ask({ host, path, query = {}, policyRequest }: Look): Promise<Response> {
    const headers = await this.access.headers();
    const search = new URLSearchParams(query).toString();
    const url = `${this.access.addressOf(host)}/${path}${search === '' ? '' : `?${search}`}`;
    if (policyRequest === undefined) return request(url, { headers });
    if (!path.endsWith(':getIamPolicy')) throw new Error('Nothing but a policy is read by a POST.');
    return request(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: policyRequest,
    });
  }
}

async function request(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...options, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
  } catch (error) {
    const cause = (error as { cause?: { code?: string; message?: string } }).cause;
    const reason = cause?.code ?? cause?.message ?? (error as Error).message;
    throw new CannotLook(`${new URL(url).host} does not answer (${reason})`, { cause: error });
  }
}

/** @throws CannotLook when the answer is cut off, or is no JSON, as that of a proxy */
async function readJson(answer: Response, { host }: Look): Promise<Json> {
  try {
    return (await answer.json()) as Json;
  } catch (error) {
    throw new CannotLook(`${host} answers what cannot be read (${(error as Error).message})`, { cause: error });
  }
}

interface ErrorBody {
  readonly error?: {
    readonly message?: string;
    readonly details?: readonly { readonly reason?: string; readonly metadata?: { readonly consumer?: string } }[];
  };
}

/** Google's form of errors: https://cloud.google.com/apis/design/errors */
async function toCannotLook(answer: Response, { host, permission }: Look): Promise<CannotLook> {
  const { error } = (await answer.json().catch(() => ({}))) as ErrorBody;
  const disabled = error?.details?.find(({ reason }) => reason === 'SERVICE_DISABLED');
  if (disabled)
    return new CannotLook(`the API ${host} is not enabled in ${disabled.metadata?.consumer ?? 'the project'}`);
  if (answer.status === 403) return new PermissionMissing(`the permission ${permission} is missing`);
  return new CannotLook(
    `${host} answers ${answer.status}: ${(error?.message ?? answer.statusText).replace(/\.$/, '')}`,
  );
}
