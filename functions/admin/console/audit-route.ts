import type { CallerRoute } from '../../../shared/endpoint/route';
import { readTime } from '../../../shared/http/list-page';
import { listAudit } from '../../../shared/operations/audit';
import type { AuditQuery } from '../../../shared/operations/audit';
import type { Operator } from '../../../shared/operations/operator';
import { managementRoute } from '../../console/management/management-route';
import { tenantIn, textIn } from './query';

/** The audit log page by page, for operators alone. */
export function auditRoute(operator: Operator): CallerRoute<never> {
  return managementRoute<AuditQuery>({
    operationId: 'listAudit',
    method: 'GET',
    path: '/audit',
    query: ['tenant', 'actor', 'since', 'after'],
    successMessage: 'Entries found.',
    failureMessage: 'Failed to find entries.',
    tenantFrom: 'caller',
    read: (request) => ({
      tenant: tenantIn(request, 'tenant'),
      actor: textIn(request, 'actor'),
      since: readTime((name) => request.query(name, 'plus'), 'since'),
      after: textIn(request, 'after'),
    }),
    run: async (query) => ({ data: { ...(await listAudit(query, operator)) } }),
  });
}
