/**
 * Sends each request to what answers it:
 *
 *     /console/api/…        the API, for whoever has a session
 *     /console/session/…    signing in and out, who one is
 *     /console/management/… what operators do, and those who look after keys and settings
 *     /console/assets/…     what the page loads
 *     /console/…            the page, which makes of its address what it shows
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Door } from '../../shared/endpoint/door';
import type { EndpointDefinition, EndpointDependencies, RequestHandler } from '../../shared/endpoint/endpoint';
import { createEndpoint } from '../../shared/endpoint/endpoint';
import type { CallerRoute } from '../../shared/endpoint/route';
import type { Assets } from '../../shared/http/assets/asset';
import { sendText, serveAsset } from '../../shared/http/assets/serve-asset';
import { rawUrl } from '../../shared/http/raw-request';
import { parseTarget } from '../../shared/http/request-target';
import { PAGES } from './pages';

const NAME = 'console';
const NO_FILE = 'There is no such file. The console is at /console.\n';
const NOT_ALLOWED = 'A page can only be read: please use GET or HEAD.\n';

export interface ConsoleParts {
  /** Is called at each request of a file. */
  readonly assets: () => Assets;
  readonly api: readonly EndpointDefinition[];
  readonly session: EndpointDefinition<CallerRoute<never>>;
  readonly management: EndpointDefinition<CallerRoute<never>>;
  /** For everything but signing in. */
  readonly door: Door;
  /** For `POST /console/session`, where there is such a route. */
  readonly signInDoor?: Door;
}

/** Makes the handler of the console. It never rejects. */
export function createConsole(
  { assets, api, session, management, door, signInDoor }: ConsoleParts,
  dependencies: EndpointDependencies,
): RequestHandler {
  const ofApi = new Map(
    api.map((endpoint) => [endpoint.name, createEndpoint(endpoint, dependencies, door, [NAME, 'api'])]),
  );
  const ofSession = createEndpoint(session, dependencies, door, [NAME]);
  const ofManagement = createEndpoint(management, dependencies, door, [NAME]);
  const signIn = signInDoor ? createEndpoint(session, dependencies, signInDoor, [NAME]) : ofSession;

  return async (request, response) => {
    const { segments } = parseTarget(rawUrl(request), NAME);
    const [first, second = ''] = segments;
    if (first === 'api')
      await (ofApi.get(second) ?? ofSession)(request, response); // of which neither has the path
    else if (first === 'management') await ofManagement(request, response);
    else if (first === 'session') await (isSignIn(request, segments) ? signIn : ofSession)(request, response);
    else serve(request, response, segments);
  };

  function serve(request: IncomingMessage, response: ServerResponse, segments: readonly string[]): void {
    const [first = ''] = segments;
    const file = assets().get(segments.join('/'));
    const page = assets().get('');
    if (file) serveAsset(request, response, file, NOT_ALLOWED);
    else if (first === 'assets' || !page) sendText(response, 404, NO_FILE);
    else serveAsset(request, response, page, NOT_ALLOWED, PAGES.some((name) => name === first) ? 200 : 404);
  }
}

function isSignIn({ method }: IncomingMessage, segments: readonly string[]): boolean {
  return method === 'POST' && segments.length === 1;
}
