import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndpointDependencies, RequestHandler } from '../../../shared/endpoint/endpoint';
import type { TenantId } from '../../../shared/domain/tenant';
import type { Operator } from '../../../shared/operations/operator';
import type { TenantOptions } from '../../../shared/operations/tenants';
import { updateTenant } from '../../../shared/operations/tenants';
import { SESSION_MS } from '../../../shared/limits/console';
import type { Assets } from '../../../shared/http/assets/asset';
import { sendText } from '../../../shared/http/assets/serve-asset';
import { rawUrl } from '../../../shared/http/raw-request';
import { parseTarget } from '../../../shared/http/request-target';
import { sessionDoor } from '../../console/doors/session-door';
import type { ApiDependencies } from '../../console/endpoint';
import { apiEndpoints, managementEndpoint, sessionEndpoint } from '../../console/endpoint';
import { createConsole } from '../../console/handler';
import { keyRoutes } from '../../console/management/keys/routes';
import { tenantRoutes } from '../../console/management/tenants/tenant-routes';
import { auditRoute } from './audit-route';
import { mendRoutes } from './mend-routes';
import { overviewRoutes } from './overview-routes';
import { setCookie } from '../../console/session/cookie';
import { endSessionRoute, getSessionRoute } from '../../console/session/get-session';
import { tenantListRoute } from '../../console/session/list-tenants';
import type { AboutService } from '../../console/session/session-answer';
import { auditedEndpoint } from './audited-endpoint';
import { operatorTenantRoutes } from './tenants/operator-tenant-routes';
import { OperatorSessions } from './operator-sessions';

export interface OperatorConsoleDependencies extends ApiDependencies, EndpointDependencies, AboutService {
  /** For what operators do, and its entries in the audit log. */
  readonly operator: Operator;
  readonly assets: () => Assets;
}

export interface OperatorConsole {
  readonly handle: RequestHandler;
  /** The path that begins the session. It works once. */
  readonly openPath: string;
}

const USED =
  'This address was used already, or is not the one that was printed. Start the console again for a new one.\n';
const NOT_ALLOWED = 'This address can only be opened: please use GET.\n';
const OTHER_HOST = 'The console answers at the address that was printed, and under no other name.\n';

/**
 * The console of operators: the same pages and routes as that of tenants, over all organizations. It must
 * listen on the loopback address alone. Whoever begins with the printed token is the operator.
 * @param port on which it listens
 */
export function createOperatorConsole(dependencies: OperatorConsoleDependencies, port: number): OperatorConsole {
  const { assets, operator, transferServiceAccount, projectId } = dependencies;
  const sessions = new OperatorSessions(dependencies);
  // Browsers send a cookie to all ports of a host: consoles beside each other must not replace each other's.
  const cookie = { name: `console-operator-${port}`, isSecure: false };
  const about = { signIn: 'command', cookie, sessions, transferServiceAccount, projectId } as const;
  const keeperOf = () => Promise.resolve(operator);
  const change = (tenantId: TenantId, options: TenantOptions) => updateTenant(tenantId, options, operator);
  const serve = createConsole(
    {
      assets,
      api: apiEndpoints(dependencies).map((endpoint) => auditedEndpoint(endpoint, operator)),
      session: sessionEndpoint([getSessionRoute(about), endSessionRoute(about), tenantListRoute(dependencies)]),
      management: managementEndpoint([
        ...overviewRoutes(operator),
        ...mendRoutes(operator),
        ...keyRoutes(keeperOf),
        ...operatorTenantRoutes(operator), // before the next: of two paths that match, the first one counts
        ...tenantRoutes({ ...operator, keeperOf, change }),
        auditRoute(operator),
      ]),
      door: sessionDoor(cookie, about.signIn, { ...dependencies, admissionStore: sessions }),
    },
    dependencies,
  );
  const hosts: readonly (string | undefined)[] = [`127.0.0.1:${port}`, `localhost:${port}`];

  return {
    openPath: `/console/open?token=${sessions.token}`,
    handle: async (request, response) => {
      // A page of another site may have its name point to this machine (DNS rebinding), but not change what it sends.
      const { segments, query } = parseTarget(rawUrl(request), 'console');
      if (!hosts.includes(request.headers.host)) sendText(response, 421, OTHER_HOST);
      else if (segments.join('/') === 'open') open(request, response, new URLSearchParams(query).get('token') ?? '');
      else await serve(request, response);
    },
  };

  function open({ method }: IncomingMessage, response: ServerResponse, token: string): void {
    const session = method === 'GET' ? sessions.redeem(token) : undefined;
    if (method !== 'GET') sendText(response, 405, NOT_ALLOWED, { Allow: 'GET' });
    else if (!session) sendText(response, 403, USED);
    else {
      const headers = { Location: '/console', 'Set-Cookie': setCookie(cookie, session.secret, SESSION_MS / 1_000) };
      sendText(response, 303, 'The console is at /console.\n', headers);
    }
  }
}
