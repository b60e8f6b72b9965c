import { connect } from '../../functions/admin/connection';
import { fromTenantDocument } from '../../shared/auth/tenant-documents';
import type { Config } from '../../shared/config';
import { tenantPath } from '../../shared/documents/paths';
import { createTenant } from '../../shared/operations/tenants';
import { systemClock } from '../../shared/platform/clock';
import { deadlineIn } from '../../shared/platform/deadline';
import { keepDemoKey } from './data/demo-key';

/** The demo tenant of the local stack; the same at every start, so that a script can name it. */
export const DEMO_TENANT_ID = '11111111-1111-4111-8111-111111111111';
export const DEMO_ORGANIZATION = 'demo';

/** How long a step of it may take, in milliseconds: everything else of the stack is starting, too. */
const STEP_MS = 30_000;

/**
 * Creates the demo tenant if it is not there, and a key for it that may do everything, and says how to use them.
 * @param keyFile where the key of the last start is, and this one is kept
 */
export async function seedDemoTenant(
  config: Config,
  baseUrl: string,
  keyFile: string,
): Promise<{ tenantId: string; key: string; curl: string }> {
  const operator = { ...connect(config), deadline: () => deadlineIn(STEP_MS, systemClock) };
  try {
    const stored = await operator.store.get(tenantPath(DEMO_TENANT_ID), operator.deadline());
    const { tenantId, organizationId } = stored
      ? fromTenantDocument(DEMO_TENANT_ID, stored.data)
      : await createTenant({ id: DEMO_TENANT_ID, organization: DEMO_ORGANIZATION, defaultLanguage: 'en' }, operator);
    const key = await keepDemoKey(keyFile, organizationId, operator);
    const body = '[{"Email":"ann@example.com","Name":"Ann","EmailOptin":true}]';
    const curl = `curl -X POST ${baseUrl}/customers/${tenantId} -H 'x-service-auth-key: ${key}' -H 'Content-Type: application/json' -d '${body}'`;
    return { tenantId, key, curl };
  } finally {
    await operator.close();
  }
}
