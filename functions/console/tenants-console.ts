import { Gatekeeper } from '../../shared/auth/admission';
import type { EndpointDependencies, RequestHandler } from '../../shared/endpoint/endpoint';
import type { Assets } from '../../shared/http/assets/asset';
import { changeConfiguration } from '../../shared/operations/tenants/configuration';
import { sessionDoor } from './doors/session-door';
import { signInDoor } from './doors/sign-in-door';
import type { ApiDependencies } from './endpoint';
import { apiEndpoints, managementEndpoint, sessionEndpoint } from './endpoint';
import { createConsole } from './handler';
import { keyHolder } from './management/authority';
import { keyRoutes } from './management/keys/routes';
import { tenantRoutes } from './management/tenants/tenant-routes';
import { beginSessionRoute } from './session/begin-session';
import type { SessionCookie } from './session/cookie';
import { endSessionRoute, getSessionRoute } from './session/get-session';
import { tenantListRoute } from './session/list-tenants';
import { SessionAdmission } from './session/session-admission';
import type { AboutService } from './session/session-answer';
import { StoredSessions } from './session/stored-sessions';

export interface TenantsConsoleDependencies extends ApiDependencies, EndpointDependencies, AboutService {
  readonly assets: () => Assets;
  readonly cookie: SessionCookie;
  /** Machines of ours between a caller and this one, each of which adds an address to `X-Forwarded-For`. */
  readonly proxies: number;
}

/** Has browsers ask for the host over HTTPS alone from now on, for a year (R-312). Its subdomains may be others'. */
const HTTPS_ALONE = 'max-age=31536000';

/** The console of tenants: they sign in with a key, whose organization and permissions bound everything. */
export function createTenantsConsole(dependencies: TenantsConsoleDependencies): RequestHandler {
  const { assets, cookie, proxies } = dependencies;
  const { transferServiceAccount, projectId, admissionStore } = dependencies;
  const sessions = new StoredSessions(dependencies);
  const about = { signIn: 'key', cookie, sessions, transferServiceAccount, projectId } as const;
  const session = sessionEndpoint([
    beginSessionRoute({ ...about, keys: new Gatekeeper(dependencies) }),
    getSessionRoute(about),
    endSessionRoute(about),
    tenantListRoute(dependencies),
  ]);
  const keeperOf = keyHolder(dependencies);
  const admission = { ...dependencies, admissionStore: new SessionAdmission(sessions, admissionStore) };
  const serve = createConsole(
    {
      assets,
      api: apiEndpoints(dependencies),
      session,
      management: managementEndpoint([
        ...keyRoutes(keeperOf),
        ...tenantRoutes({ ...dependencies, keeperOf, change: changeConfiguration }),
      ]),
      door: sessionDoor(cookie, about.signIn, admission),
      signInDoor: signInDoor(proxies, cookie, dependencies),
    },
    dependencies,
  );
  return (request, response) => {
    if (cookie.isSecure) response.setHeader('Strict-Transport-Security', HTTPS_ALONE);
    return serve(request, response);
  };
}
