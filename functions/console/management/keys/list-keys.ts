import type { Caller } from '../../../../shared/domain/api-key';
import { EVERY_ORGANIZATION } from '../../../../shared/domain/api-key';
import { isPresent } from '../../../../shared/domain/values/text';
import type { CallerRoute } from '../../../../shared/endpoint/route';
import type { ListPage, ListScope } from '../../../../shared/http/list-page';
import { PAGE_PARAMETERS, readListPage, takePage } from '../../../../shared/http/list-page';
import { sumKeyRequests } from '../../../../shared/operations/keys/key-requests';
import { listKeys } from '../../../../shared/operations/keys/list-keys';
import { isKeyId, toShownKey } from '../../../../shared/operations/keys/shown-key';
import type { KeeperOf } from '../authority';
import { managementRoute } from '../management-route';

interface KeyPage extends ListPage {
  /** Undefined: the own one; an operator's are all. */
  readonly organization: string | undefined;
}

/** The route that lists keys page by page. Its answer also has the own key, beyond which none can be given. */
export function keyListRoute(keeperOf: KeeperOf): CallerRoute<never> {
  return managementRoute<KeyPage>({
    operationId: 'listKeys',
    method: 'GET',
    path: '/keys',
    query: ['organization', ...PAGE_PARAMETERS],
    successMessage: 'Keys found.',
    failureMessage: 'Failed to find keys.',
    tenantFrom: 'caller',
    read: (request, caller) => {
      const organization = organizationOf(request.query('organization'));
      return { organization, ...readListPage((name) => request.query(name), scopeOf(organization, caller), isKeyId) };
    },
    run: async ({ organization, limit, after }, caller, call) => {
      const keeper = await keeperOf(caller, call);
      const { items, nextPageToken } = await takePage(
        listKeys({ organization, after, atOnce: limit + 1 }, keeper),
        { limit, scope: scopeOf(organization, caller), deadline: call.deadline },
        (key) => key,
        ({ keyId }) => keyId,
      );
      const own = keeper.authority === 'operator' ? null : toShownKey(keeper.authority);
      return { data: { keys: items, nextPageToken, own } };
    },
  });
}

/** The route that says how much the keys of an organization are used today. */
export function keyRequestsRoute(keeperOf: KeeperOf): CallerRoute<never> {
  return managementRoute<string | undefined>({
    operationId: 'sumKeyRequests',
    method: 'GET',
    path: '/keys/requests',
    query: ['organization'],
    successMessage: 'Requests counted.',
    failureMessage: 'Failed to count requests.',
    tenantFrom: 'caller',
    read: (request) => organizationOf(request.query('organization')),
    run: async (organization, caller, call) => ({
      data: { ...(await sumKeyRequests(organization, await keeperOf(caller, call))) },
    }),
  });
}

/** Blank counts as absent. */
function organizationOf(text: string | null): string | undefined {
  return isPresent(text) ? text.trim() : undefined;
}

function scopeOf(organization: string | undefined, { organizationId }: Caller): ListScope {
  return ['keys', organization ?? (organizationId === EVERY_ORGANIZATION ? undefined : organizationId)];
}
