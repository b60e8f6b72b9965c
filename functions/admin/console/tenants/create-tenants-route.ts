import type { CallerRoute } from '../../../../shared/endpoint/route';
import type { TableRow } from '../../../../shared/files/tables/read-table';
import { MAX_TENANT_BODY_BYTES, MAX_TENANT_LINES } from '../../../../shared/limits/tenants';
import type { Operator } from '../../../../shared/operations/operator';
import { InvalidInput } from '../../../../shared/operations/operator-error';
import type { LineAnswer } from '../../../../shared/operations/tenants/create-tenants';
import { createLine } from '../../../../shared/operations/tenants/create-tenants';
import { toTenantLine } from '../../../../shared/operations/tenants/tenant-values';
import { isObject } from '../../../../shared/validation/values';
import { managementRoute } from '../../../console/management/management-route';

/** Creates the tenants of some lines of a list, as `tenants create --from` does; one answer a line, safe to repeat. */
export function createTenantsRoute(operator: Operator): CallerRoute<never> {
  return managementRoute<unknown>({
    tenantFrom: 'caller',
    operationId: 'createTenants',
    method: 'POST',
    path: '/tenants',
    maxBodyBytes: MAX_TENANT_BODY_BYTES,
    successMessage: 'Every line has an answer.',
    failureMessage: 'Failed to create the tenants.',
    read: (request) => request.body('object'),
    run: async (body) => {
      const answers: LineAnswer[] = [];
      for (const row of requireRows(body)) answers.push(await createLine(toTenantLine(row), operator));
      return { data: { answers } };
    },
  });
}

/** @throws InvalidInput */
function requireRows(body: unknown): TableRow[] {
  const lines = isObject(body) ? body.lines : undefined;
  const isList = Array.isArray(lines) && lines.length >= 1 && lines.length <= MAX_TENANT_LINES;
  if (isList && lines.every(isRow)) return lines as TableRow[];
  throw new InvalidInput('lines', `must be a list of 1 to ${MAX_TENANT_LINES} lines with their numbers and values`);
}

function isRow(row: unknown): boolean {
  return isObject(row) && Number.isSafeInteger(row.line) && 'values' in row;
}
