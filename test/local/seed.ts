import { connect } from '../../functions/admin/connection';
import { PERMISSIONS } from '../../shared/domain/api-key';
import { createKey } from '../../shared/operations/keys';
import { createTenant } from '../../shared/operations/tenants';
import type { Config } from '../../shared/config';

/** The demo tenant of the local stack; the same at every start, so that a script can name it. */
export const DEMO_TENANT_ID = '11111111-1111-4111-8111-111111111111';
export const DEMO_ORGANIZATION = 'demo';

/** Creates the demo tenant and a key for it that may do everything, and says how to use them. */
export async function seedDemoTenant(
  config: Config,
  baseUrl: string,
): Promise<{ tenantId: string; key: string; curl: string }> {
  const operator = connect(config);
  try {
    const { tenantId } = await createTenant(
      { id: DEMO_TENANT_ID, organization: DEMO_ORGANIZATION, defaultLanguage: 'en' },
      operator,
    );
    const { key } = await createKey({ organization: DEMO_ORGANIZATION, permissions: PERMISSIONS }, operator);
    const body = '[{"Email":"ann@example.com","Name":"Ann","EmailOptin":true}]';
    const curl = `curl -X POST ${baseUrl}/customers/${tenantId} -H 'x-service-auth-key: ${key}' -H 'Content-Type: application/json' -d '${body}'`;
    return { tenantId, key, curl };
  } finally {
    await operator.close();
  }
}
